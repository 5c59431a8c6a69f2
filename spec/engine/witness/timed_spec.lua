-- Mirrors src/engine/witness/step_subdivision.c: witnesses that time alone moves.
local saltus = require "saltus"
local random = require "spec.support.random"

describe("a witness that depends on time only", function()
  local blocks = saltus.blocks
  local slow = saltus.system { name = "slow", z = { { "x", 1 } },
    derivatives = function(ctx, dot) dot.x = -1e-3 * ctx.x end }

  -- How often `w` changes its sign in the wanted way, by a fine scan.
  local function scanned(w, stop, direction)
    local count, last = 0, w(0)
    for i = 1, 20000 do
      local value = w(stop * i / 20000)
      local rises = value > 0
      local turned = rises ~= (last > 0)
      if turned and (direction == "crossing" or rises == (direction == "rising")) then count = count + 1 end
      last = value
    end
    return count
  end

  local function watched(w, direction, kind, beside)
    local d = saltus.diagram "d"
    local event = { name = "cross", direction = direction, witness = function(ctx) return ctx.input end }
    if kind == "publish" then event.publish = function() end end
    if kind == "update" then event.discrete_update = function(ctx, next) next.n = ctx.n + 1 end end
    d:add(saltus.system { name = "source", outputs = { output = function(ctx) return w(ctx.time) end } })
    d:add(saltus.system { name = "eye", inputs = { "input" }, discrete = { "n" }, events = { event } })
    d:add(blocks.counter { threshold = 100 }, "never")
    d:connect("source", "eye.input")
    d:connect("source", "never")
    if beside then d:add(slow) end
    local sim = saltus.simulator(d)
    return sim, saltus.log(sim, {})
  end

  it("fires for each of its crossings, with and without continuous state", function()
    local rng = random.new(11)
    for round = 1, 24 do
      local a, b, p, q, c = rng:real() + 0.2, rng:real(), 6 * rng:real(), 6 * rng:real(), rng:real() - 0.5
      local f, g = 0.5 + 6 * rng:real(), 0.5 + 6 * rng:real()
      local function w(t) return c + a * math.sin(f * t + p) + b * math.sin(g * t + q) end
      local direction = ({ "crossing", "rising", "falling" })[round % 3 + 1]
      local kind = ({ "publish", "update", "none" })[round // 3 % 3 + 1]
      local sim, log = watched(w, direction, kind, round % 2 == 0)
      sim:advance_to(30)
      local times = log:times "eye.cross"
      assert.equal(scanned(w, 30, direction), #times, ("round %d"):format(round))
      for _, t in ipairs(times) do assert.near(0, w(t), 1e-9 * (a * f + b * g)) end
    end
  end)

  it("is found in one long step as in many, at a cost proportional to its crossings", function()
    local function count(stops)
      local sim, log = watched(function(t) return math.sin(t) end, "crossing", "update")
      for i = 1, stops do sim:advance_to(1000 * i / stops) end
      return #log:times "eye.cross", sim.stats.isolation_evaluations
    end
    local once, evaluations = count(1)
    assert.equal(318, once)
    assert.equal(318, (count(997)))
    assert.is_true(evaluations < 318 * 500)
  end)

  it("works in relays, comparators, counters and edge detectors", function()
    local d = saltus.diagram "d"
    d:add(blocks.sine { frequency = 5 })
    d:add(blocks.relay { lower = -0.5, upper = 0.5 })
    d:add(blocks.comparator { threshold = 0.9 })
    d:add(blocks.counter { threshold = 0.5, edge = "either" }, "direct")
    d:add(blocks.counter { threshold = 0.5, edge = "either" }, "switches")
    d:add(blocks.counter { threshold = 0.5, edge = "either" }, "sides")
    for from, to in pairs { relay = "switches", comparator = "sides" } do d:connect(from, to) end
    for _, to in ipairs { "relay", "comparator", "direct" } do d:connect("sine", to) end
    local sim = saltus.simulator(d)
    sim:advance_to(100)
    -- 500 rad are 79.577 periods; the relay is off from 0.583 of one on, the others from 0.417 and 0.322
    assert.same({ 160, 159, 160 }, { sim.context.direct.count, sim.context.switches.count, sim.context.sides.count })
  end)

  it("is found by a clone, and after a load into another simulator", function()
    local function wave(t) return math.sin(2 * t) end
    local sim, log = watched(wave, "crossing", "update")
    sim:advance_to(10)
    local copy, other, later = sim:clone(), watched(wave, "crossing", "update")
    local times = saltus.log(copy, {})
    other:load(sim:save())
    for _, each in ipairs { sim, copy, other } do each:advance_to(20) end
    assert.equal(6, #times:times "eye.cross")
    assert.equal(6, #later:times "eye.cross")
    assert.equal(12, #log:times "eye.cross")
    assert.same({ sim:hash(), sim:hash() }, { copy:hash(), other:hash() })
  end)

  it("reads the time itself, for all sources of its system", function()
    local d = saltus.diagram "d"
    local function add(name, inputs)
      d:add(saltus.system { name = name, inputs = inputs, discrete = { "n" }, events = { { name = "cross",
        witness = function(ctx) return math.sin(2 * math.pi * ctx.time + 0.1) + (inputs and ctx.shift or 0) end,
        discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } })
    end
    add("alone")
    add("fed", { "shift" })
    add("unfed", { { "shift", 0.1 } })
    d:add(blocks.constant { value = 0.2 })
    d:connect("constant", "fed.shift")
    local sim = saltus.simulator(d)
    sim:advance_to(10)
    assert.same({ 20, 20, 20 }, { sim.context.alone.n, sim.context.fed.n, sim.context.unfed.n })
  end)

  it("that is constant, or jumps, costs little and ends", function()
    local sim, log = watched(function(t) return t % 1 < 0.5 and 1 or -1 end, "crossing", "update")
    sim:advance_to(10)
    for _, t in ipairs(log:times "eye.cross") do assert.near(0, (2 * t + 0.5) % 1 - 0.5, 1e-9) end
    local still = watched(function() return 1 end, "crossing", "update")
    still:advance_to(10)
    assert.is_true(still.stats.witness_evaluations < 30)
    local d = saltus.diagram "d" -- nothing moves its inputs: it costs what two ends and their slopes do
    d:add(blocks.constant { value = 1 })
    d:add(blocks.comparator { threshold = 3 })
    d:connect("constant", "comparator")
    d:add(slow)
    local unmoved = saltus.simulator(d, { max_step = 0.01 })
    unmoved:advance_to(10)
    assert.equal(0, unmoved.stats.isolation_evaluations)
  end)
end)

describe("a witness that reads time and state", function()
  local integrators = { "auto", "tsitouras5", "dormand_prince8", "runge_kutta3", "radau5", "rodas4" }

  -- A capacitor behind a diode: it follows the peaks of a sine, and discharges slowly between them.
  local function rectifier(options)
    local function is_on(ctx) return ctx.diode == "on" end
    local function is_off(ctx) return ctx.diode == "off" end
    local function switch(to) return function(_, next) next.diode = to end end
    local function current(ctx) return math.cos(ctx.time) + 0.01 * ctx.volts end
    local function over(ctx) return math.sin(ctx.time) - ctx.volts end
    local s = saltus.system { name = "rectifier", z = { "volts" },
      discrete = { { "diode", "on", values = { "on", "off" } } },
      derivatives = function(ctx, dot)
        dot.volts = ctx.diode == "on" and math.cos(ctx.time) or -0.01 * ctx.volts
      end,
      events = {
        { name = "block", when = is_on, direction = "falling", witness = current, discrete_update = switch "off" },
        { name = "conduct", when = is_off, direction = "rising", witness = over, discrete_update = switch "on" },
      } }
    local sim = saltus.simulator(s, options)
    local log = saltus.log(sim, {})
    sim:advance_to(100)
    return log, sim
  end

  -- tan t = -100, then sin t = v exp(-0.01 (t - t0)): by turns.
  local function expected()
    local list, t = {}, math.pi - math.atan(100)
    while t < 100 do
      local from, peak = t, math.sin(t)
      list[#list + 1] = { "block", t }
      local a = t + 1.5 * math.pi
      local b = a + 0.5 * math.pi
      local function f(u) return math.sin(u) - peak * math.exp(-0.01 * (u - from)) end
      while b - a > 1e-13 * b do
        local middle = (a + b) / 2
        if f(middle) > 0 then b = middle else a = middle end
      end
      if a < 100 then list[#list + 1] = { "conduct", a } end
      t = t + 2 * math.pi
    end
    return list
  end

  for _, integrator in ipairs(integrators) do
    for _, compile in ipairs { true, false } do
      it(("is found by %s in long steps, %s"):format(integrator, compile and "compiled" or "in Lua"), function()
        local log, sim = rectifier { integrator = integrator, accuracy = 1e-8, compile = compile }
        local wanted = expected()
        assert.equal(#wanted, #log.events)
        for i, event in ipairs(wanted) do
          assert.equal(event[1], log.events[i].name)
          assert.near(event[2], log.events[i].time, 1e-6)
        end
        assert.same({}, sim.warnings)
      end)
    end
  end

  it("is found where it decides a condition, along the dense output of each integrator", function()
    local function truth(t) return math.sin(2 * t + 3 * math.sin(t)) > 0.5 end
    local wanted = 0
    for k = 1, 30000 do
      if truth(1e-3 * k) and not truth(1e-3 * (k - 1)) then wanted = wanted + 1 end
    end
    for _, integrator in ipairs(integrators) do
      local s = saltus.system { name = "s", z = { "x", { "v", 1 } },
        derivatives = function(ctx, dot) dot.x, dot.v = ctx.v, -ctx.x end,
        events = { { name = "over", becomes = function(ctx) return math.sin(2 * ctx.time + 3 * ctx.x) > 0.5 end } } }
      local sim = saltus.simulator(s, { integrator = integrator })
      local log = saltus.log(sim, {})
      sim:advance_to(30)
      local times = log:times "over"
      assert.equal(wanted, #times, integrator)
      for _, t in ipairs(times) do assert.near(0.5, math.sin(2 * t + 3 * math.sin(t)), 1e-3, integrator) end
    end
  end)

  it("is found through inputs, where the time comes from a source", function()
    local d = saltus.diagram "d"
    d:add(saltus.system { name = "eye", inputs = { "wave" }, z = { { "x", 0.5 } }, discrete = { "n" },
      derivatives = function(ctx, dot) dot.x = -1e-3 * ctx.x end,
      events = {
        { name = "cross", direction = "rising", witness = function(ctx) return ctx.wave - ctx.x end,
          discrete_update = function(_, next) next.n = next.n + 1 end },
        { name = "over", becomes = function(ctx) return ctx.wave > ctx.x end,
          discrete_update = function(_, next) next.n = next.n + 100 end },
      } })
    d:add(saltus.blocks.sine { frequency = 2 * math.pi })
    d:connect("sine", "eye.wave")
    local sim = saltus.simulator(d)
    sim:advance_to(50)
    assert.equal(50 + 100 * 50, sim.context.eye.n)
  end)

  it("is searched in the same way after save and load", function()
    local function make()
      return saltus.simulator(saltus.system { name = "s", z = { { "x", 0.5 } }, discrete = { "n" },
        derivatives = function(ctx, dot) dot.x = -1e-3 * ctx.x end,
        events = { { name = "cross", witness = function(ctx) return math.sin(3 * ctx.time) - ctx.x end,
          unrestricted_update = function(ctx, next) next.n = ctx.n + 1 end } } })
    end
    local whole, part = make(), make()
    whole:advance_to(40)
    for i = 1, 40 do
      part:advance_to(i)
      local other = make()
      other:load(part:save())
      part = other
    end
    assert.equal(39, whole.context.n)
    assert.equal(39, part.context.n)
  end)

  it("fires once where the run is cut at its event and a few ulp later", function()
    local w, p = 1.8456066985194048, 3.1412740724134736
    local rate, ph, times = -0.71434450978495723, 2.9931842179700885, {}
    local s = saltus.system { name = "s", z = { { "x", math.sin(p) }, { "y", math.cos(p) } },
      derivatives = function(ctx, dot) dot.x, dot.y = w * ctx.y, -w * ctx.x end,
      events = { { name = "pass", publish = function(ctx) times[#times + 1] = ctx.time end,
        witness = function(ctx)
          return ctx.x * math.cos(rate * ctx.time + ph) + ctx.y * math.sin(rate * ctx.time + ph) - 0.3
        end } } }
    for _, integrator in ipairs { "tsitouras5", "radau5" } do
      local function run(...)
        times = {}
        local sim = saltus.simulator(s, { integrator = integrator, accuracy = 1e-9, event_state = "reintegrate" })
        for _, t in ipairs { ... } do sim:advance_to(t) end
        sim:advance_to(5)
        return #times
      end
      local count, first = run(), times[1]
      for ulps = 1, 6 do assert.equal(count, run(first, first + ulps * 0x1p-54)) end
    end
  end)

  it("gets a warning where it is faster than pieces of a step can be", function()
    local s = saltus.system { name = "s", z = { { "x", 0.5 } }, derivatives = function(_, dot) dot.x = 1e-9 end,
      events = { { name = "cross", witness = function(ctx) return math.sin(1e6 * ctx.time) - 2 - ctx.x end } } }
    local sim = saltus.simulator(s)
    sim:advance_to(1)
    assert.equal(1, #sim.warnings)
    assert.equal("fast", sim.warnings[1].kind)
  end)
end)
