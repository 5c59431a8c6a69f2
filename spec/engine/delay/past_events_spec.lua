-- Events that read the past: a delayed jump is a jump for witnesses, conditions and blocks, whatever else reads it.
local saltus = require "saltus"
local blocks = saltus.blocks

local PERIOD, FIRST, WIDTH, LAG, STOP = 1, 0.5, 0.03, 0.35, 6.2

-- The arrival times of the pulses that are sent at FIRST + k PERIOD.
local function arrivals(late, start)
  local list = {}
  for k = 0, 100 do
    local t = FIRST + k * PERIOD + late
    if t < STOP then list[#list + 1] = (start or 0) + t end
  end
  return list
end

-- Events of a system that raise and lower `o`, a discrete variable or a state.
local function pulse_events(start, handler)
  local function write(value) return function(_, next) next.o = value end end
  return { name = "on", every = PERIOD, offset = start + FIRST, [handler] = write(1) },
    { name = "off", every = PERIOD, offset = start + FIRST + WIDTH, [handler] = write(0) }
end

local function is_on(get, kind)
  if kind == "witness" then return { direction = "rising", witness = function(ctx) return get(ctx) - 0.5 end } end
  return { becomes = function(ctx) return get(ctx) > 0.5 end }
end

local readers = {
  past = function(ctx) return ctx.past.o(0.35) end,
  output = function(ctx) return ctx.late end,
  input = function(ctx) return ctx.u end,
}
-- These conditions read by name, so they compile. Those of is_on call a function: they stay in Lua and have no finders.
local conditions = {
  past = function(ctx) return ctx.past.o(0.35) > 0.5 end,
  output = function(ctx) return ctx.late > 0.5 end,
  input = function(ctx) return ctx.u > 0.5 end,
}

local function with_handler(event, handler)
  event.name = "seen"
  if handler == "publish" then event.publish = function() end end
  if handler:find "update" then event[handler] = function(_, next) next.n = next.n + 1 end end
  return event
end

-- A pulse that is recorded in its own system, or delayed by a block, and an event that reads it.
local function build(case)
  local source, event = case.source, with_handler(is_on(readers[case.through], case.kind), case.handler)
  if case.kind == "becomes" then event.becomes = conditions[case.through] end
  local on, off = pulse_events(case.start, source == "state" and "unrestricted_update" or "discrete_update")
  local own = case.through ~= "input"
  local pulsing = { name = "pulsing", discrete = { { "n", 0 } }, z = {}, past = { o = 1 }, events = { on, off },
    outputs = own and { late = function(ctx) return ctx.past.o(0.35) end } or {} }
  if source == "state" then pulsing.z[1] = "o" else pulsing.discrete[2] = { "o", 0 } end
  if case.flows then pulsing.z[#pulsing.z + 1] = { "slow", 1 } end
  if #pulsing.z > 0 then
    local slow, state = case.flows, source == "state"
    pulsing.derivatives = function(ctx, dot)
      if state then dot.o = 0 end
      if slow then dot.slow = -0.1 * ctx.slow end
    end
  end
  local d = saltus.diagram "d"
  if own then pulsing.events[3] = event end
  d:add(saltus.system(pulsing), "p")
  if not own then
    d:add(blocks.delay { delay = LAG }, "late")
    d:add(saltus.system { name = "eye", inputs = { "u" }, discrete = { "n" }, events = { event } }, "eye")
    d:connect("p.o", "late")
    d:connect("late", "eye.u")
  end
  return saltus.simulator(d, { start_time = case.start, compile = case.compile })
end

local function check(want, got, text)
  assert.equal(#want, #got, text)
  for i, t in ipairs(want) do assert.near(t, got[i], 4e-16 * math.max(1, math.abs(t)), text) end
end

local function seen(log)
  for _, name in ipairs { "p.seen", "eye.seen" } do
    local ok, times = pcall(log.times, log, name)
    if ok then return times end
  end
end

-- All combinations of the values in a list of { name, values }.
local function each_case(axes, body, case, i)
  case, i = case or {}, i or 1
  if not axes[i] then
    local text = {}
    for _, axis in ipairs(axes) do text[#text + 1] = ("%s = %s"):format(axis[1], tostring(case[axis[1]])) end
    return body(case, table.concat(text, ", "))
  end
  for _, value in ipairs(axes[i][2]) do
    case[axes[i][1]] = value
    each_case(axes, body, case, i + 1)
  end
end

describe("an event that is the only reader of a delayed jump", function()
  for _, kind in ipairs { "witness", "becomes" } do
    it(("fires once for each: %s"):format(kind), function()
      each_case({ { "source", { "discrete", "state" } }, { "through", { "past", "output", "input" } },
        { "handler", { "none", "publish", "discrete_update", "unrestricted_update" } }, { "flows", { true, false } },
        { "compile", { true, false } }, { "start", { 0, 1000 } } }, function(case, text)
        case.kind = kind
        local sim = build(case)
        local log = saltus.log(sim, {})
        sim:advance_to(case.start + STOP)
        check(arrivals(LAG, case.start), seen(log), text)
      end)
    end)
  end

  it("fires in the same way in a run that is cut, saved and loaded", function()
    each_case({ { "kind", { "witness", "becomes" } }, { "through", { "past", "input" } },
      { "handler", { "publish", "discrete_update" } }, { "flows", { true, false } } }, function(case, text)
      case.source, case.start, case.compile = "discrete", 0, true
      local times, sim = {}, build(case)
      for k = 1, 31 do
        local log = saltus.log(sim, {})
        sim:advance_to(0.2 * k)
        table.move(seen(log), 1, #seen(log), #times + 1, times)
        local other = build(case)
        other:load(sim:save())
        sim = other
      end
      check(arrivals(LAG), times, text)
    end)
  end)
end)

describe("blocks behind a delay", function()
  local function counted(delayed, options)
    local d = saltus.diagram "d"
    d:add(blocks.pulse { period = PERIOD, width = WIDTH, offset = FIRST }, "pulse")
    delayed(d)
    d:add(blocks.counter {}, "counter")
    d:connect("late", "counter")
    local sim = saltus.simulator(d, options)
    sim:advance_to(STOP)
    return sim.context.counter.output
  end

  it("count each pulse", function()
    assert.equal(#arrivals(LAG), counted(function(d)
      d:add(blocks.delay { delay = LAG }, "late")
      d:connect("pulse", "late")
    end))
  end)

  it("count each pulse behind two delays", function()
    for _, flows in ipairs { false, true } do
      assert.equal(#arrivals(0.21 + LAG), counted(function(d)
        d:add(blocks.delay { delay = 0.21 }, "first")
        d:add(blocks.delay { delay = LAG }, "late")
        d:connect("pulse", "first")
        d:connect("first", "late")
        if flows then
          d:add(blocks.integral {}, "area")
          d:connect("late", "area")
        end
      end))
    end
  end)

  it("count each pulse at the end of a pipe", function()
    assert.equal(#arrivals(1 / 2), counted(function(d)
      d:add(blocks.transport_delay { length = 1 }, "late")
      d:add(blocks.constant { value = 2 }, "speed")
      d:connect("pulse", "late.input")
      d:connect("speed", "late.speed")
    end))
  end)

  it("count each pulse behind a delay that grows", function()
    local d = saltus.diagram "d"
    d:add(blocks.pulse { period = PERIOD, width = WIDTH, offset = FIRST }, "pulse")
    d:add(blocks.ramp { slope = 0.1 }, "lag")
    d:add(blocks.variable_delay { max_delay = 1 }, "late")
    d:add(blocks.sample_and_hold {}, "hold")
    d:add(blocks.clock {}, "clock")
    d:connect("pulse", "late.input")
    d:connect("lag", "late.delay")
    d:connect("late", "hold.trigger")
    d:connect("clock", "hold.input")
    local sim = saltus.simulator(d)
    for k = 0, 4 do
      sim:advance_to((FIRST + k * PERIOD + 0.2) / 0.9)
      assert.near((FIRST + k * PERIOD) / 0.9, sim.context.hold.output, 1e-14)
    end
  end)
end)

describe("a condition on the past of a state", function()
  -- x = t from 0 to 1, again and again: 0.3 ago it passes 0.5 on its way up.
  it("turns true once in each period, though steps could be longer", function()
    for _, compile in ipairs { true, false } do
      local sim = saltus.simulator(saltus.system { name = "saw", z = { "x" }, past = { x = 1 },
        derivatives = function(_, dot) dot.x = 1 end,
        events = {
          { name = "reset", direction = "rising", witness = function(ctx) return ctx.x - 1 end,
            unrestricted_update = function(_, next) next.x = 0 end },
          { name = "half", becomes = function(ctx) return ctx.past.x(0.3) >= 0.5 end,
            witness = not compile and function(ctx) return ctx.past.x(0.3) - 0.5 end or nil },
        } }, { compile = compile })
      local log = saltus.log(sim, {})
      sim:advance_to(10.05)
      local times = log:times "half"
      assert.equal(10, #times)
      for k, t in ipairs(times) do assert.near(k - 0.2, t, 1e-9) end
    end
  end)
end)

describe("a witness that reads the past, and whose handler does not move what it reads", function()
  it("fires at each arrival, and never reads further back than the past is recorded", function()
    for _, handler in ipairs { "none", "publish", "discrete_update" } do
      local event = with_handler(is_on(readers.past, "witness"), handler)
      local on, off = pulse_events(0, "discrete_update")
      local sim = saltus.simulator(saltus.system { name = "s", discrete = { { "o", 0 }, { "n", 0 } }, z = { "y" },
        past = { o = LAG }, derivatives = function(ctx, dot) dot.y = ctx.past.o(0.35) end,
        events = { event, on, off } })
      local log = saltus.log(sim, {})
      sim:advance_to(STOP)
      check(arrivals(LAG), log:times "seen", handler)
    end
  end)
end)

-- A clone's closures are tried beside their programs once more, which reads the past twice at each evaluation.
describe("a clone of a run whose witness reads two lags", function()
  for _, p in ipairs {
    { tau = 1.0377308497189637, every = 1.172934818928052,
      offset = 0.86446323818879189, level = -0.10208619311491041 },
    { tau = 0.84018473497321922, every = 0.51561095912083577,
      offset = 0.73313433386257387, level = 0.54987171738915719 },
    { tau = 0.52987713400537051, every = 0.86793965661169237,
      offset = 0.53747423817447249, level = 0.3015063969312779 },
    { tau = 0.88910719180883691, every = 0.76948808609275532,
      offset = 0.73205082481463379, level = 0.11723675417155133 },
  } do
    it("goes on to the bit, with a lag of " .. p.tau, function()
      local sim = saltus.simulator(saltus.system { name = "echo", z = { { "x", 0.3 } },
        discrete = { { "u", 1 }, { "n", 0 } }, past = { x = 3 },
        derivatives = function(ctx, dot) dot.x = ctx.u - ctx.x end,
        events = {
          { name = "kick", every = p.every, offset = p.offset,
            unrestricted_update = function(ctx, next) next.x, next.u = -ctx.x, -ctx.u end },
          { name = "heard",
            witness = function(ctx) return ctx.past.x(p.tau) - 0.5 * ctx.past.x(2 * p.tau) - p.level end,
            discrete_update = function(_, next) next.n = next.n + 1 end },
        } })
      local cloned = sim:clone()
      for k = 1, 12 do
        sim:advance_to(0.7 * k)
        cloned = cloned:clone()
        cloned:advance_to(0.7 * k)
        assert.equal(sim:hash(), cloned:hash())
      end
    end)
  end
end)

-- A jump does not end at zero: it leaves the witness far on the other side, where the signal may rise and fall.
describe("a witness that a delayed jump takes across zero", function()
  local function times(direction, update, cut)
    local levels, k = { 0.5, 0.25, 1.125, -0.5, 0.75 }, 0
    local sim = saltus.simulator(saltus.system { name = "stairs", discrete = { { "u", -0.375 } },
      z = { { "c", 0 } }, derivatives = function(_, dot) dot.c = 1 end, past = { u = 1 },
      events = {
        { name = "move", every = 1, offset = 1, discrete_update = function(_, next)
          k = k + 1
          next.u = levels[k] or 0.75
        end },
        { name = "seen", direction = direction, witness = function(ctx) return ctx.past.u(0.25) - 0.125 end,
          unrestricted_update = update },
      } })
    local log = saltus.log(sim, {})
    if cut then sim:advance_to(cut) end
    sim:advance_to(7)
    return log:times "seen"
  end

  for _, direction in ipairs { "rising", "crossing" } do
    local expected = direction == "rising" and { 1.25, 5.25 } or { 1.25, 4.25, 5.25 }
    it("fires again only after it was back, " .. direction, function()
      assert.same(expected, times(direction))
      for _, at in ipairs(expected) do
        for _, ulps in ipairs { -100, -35, -12, 5, 12, 35, 100, 10000 } do
          local found = times(direction, nil, at - ulps * 0x1p-50)
          assert.equal(#expected, #found, ("cut %d ulp before %g"):format(ulps, at))
          for k, t in ipairs(found) do assert.near(expected[k], t, 1e-8) end
        end
      end
    end)

    it("does so also where its handler writes a state that it does not read, " .. direction, function()
      assert.same(expected, times(direction, function(_, next) next.c = 0 end))
    end)
  end
end)

-- However little beyond zero a delayed jump lands, it has no surface there: what drifts back crosses zero once more.
describe("a witness that a delayed jump takes a little beyond zero", function()
  local function times(handler, by, start, cut, integrator)
    local sim = saltus.simulator(saltus.system { name = "drift", discrete = { { "u", -1 }, "n" }, z = { "c" },
      derivatives = function(_, dot) dot.c = 1 end, past = { u = 1 },
      events = {
        { name = "move", every = 100, offset = start + 1, discrete_update = function(_, next) next.u = by end },
        with_handler({ witness = function(ctx)
          return ctx.past.u(0.25) - by * math.max(0, ctx.c - 1.25)
        end }, handler),
      } }, { start_time = start, integrator = integrator })
    local log = saltus.log(sim, {})
    if cut then sim:advance_to(cut) end
    sim:advance_to(start + 4)
    return log:times "seen"
  end

  for _, handler in ipairs { "none", "publish", "discrete_update", "unrestricted_update" } do
    it("fires there and on its way back, wherever the run is cut: " .. handler, function()
      for _, start in ipairs { 0, -1000, 1e6 } do
        local ulp = math.max(math.abs(start), 1) * 0x1p-52
        for _, integrator in ipairs { "tsitouras5", "radau5" } do
          for _, by in ipairs { 1e-2, 1e-3, 9e-4, 1e-5, 1e-8 } do
            for _, ulps in ipairs { false, 0, 1, 2, 7, 20, 1000 } do
              local at = times(handler, by, start, ulps and start + 1.25 - ulps * ulp, integrator)
              local case = ("%s, from %g to %g, cut %s"):format(integrator, start, by, tostring(ulps))
              assert.equal(2, #at, case)
              assert.near(start + 1.25, at[1], 1e-7, case)
              assert.near(start + 2.25, at[2], 1e-3, case)
            end
          end
        end
      end
    end)
  end
end)

-- What lands exactly on zero has come there: leaving is no crossing, whatever the updates of that instant write.
describe("a witness that a delayed jump takes exactly to zero", function()
  for _, handler in ipairs { "publish", "discrete_update", "unrestricted_update" } do
    it("fires once for each jump: " .. handler, function()
      local jumps = { 0.75, 1.75, 2.75 }
      for direction, expected in pairs { crossing = jumps, falling = jumps, rising = {} } do
        for _, integrator in ipairs { "tsitouras5", "explicit_euler", "radau5" } do
          local sim = saltus.simulator(saltus.system { name = "saw", z = { { "x", 1 } }, discrete = { "n" },
            past = { x = 1 }, history = { x = 1 }, derivatives = function(_, dot) dot.x = 1 end,
            events = {
              { name = "fall", every = 1, offset = 0.5, unrestricted_update = function(_, next) next.x = -0.75 end },
              with_handler({ direction = direction, witness = function(ctx)
                return ctx.past.x(0.25) + 0.75
              end }, handler),
            } }, { integrator = integrator, max_step = 0.1 })
          local log = saltus.log(sim, {})
          sim:advance_to(3)
          assert.same(expected, log:times "seen")
        end
      end
    end)
  end
end)
