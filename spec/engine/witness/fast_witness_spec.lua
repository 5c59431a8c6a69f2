-- Witnesses that are faster than steps are long: max_interval, samples (src/engine/witness/step_subdivision.c), and the
-- warning where neither is named (src/engine/witness/undersampling.c); and witnesses without value in a part of a step
-- (src/engine/flow.c).
local saltus = require "saltus"
local cases = require "spec.support.cases"
local fails = require "spec.support.fails"

-- x' = 1, and an event; the times at which it fires.
local function run(event, stop, options, more, still)
  local times = {}
  event.name = "w"
  event.publish = function(ctx) times[#times + 1] = ctx.time end
  local spec = { name = "e", z = { { "x", 0 } }, derivatives = function(_, dot) dot.x = 1 end, events = { event } }
  for key, value in pairs(more or {}) do spec[key] = value end
  if still then spec.derivatives = nil end
  local sim = saltus.simulator(saltus.system(spec), options)
  local ok, message = pcall(sim.advance_to, sim, stop)
  return times, sim, not ok and tostring(message) or nil
end

local HZ = 100
local function sine_of_state(ctx) return math.sin(2 * math.pi * HZ * ctx.x) end
local function sine_of_time(ctx) return math.sin(2 * math.pi * HZ * ctx.time) end

local close = { { max_interval = 1 / (4 * HZ) }, { samples = 5 * HZ } }

local function with(event, more)
  for key, value in pairs(more) do event[key] = value end
  return event
end

-- All k / (2 HZ) below `stop`.
local function all_found(times, stop, room)
  assert.equal(math.ceil(stop * 2 * HZ) - 1, #times)
  for k, t in ipairs(times) do assert.near(k / (2 * HZ), t, room) end
end

describe("a witness faster than the steps", function()
  it("is found at all its crossings with max_interval or samples, by every kind of method", function()
    for _, more in ipairs(close) do
      for _, witness in ipairs { sine_of_state, sine_of_time } do
        for _, integrator in ipairs { "tsitouras5", "dormand_prince8", "rodas4" } do
          all_found(run(with({ witness = witness }, more), 0.9999, { integrator = integrator }), 0.9999, 1e-8)
        end
        local fixed = { integrator = "runge_kutta4", fixed_step = true, max_step = 1, isolation = 1e-9 }
        all_found(run(with({ witness = witness }, more), 0.9999, fixed), 0.9999, 1e-8)
      end
    end
  end)

  it("is found in the wanted direction only", function()
    for _, more in ipairs(close) do
      local times = run(with({ witness = sine_of_state, direction = "falling" }, more), 0.9999)
      assert.equal(HZ, #times)
      for k, t in ipairs(times) do assert.near((k - 0.5) / HZ, t, 1e-8) end
    end
  end)

  it("is found where updates throw the rest of each step away", function()
    local count = 0
    run({ witness = sine_of_state, max_interval = 1e-3 }, 0.9999, nil, { discrete = { "n" }, events = { {
      name = "w", witness = sine_of_state, max_interval = 1e-3, discrete_update = function(ctx, next)
        next.n = ctx.n + 1
        count = count + 1
      end } } })
    assert.equal(2 * HZ - 1, count)
  end)

  it("is found where it decides a condition", function()
    local times, sim = run({ becomes = function(ctx) return math.sin(200 * math.pi * ctx.x) > 0.5 end }, 3)
    assert.equal(300, #times)
    for k, t in ipairs(times) do assert.near((k - 1 + 1 / 12) / 100, t, 1e-8) end
    assert.same({}, sim.warnings)
  end)

  it("causes one warning where steps are not searched inside", function()
    local function over(ctx) return math.sin(200 * math.pi * ctx.x) > 0.5 end
    local function warnings(event, options)
      options.interior_search = false
      local _, sim = run(event, 3, options)
      return sim.warnings
    end
    local told = warnings({ becomes = over }, {})
    assert.equal(1, #told)
    assert.matches("^w of e may miss that it turns true: its condition has a sine", told[1].message)
    assert.same({ "fast", "w" }, { told[1].kind, told[1].event })
    assert.equal("fast", warnings({ witness = sine_of_state }, {})[1].kind)
    assert.equal(0, #warnings({ becomes = over }, { max_step = 1e-3 }))
    assert.equal(0, #warnings({ becomes = function(ctx) return ctx.x > 2 end }, {}))
  end)

  -- Steps grow from shorter to longer than a period, or the signal becomes fast in steps that stay as they are.
  it("is found where it is hardly faster than the steps, or becomes so later", function()
    local decays = { z = { "x", { "y", 1 } }, derivatives = function(ctx, dot) dot.x, dot.y = 1, -ctx.y end }
    for hz = 0.7, 9, 0.1 do
      local times = run({ witness = function(ctx) return math.sin(2 * math.pi * hz * ctx.x) - 0.5 end,
        direction = "rising" }, 10, nil, decays)
      assert.equal(math.floor(10 * hz - 1 / 12) + 1, #times)
      for k, t in ipairs(times) do assert.near((k - 1 + 1 / 12) / hz, t, 1e-8) end
    end
    local times = run({ witness = function(ctx) return math.sin(math.pi * ctx.x ^ 3) - 0.5 end, direction = "rising" },
      20, { max_step = 0.5 })
    assert.equal(4000, #times)
    for k, t in ipairs(times) do assert.near((2 * (k - 1) + 1 / 6) ^ (1 / 3), t, 1e-8) end
  end)

  it("is found without either option, as soon as a step shows that a crossing was missed", function()
    local times, sim = run({ witness = sine_of_state }, 0.9999)
    all_found(times, 0.9999, 1e-8)
    assert.same({}, sim.warnings)
    times = run({ witness = function(ctx) return math.cos(9 * ctx.x) - 0.3 end }, 49.99)
    assert.equal(143, #times)
  end)

  describe("of the time alone", function()
    -- Swells to 1 at 1000 s, and is -0.9 at every whole second.
    local function clock(hz)
      local function swells(ctx) return ctx.time / 1000 * math.sin(2 * math.pi * hz * ctx.time) - 0.9 end
      local sim = saltus.simulator(saltus.system { name = "clock", discrete = { { "n", 0 } }, events = { { name = "e",
        witness = swells, direction = "rising", discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } })
      sim:advance_to(1000)
      return sim
    end

    it("is found with round numbers too", function()
      for _, hz in ipairs { 1, 2, 5, 10 } do assert.equal(100 * hz, clock(hz).context.n) end
    end)

    it("is warned of where it is too fast for the step", function()
      for _, hz in ipairs { 1000.3, 1e5 } do
        local told = clock(hz).warnings[1]
        assert.same({ "fast", "e" }, { told.kind, told.event })
        assert.matches("shorter max_step", told.message)
      end
    end)
  end)

  it("causes no warning with either option or with short steps", function()
    local function warned(witness, options, more)
      local _, s = run(with({ witness = witness }, more or {}), 50, options)
      return #s.warnings
    end
    for _, witness in ipairs { function(ctx) return ctx.x % 0.1 - 0.05 end,
      function(ctx) return math.fmod(ctx.x, 0.1) - 0.05 end, function(ctx) return math.cos(9 * ctx.x) - 0.3 end,
      function(ctx)
        local list = { 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0 }
        return list[1 + math.floor(ctx.x / 5.001)]
      end } do
      assert.equal(0, warned(witness, nil, { max_interval = 0.01 }))
      assert.equal(0, warned(witness, { max_step = 0.02 }))
    end
  end)

  it("has its numbers checked", function()
    local function event(more) return run(with({ witness = sine_of_state }, more), 0.1) end
    fails('event "w" of system "e": max_interval must be a finite number of seconds greater than 0, got 0', event,
      { max_interval = 0 })
    fails("max_interval must be a finite number of seconds greater than 0, got inf", event,
      { max_interval = math.huge })
    fails("samples must be a whole number of pieces of a step, 1 to 1000000, got 2.5", event, { samples = 2.5 })
    fails("samples must be a whole number of pieces of a step, 1 to 1000000, got -1", event, { samples = -1 })
    fails("samples belongs to an event with witness, this one has every", saltus.system, { name = "e",
      events = { { name = "w", every = 1, samples = 3, publish = function() end } } })
  end)
end)

-- A wheel of constant rate turns `turns` times; its pick-up passes a level once in each turn. Returns how often this
-- was found, and the simulator. `closure` makes the witness from the name of an output.
local function pick_up(closure, turns, more, options)
  local spec = { name = "wheel", q = { { "angle", 0.1 } }, v = { { "rate", 50 } }, discrete = { { "n", 0 } },
    outputs = { hall = function(ctx) return math.sin(ctx.angle) end,
      tooth = function(ctx) return (ctx.angle / (2 * math.pi)) % 1 end },
    derivatives = function(ctx, dot) dot.angle, dot.rate = ctx.rate, 0 end,
    events = { { name = "pulse", direction = "rising", witness = closure,
      discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }
  for key, value in pairs(more or {}) do spec[key] = value end
  local sim = saltus.simulator(saltus.system(spec), options)
  sim:advance_to(turns * 2 * math.pi / 50)
  return sim.context.n, sim
end

describe("a witness whose speed does not show at the ends of steps", function()
  local kinds = {
    output = function(ctx) return ctx.hall - 0.9 end,
    remainder = function(ctx) return ctx.tooth - 0.25 end,
    table = function(ctx)
      local list = { math.sin(ctx.angle) }
      return list[#list] - 0.9
    end,
    -- Stays in Lua, so that its code does not show a sine.
    unseen = function(ctx) return tonumber(("%.17g"):format(math.sin(ctx.angle))) - 0.9 end,
  }
  local alone = { outputs = {} } -- outputs would show how fast the wheel is

  for kind, closure in pairs(kinds) do
    it("is searched in pieces as soon as a step shows that it was missed: " .. kind, function()
      local found, sim = pick_up(closure, 500, kind == "unseen" and alone or nil)
      assert.equal(500, found)
      assert.same({}, sim.warnings)
    end)

    it("is found by every kind of method: " .. kind, function()
      for _, integrator in ipairs { "dormand_prince8", "radau5", "rodas4", "bogacki_shampine3" } do
        assert.equal(500, (pick_up(closure, 500, kind == "unseen" and alone or nil, { integrator = integrator })))
      end
    end)
  end

  it("is found by a block of a diagram", function()
    local d = saltus.diagram "d"
    d:add(saltus.system { name = "wheel", q = { { "angle", 0.1 } }, outputs = { hall = function(ctx)
      return math.sin(ctx.angle)
    end }, derivatives = function(_, dot) dot.angle = 50 end })
    d:add(saltus.blocks.counter { threshold = 0.9 })
    d:connect("wheel.hall", "counter")
    local sim = saltus.simulator(d)
    sim:advance_to(200 * 2 * math.pi / 50)
    assert.equal(200, sim.context.counter.output)
  end)

  it("is found in a run that goes on after a load", function()
    local _, sim = pick_up(kinds.output, 100)
    local saved, other = sim:save(), sim:clone()
    sim:advance_to(40)
    other:load(saved)
    other:advance_to(40)
    assert.equal(math.floor(40 * 50 / (2 * math.pi) + (0.1 - math.asin(0.9)) / (2 * math.pi)) + 1, sim.context.n)
    assert.equal(sim:hash(), other:hash())
  end)

  it("causes one warning where it may have been missed before a step showed it", function()
    local found, sim = pick_up(kinds.unseen, 500, { outputs = {}, discrete = { { "n", 0 }, { "at", 0.001 } }, events = {
      { name = "sample", next_time = "at", discrete_update = function(ctx, next)
        next.at = ctx.time < 0.02 and ctx.time + 0.001 or math.huge
      end },
      { name = "pulse", direction = "rising", witness = kinds.unseen, discrete_update = function(ctx, next)
        next.n = ctx.n + 1
      end } } })
    assert.is_true(found >= 499)
    assert.equal(1, #sim.warnings)
    assert.matches("^pulse of wheel may have missed crossings", sim.warnings[1].message)
    assert.same({ "fast", "pulse" }, { sim.warnings[1].kind, sim.warnings[1].event })
  end)

  it("is no such witness if only rounding moves it", function()
    local count = 0
    local sim = saltus.simulator(saltus.system { name = "twins", q = { { "a", 1 }, { "b", 1 } }, v = { "u", "w" },
      derivatives = function(ctx, dot)
        dot.a, dot.b, dot.u, dot.w = ctx.u, ctx.w, -ctx.a, -ctx.b * (1 + 1e-15)
      end, events = { { name = "differ", witness = function(ctx) return (ctx.a - ctx.b) + 0 * ctx.u end,
        publish = function() count = count + 1 end } } })
    sim:advance_to(100)
    assert.same({}, sim.warnings)
  end)

  -- The step after an event that comes close behind another is not much longer than their interval.
  it("is no such witness if it leaves its surface more slowly than rounding shows", function()
    local a, b, level, drift = 0.3, -0.4, 0.37, 0.02
    for k = 1, cases(400) do
      local rates = { 1, -(0.1 + k / 500), 1e-4 * (1 + k / 100) }
      local sim = saltus.simulator(saltus.system { name = "turn", z = { { "x", (level - 0.16) / a }, "y" },
        discrete = { { "n", 1 } }, derivatives = function(ctx, dot)
          dot.x, dot.y = (rates[math.tointeger(ctx.n)] - b * drift) / a, drift
        end, events = { { name = "cross", witness = function(ctx) return a * ctx.x + b * ctx.y - level end,
          discrete_update = function(ctx, next) next.n = math.min(ctx.n + 1, 3) end } } })
      local log = saltus.log(sim)
      sim:advance_to(2)
      assert.is_true(#log:times "cross" <= 3)
    end
  end)
end)

describe("a witness that has no value at the end of a step", function()
  local root = function(ctx) return math.sqrt(1 - ctx.x) - 0.1 end
  local stop = { unrestricted_update = function(_, next) next.x = 0 end }

  local function starting_over(witness, when, options)
    local times = {}
    local sim = saltus.simulator(saltus.system { name = "e", z = { { "x", 0 } },
      derivatives = function(_, dot) dot.x = 1 end, events = { { name = "w", witness = witness, when = when,
        unrestricted_update = function(ctx, next)
          times[#times + 1] = ctx.time
          stop.unrestricted_update(ctx, next)
        end } } }, options)
    sim:advance_to(5)
    return times
  end

  it("is found where it crosses before", function()
    for _, options in ipairs { {}, { integrator = "dormand_prince8" }, { integrator = "rodas4" },
      { integrator = "runge_kutta4", fixed_step = true, max_step = 0.7, isolation = 1e-9 } } do
      for witness, crosses in pairs { [root] = 0.99, [function(ctx) return math.log(1 - ctx.x) + 5 end] =
        1 - math.exp(-5) } do
        local times = starting_over(witness, nil, options)
        assert.equal(5, #times)
        for k, t in ipairs(times) do assert.near(k * crosses, t, 1e-7) end
      end
    end
  end)

  it("is no error while its `when` is false there", function()
    for _, where in ipairs { 1, 0.5 } do
      local times, sim, message = run({ witness = root, when = function(ctx) return ctx.x < where end }, 3)
      assert.is_nil(message)
      assert.equal(3, sim.context.time)
      assert.equal(where == 1 and 1 or 0, #times)
      if where == 1 then assert.near(0.99, times[1], 1e-8) end
    end
  end)

  it("is an error with time and event where its guard is true and it has no value", function()
    local times, sim, message = run({ witness = root }, 3)
    assert.equal(1, #times)
    assert.matches("the witness returned NaN", message)
    assert.matches("%(in w of e, [^ ]*_spec.lua:%d+, at t = 1%)", message)
    assert.near(1, sim.context.time, 1e-14)
  end)

  it("is searched by time alone too, and in a run with a past", function()
    local times, _, message = run({ witness = function(ctx) return math.sqrt(1 - ctx.time) - 0.1 end,
      when = function(ctx) return ctx.time < 1 end }, 3, nil, { z = {} }, true)
    assert.is_nil(message)
    assert.equal(1, #times)
    assert.near(0.99, times[1], 1e-8)
    local delayed, sim, why = run({ witness = root, when = function(ctx) return ctx.x < 1 end }, 3, nil,
      { past = { x = 0.3 }, derivatives = function(ctx, dot) dot.x = 1 + 0 * ctx.past.x(0.3) end })
    assert.is_nil(why)
    assert.equal(1, #delayed)
    assert.near(0.99, delayed[1], 1e-8)
    assert.near(3, sim.context.x, 1e-12)
  end)
end)

describe("a witness over the time", function()
  for _, method in ipairs { "explicit_euler", "implicit_euler", "velocity_implicit_euler", "radau1" } do
    it("is searched also between the ends of the straight dense output of " .. method, function()
      local count = 0
      local sim = saltus.simulator(saltus.system { name = "ramp", z = { { "x", -1 } },
        derivatives = function(_, dot) dot.x = 0.1 end,
        events = { { name = "pass", witness = function(ctx) return ctx.x - math.sin(7 * ctx.time) end,
          publish = function() count = count + 1 end } } },
        { integrator = method, accuracy = 1e-3, max_step = method == "explicit_euler" and 2 or nil })
      sim:advance_to(20)
      local expected, was = 0, false
      for i = 1, 200000 do
        local t = i * 1e-4
        local now = 0.1 * t - 1 > math.sin(7 * t)
        if now ~= was then expected = expected + 1 end
        was = now
      end
      assert.equal(expected, count)
    end)
  end
end)

describe("a step that is reintegrated up to an event", function()
  for _, method in ipairs { "tsitouras5", "dormand_prince8", "radau5", "rodas4" } do
    it("keeps the later crossings of the others: " .. method, function()
      local times = {}
      local sim = saltus.simulator(saltus.system { name = "dip", q = { { "x", 15 } }, v = { { "u", -8 } }, z = { "h" },
        derivatives = function(ctx, dot) dot.x, dot.u, dot.h = ctx.u, 2, 1 end,
        events = { { name = "first", witness = function(ctx) return ctx.h - 1 end, publish = function() end },
          { name = "up", direction = "rising", witness = function(ctx) return ctx.x end,
            publish = function(ctx) times[#times + 1] = ctx.time end } } },
        { event_state = "reintegrate", integrator = method, initial_step = 8 })
      sim:advance_to(8) -- x = (t - 3) (t - 5)
      assert.equal(1, #times)
      assert.near(5, times[1], 1e-9)
    end)
  end
end)

-- The state alone moves the witness at first, in steps that grow: none of them shows that it reads the time too.
describe("a witness that the state keeps from showing that it reads the time", function()
  for _, integrator in ipairs { "tsitouras5", "runge_kutta3", "implicit_euler", "radau5", "auto" } do
    it("has all its crossings in long steps: " .. integrator, function()
      for k = 0, 19 do
        local level, expected = 0.05 * k, {}
        local function wave(t) return 0.97 * math.sin(0.005 * t + 0.3) + 0.62 end
        for turn = 0, 6 do
          local t = (math.pi + math.asin(0.62 / 0.97) - 0.3 + 2 * math.pi * turn) / 0.005
          expected[#expected + 1] = t / 1000 > level and t or nil
        end
        local times = {}
        local s = saltus.system { name = "slow", z = { "x" }, derivatives = function(_, dot) dot.x = 0.001 end,
          events = { { name = "e", direction = "falling", publish = function(ctx) times[#times + 1] = ctx.time end,
            witness = function(ctx) return math.min(wave(ctx.time), ctx.x - level) end } } }
        saltus.simulator(s, { integrator = integrator, dense_output = "hermite" }):advance_to(8800)
        assert.equal(#expected, #times)
        for i, t in ipairs(expected) do assert.near(t, times[i], 1e-6) end
      end
    end)
  end
end)
