-- Mirrors src/engine/recorder.c and lua/saltus/recorder.lua: which rows there are, what they show, and that watching
-- changes nothing.
local saltus = require "saltus"

local function saw(more)
  local def = { name = "saw", z = { "x" }, discrete = { "n" }, outputs = { twice = function(ctx) return 2 * ctx.x end },
    derivatives = function(_, dot) dot.x = 1 end,
    events = { { name = "tooth", witness = function(ctx) return ctx.x - 1 end, direction = "rising",
      unrestricted_update = function(ctx, next) next.x = 0 next.n = ctx.n + 1 end } } }
  for k, v in pairs(more or {}) do def[k] = v end
  return saltus.system(def)
end

local fixed = { integrator = "runge_kutta3", fixed_step = true, max_step = 0.25, context_accuracy = 1e-6 }

local function copy(sequence)
  local out = {}
  for i = 1, #sequence do out[i] = sequence[i] end
  return out
end

describe("a log without period", function()
  it("has a row for the start, for each step, and for what an update made", function()
    local sim = saltus.simulator(saw { events = { { every = 0.5, offset = 0.5,
      discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }, fixed)
    local log = saltus.log(sim, { "x", "n" })
    sim:advance_to(1)
    assert.same({ 0, 0.25, 0.5, 0.5, 0.75, 1 }, copy(log.time))
    assert.same({ 0, 0, 0, 1, 1, 1 }, copy(log.n))
  end)

  it("shows both sides of a witness event", function()
    local sim = saltus.simulator(saw(), fixed)
    local log = saltus.log(sim, { "x", "twice" })
    sim:advance_to(1.5)
    local sides = {}
    for i = 2, #log do
      if log.time[i] == log.time[i - 1] then sides[#sides + 1] = { log.x[i - 1], log.x[i], log.twice[i] } end
    end
    assert.equal(1, #sides)
    assert.near(1, sides[1][1], 1e-8)
    assert.same({ 0, 0 }, { sides[1][2], sides[1][3] })
  end)

  it("begins anew with initialize", function()
    local sim = saltus.simulator(saw(), fixed)
    local log = saltus.log(sim, { "x" })
    sim:advance_to(2)
    sim.context.time, sim.context.x = 0.5, 0
    sim:initialize()
    sim:advance_to(1)
    assert.same({ 0.25, 0.5, 0.75, 1 }, { select(2, table.unpack(copy(log.time))) })
  end)
end)

describe("a log with a period", function()
  it("has its rows at k times the period exactly, and shows x- there", function()
    local sim = saltus.simulator(saw { events = { { every = 0.1,
      discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } })
    local log = saltus.log(sim, { "x", "n", "twice", every = 0.1 })
    sim:advance_to(5)
    assert.equal(51, #log)
    for i = 1, 51 do
      assert.equal((i - 1) * 0.1, log.time[i])
      assert.near((i - 1) * 0.1, log.x[i], 1e-12)
      assert.equal(2 * log.x[i], log.twice[i])
      assert.equal(i - 1, log.n[i])
    end
  end)

  it("begins at the first multiple that is not before the start", function()
    local sim = saltus.simulator(saw { events = {} }, { start_time = 0.25 })
    local log = saltus.log(sim, { "x", every = 0.1 })
    sim:advance_to(0.5)
    assert.same({ 3 * 0.1, 0.4, 0.5 }, copy(log.time))
  end)
end)

-- Mirrors src/engine/recorder_arcs.c.
describe("between the rows of steps", function()
  local function pendulum(more)
    local def = { name = "pendulum", q = { { "x", 1 } }, v = { "w" }, discrete = { "n" },
      derivatives = function(ctx, dot) dot.x, dot.w = ctx.w, -9 * math.sin(ctx.x) end,
      outputs = { energy = function(ctx) return ctx.w ^ 2 end, above = function(ctx) return math.max(0, ctx.x) end,
        side = function(ctx) return ctx.x > 0 and 1 or 0 end },
      events = { { name = "zero", witness = function(ctx) return ctx.x end, direction = "falling",
        discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }
    for k, v in pairs(more or {}) do def[k] = v end
    return saltus.system(def)
  end

  local methods = { "tsitouras5", "dormand_prince8", "runge_kutta3", "bogacki_shampine3", "runge_kutta4",
    "runge_kutta5", "radau5", "rodas4", "auto" }
  for _, method in ipairs(methods) do
    it("log:at answers what the dense output of the step has, with " .. method, function()
      local options = { integrator = method, accuracy = 1e-6, fixed_step = method == "runge_kutta4", max_step = 0.5 }
      local sim = saltus.simulator(pendulum(), options)
      local log, all = saltus.log(sim, { "x", "w", "n" }), saltus.log(sim, { "x", "w", "n", every = 0.01 })
      sim:advance_to(5)
      for i = 1, #all do
        local there = log:at(math.min(all.time[i], 5))
        assert.near(all.x[i], there.x, 1e-12)
        assert.near(all.w[i], there.w, 1e-11)
        assert.equal(all.n[i], there.n)
      end
    end)
  end

  it("log:at is as accurate as the run, before, at and after events", function()
    local g, share = 9.81, 0.8
    local ball = saltus.system { name = "ball", q = { { "height", 10 } }, v = { "speed" },
      derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -g end,
      events = { { name = "bounce", witness = function(ctx) return ctx.height end, direction = "falling",
        unrestricted_update = function(ctx, next) next.height, next.speed = 0, -share * ctx.speed end } } }
    local function exact(t)
      local since, speed = -math.sqrt(20 / g), math.sqrt(20 * g) -- as if thrown up from the floor before the start
      while t - since > 2 * speed / g do since, speed = since + 2 * speed / g, speed * share end
      return speed * (t - since) - g * (t - since) ^ 2 / 2
    end
    local sim = saltus.simulator(ball)
    local log = saltus.log(sim, { "height" })
    sim:advance_to(6)
    assert.is_true(#log < 20)
    for i = 0, 600 do assert.near(exact(i / 100), log:at(i / 100).height, 1e-9) end
  end)

  it("outputs are as smooth as they were, and where they bend or jump inside a step they hardly overshoot", function()
    local sim = saltus.simulator(pendulum { events = {} })
    local log = saltus.log(sim, { "energy", "above", "side" })
    local all = saltus.log(sim, { "energy", "above", every = 0.01 })
    sim:advance_to(5)
    for i = 1, #all do
      local there = log:at(math.min(all.time[i], 5))
      assert.near(all.energy[i], there.energy, 2e-5)
      assert.near(all.above[i], there.above, 0.03)
      assert.is_true(there.side >= 0 and there.side <= 1 and there.above >= -0.005)
    end
  end)

  it("what is constant is so to the bit, functions are asked at rows alone, and vectors are followed", function()
    local asked = 0
    local sim = saltus.simulator(saltus.system { name = "s", z = { { "still", 0.1 }, { "r", { 0, 1 } } },
      derivatives = function(ctx, dot) dot.still, dot.r = 0, { ctx.r[2], -ctx.r[1] } end })
    local log = saltus.log(sim, { "still", "r", f = function() asked = asked + 1 return asked end })
    sim:advance_to(3)
    for i = 0, 300 do
      local there = log:at(i / 100)
      assert.equal(0.1, there.still)
      assert.near(math.sin(i / 100), there.r[1], 1e-5)
      assert.near(math.cos(i / 100), there.r[2], 1e-5)
    end
    assert.equal(#log, asked)
    local first, second = log.time[2], log.time[3]
    assert.near(2.5, log:at((first + second) / 2).f, 1e-12)
  end)

  it("there is a line where every second row went, and where the log does not know the way", function()
    local sim = saltus.simulator(pendulum { events = {} }, { max_step = 0.1 })
    local log, bounded = saltus.log(sim, { "x" }), saltus.log(sim, { "x", most_rows = 16 })
    sim:advance_to(5)
    assert.is_true(#bounded < 16)
    local a, b = bounded.time[2], bounded.time[3]
    assert.near((bounded.x[2] + bounded.x[3]) / 2, bounded:at((a + b) / 2).x, 1e-12)
    assert.is_true(math.abs(log:at((a + b) / 2).x - bounded:at((a + b) / 2).x) > 1e-3)
  end)

  it("a copy and a run that was loaded know it too", function()
    local sim = saltus.simulator(pendulum())
    local log = saltus.log(sim, { "x" })
    sim:advance_to(1.25)
    local twin, saved = log:clone(sim:clone()), sim:save()
    local one = log:at(0.7).x
    sim:advance_to(2)
    local two = log:at(1.7).x
    sim:load(saved)
    sim:advance_to(2)
    assert.same({ one, one, two }, { twin:at(0.7).x, log:at(0.7).x, log:at(1.7).x })
  end)

  it("what was written between two calls is where a step begins", function()
    local sim = saltus.simulator(saltus.system { name = "s", z = { "still", "x" }, inputs = { { "u", 1 } },
      outputs = { force = function(ctx) return ctx.u * (1 + ctx.x) end },
      derivatives = function(ctx, dot) dot.still, dot.x = 0, ctx.x end })
    local log = saltus.log(sim)
    sim:advance_to(1)
    sim.context.still, sim.context.x, sim.context.u = 100, 1, 50
    sim:advance_to(2)
    for i = 101, 200 do
      local there = log:at(i / 100)
      assert.equal(100, there.still)
      assert.near(math.exp(i / 100 - 1), there.x, 1e-5)
      assert.near(50 * (1 + math.exp(i / 100 - 1)), there.force, 1e-3)
    end
    assert.same({ 0, 0 }, { log:at(0.99).still, log:at(1).still })
  end)

  it("a row that could not be read leaves a line", function()
    local fails = false
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x" },
      derivatives = function(ctx, dot) dot.x = 2 * ctx.time end }, { max_step = 1, initial_step = 1 })
    local log = saltus.log(sim, { "x", f = function() return fails and error "not now" or 0 end })
    sim:advance_to(1)
    fails = true
    assert.error(function() sim:advance_to(2) end)
    fails = false
    sim:advance_to(3)
    assert.same({ 0, 1, 3 }, { log.time[1], log.time[2], log.time[3] })
    assert.near(0.25, log:at(0.5).x, 1e-12)
    assert.near(5, log:at(2).x, 1e-12) -- between 1 and 9
  end)

  it("a step begins behind an update that has no row", function()
    local fails = false
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 0 end,
      events = { { name = "jump", every = 1, offset = 1,
        unrestricted_update = function(ctx, next) next.x = ctx.x + 100 end } } })
    local log = saltus.log(sim, { "x", f = function() return fails and error "not now" or 0 end })
    sim:advance_to(1)
    fails = true
    assert.error(function() sim:advance_pending_events() end)
    fails = false
    sim:advance_to(1.5)
    log:stop()
    sim:advance_to(2)
    log:start()
    sim:advance_to(2.5)
    for _, t in ipairs { 1.01, 1.2, 1.5 } do assert.equal(100, log:at(t).x) end
    assert.equal(200, log:at(2.5).x)
  end)

  it("a plot is a curve", function()
    local sim = saltus.simulator(pendulum { events = {} })
    local log, all = saltus.log(sim, { "x", "w" }), saltus.log(sim, { "x", "w", every = 0.001 })
    sim:advance_to(2)
    local group = require("saltus.plot.series").of(log, { { "x", "w" } }).groups[1]
    assert.is_true(#group.time > 10 * #log)
    assert.same({ #group.time, #group.time }, { #group.signals[1].values, #group.signals[2].values })
    for i = 2, #group.time do
      local t = (group.time[i - 1] + group.time[i]) / 2
      local drawn = (group.signals[1].values[i - 1] + group.signals[1].values[i]) / 2
      assert.near(all:at(t).x, drawn, 2e-3)
      assert.is_true(group.time[i] > group.time[i - 1])
    end
    local phase = require("saltus.plot.series").of(log, { { "w" }, x = "x" })
    assert.equal(#group.time, #phase.groups[1].time)
  end)
end)

describe("watching", function()
  local function system()
    return saltus.system { name = "s", q = { { "x", 1 } }, v = { "w" }, discrete = { "n" },
      derivatives = function(ctx, dot) dot.x, dot.w = ctx.w, -9 * math.sin(ctx.x) end,
      outputs = { e = function(ctx) return ctx.w ^ 2 end },
      events = { { name = "zero", witness = function(ctx) return ctx.x end, discrete_update = function(ctx, next)
        next.n = ctx.n + 1 end }, { every = 0.7, publish = function() end } } }
  end
  local function run(watch, options)
    local sim = saltus.simulator(system(), options)
    local log = watch(sim)
    sim:advance_to(10)
    local stats = {}
    for key, value in pairs(sim.stats) do stats[key] = value end
    return { stats = stats, x = sim.context.x, w = sim.context.w, n = sim.context.n }, log
  end

  for _, method in ipairs { "tsitouras5", "runge_kutta3", "bogacki_shampine3", "runge_kutta5" } do
    it("changes no step, no count, no bit, with " .. method, function()
      local options = { integrator = method }
      local alone = run(function() end, options)
      for _, every in ipairs { 0.001, 0.37 } do
        assert.same(alone, (run(function(sim) return saltus.log(sim, { "x", "e", every = every }) end, options)))
      end
      assert.same(alone, (run(function(sim) return saltus.log(sim) end, options)))
    end)
  end

  it("on two grids gives the same bits at shared times", function()
    local _, fine = run(function(sim) return saltus.log(sim, { "x", "w", every = 0.125 }) end)
    local _, coarse = run(function(sim) return saltus.log(sim, { "x", "w", every = 0.5 }) end)
    assert.equal(21, #coarse)
    for i = 1, 21 do assert.same({ fine.x[4 * i - 3], fine.w[4 * i - 3] }, { coarse.x[i], coarse.w[i] }) end
  end)
end)

describe("a log's events", function()
  it("are all that fired, in their order, initialization included", function()
    local sim = saltus.simulator(saw { events = {
      { name = "begin", at = "initialization", discrete_update = function() end },
      { name = "show", at = "initialization", publish = function() end },
      { name = "tick", every = 1, publish = function() end } } })
    local log = saltus.log(sim, { "x" })
    sim:advance_to(1.5)
    local seen = {}
    for _, e in ipairs(log.events) do seen[#seen + 1] = ("%s %g"):format(e.name, e.time) end
    assert.same({ "begin 0", "show 0", "tick 0", "tick 1" }, seen)
  end)

  it("leave out what was undone, so that a repeated instant counts once", function()
    local on = true
    local sim = saltus.simulator(saw { events = {
      { name = "good", every = 1, unrestricted_update = function(ctx, next) next.n = ctx.n + 1 end },
      { name = "bad", every = 1, discrete_update = function(ctx) if on
        and ctx.time == 1 then return saltus.fail "no" end end },
    } })
    local log = saltus.log(sim, { "n" })
    for _ = 1, 3 do assert.has_error(function() sim:advance_to(2.5) end) end
    on = false
    sim:advance_to(2.5)
    assert.same({ 0, 1, 2 }, log:times "good")
    assert.same({ 0, 1, 2 }, log:times "bad")
    assert.equal(3, sim.context.n)
  end)
end)

describe("several logs", function()
  it("each see everything, even when one of them fails", function()
    local sim = saltus.simulator(saw { events = {} }, fixed)
    local shown = 0
    local failing = saltus.log(sim, { f = function(ctx) if ctx.time == 0.5 then error("no", 0) end return 1 end })
    local other = saltus.log(sim, { "x" })
    sim.monitor = function() shown = shown + 1 end
    assert.error_matches(function() sim:advance_to(1) end, "no %(in a log at t = 0.5%)")
    sim:advance_to(1)
    assert.same({ 0, 0.25, 0.5, 0.75, 1 }, copy(other.time))
    assert.equal(5, shown)
    assert.same({ 0, 0.25, 0.75, 1 }, copy(failing.time))
  end)

  it("take functions that answer numbers", function()
    local sim = saltus.simulator(saw(), fixed)
    local log = saltus.log(sim, { f = function() return "x" end })
    assert.error_matches(function() sim:advance_to(1) end, '"f" of the log answered "x"; a number is wanted')
    assert.equal(0, #log)
  end)
end)

describe("samples and times within rounding", function()
  local function counting()
    return saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, discrete = { "n" },
      derivatives = function(ctx, dot) dot.x = -ctx.x end,
      events = { { name = "tick", every = 0.5, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } })
  end

  it("are one instant: 3 * 0.1 is taken at a stop of 0.3", function()
    local sim = counting()
    local log = saltus.log(sim, { every = 0.1 })
    sim:advance_to(0.3)
    assert.same({ 4, 3 * 0.1 }, { #log.time, log.time[#log.time] })
    sim:advance_to(0.5)
    assert.same({ 6, 0.5 }, { #log.time, log.time[#log.time] })
    local times = {}
    for t in counting():steps(0.3, 0.1) do times[#times + 1] = t end
    assert.same({ 0.1, 0.2, 3 * 0.1 }, times)
  end)

  it("are logged once when a run is loaded before the updates of its instant", function()
    local sim = counting()
    local log = saltus.log(sim)
    sim:advance_to(1) -- the tick at 1 is still to come
    local saved = sim:save()
    sim:advance_to(2)
    local events, rows = #log.events, #log.time
    sim:load(saved)
    assert.equal(2, #log.events)
    sim:advance_to(2)
    assert.same({ events, rows }, { #log.events, #log.time })
  end)

  it("are logged by as many logs as one makes, if they are let go; a log may be collected at work", function()
    local sim = counting()
    for _ = 1, 200 do saltus.log(sim, { f = function(ctx) collectgarbage() return ctx.x end }) end
    assert.equal("reached_boundary_time", sim:advance_to(1).reason)
    local kept = {}
    local ok, message = pcall(function() for i = 1, 200 do kept[i] = saltus.log(sim) end end)
    assert.is_false(ok)
    assert.is_true(#kept >= 60 and message:find("more than 60", 1, true) ~= nil)
  end)

  it("of a loop end with a message when the loop's body advances the simulator", function()
    local sim = counting()
    local ok, message = pcall(function() for _ in sim:steps(1, 0.1) do sim:advance_to(sim.context.time + 0.6) end end)
    assert.is_false(ok)
    assert.is_truthy(message:find("is gone; was the simulator advanced inside the loop?", 1, true), message)
  end)
end)

describe("log.events", function()
  it("has the firings of a witness without a handler, where its guard holds", function()
    local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", -1 } },
      derivatives = function(_, dot) dot.x = 1 end,
      events = {
        { name = "zero", witness = function(ctx) return ctx.x end },
        { name = "guarded", witness = function(ctx) return ctx.x - 0.5 end, when = function() return false end },
      } })
    local log = saltus.log(sim)
    sim:advance_to(2)
    assert.equal(1, #log.events)
    assert.near(1, log.events[1].time, 1e-9)
    assert.equal(0, sim.stats.publishes)
  end)
end)

describe("a log that is stopped", function()
  it("has neither rows nor events until it starts again, and says where the gap is", function()
    for _, every in ipairs { 0.25, false } do
      local sim = saltus.simulator(saw(), fixed)
      local log = saltus.log(sim, { "x", every = every or nil })
      sim:advance_to(0.5)
      log:stop()
      sim:advance_to(1.75)
      log:start()
      sim:advance_to(2.5)
      local times = copy(log.time)
      local gap
      for i, mark in ipairs(copy(log.marks)) do if mark == 2 then gap = i end end
      assert.same({ 0, 0.25, 0.5 }, { times[1], times[2], times[3] })
      assert.equal(4, gap)
      assert.is_true(times[4] >= 1.75)
      assert.equal(1, #log:times "tooth") -- that of t = 2; the one of t = 1 was not seen
      assert.has_error(function() log:at(1) end,
        ("log:at: the log was stopped from 0.5 to %s s"):format(require("saltus.names").show(times[4])))
      assert.near(0.25, log:at(0.25).x, 1e-9)
    end
  end)

  it("is drawn with a gap", function()
    local sim = saltus.simulator(saw(), fixed)
    local log = saltus.log(sim, { "x", every = 0.25 })
    sim:advance_to(0.5)
    log:stop()
    sim:advance_to(0.75)
    log:start()
    sim:advance_to(0.95)
    local picture = require("saltus.plot.series").of(log, {})
    local values = picture.groups[1].signals[1].values
    assert.equal(#picture.groups[1].time, #values)
    assert.equal(#log + 1, #values)
    assert.is_true(values[4] ~= values[4])
  end)
end)

describe("a log on demand", function()
  it("has a row where it is asked for, from outside, a publish or the monitor", function()
    local log
    local sim = saltus.simulator(saw { events = { { name = "ask", every = 0.5, offset = 0.5,
      publish = function() log:sample() end } } }, fixed)
    log = saltus.log(sim, { "x", at = "demand" })
    sim:advance_to(1.2)
    log:sample()
    assert.same({ 0.5, 1, 1.2 }, copy(log.time))
    assert.near(1.2, log.x[3], 1e-12)
    assert.same({ 0.5, 1 }, log:times "ask")
  end)

  it("refuses to be asked in the middle of a step", function()
    local log
    local sim = saltus.simulator(saw { events = {}, derivatives = function(ctx, dot)
      dot.x = 1
      if ctx.time > 0.1 then log:sample() end
    end }, fixed)
    log = saltus.log(sim, { "x", at = "demand" })
    assert.error_matches(function() sim:advance_to(1) end, "log:sample: a step is under way")
    assert.equal(0, #log)
  end)

  it("hands on what its functions raise", function()
    local sim = saltus.simulator(saw(), fixed)
    local log = saltus.log(sim, { wrong = function() error("no such luck", 0) end, at = "demand" })
    assert.has_error(function() log:sample() end, "no such luck")
    assert.equal(0, #log)
  end)

  it("is told from a period, and knows no other place", function()
    local sim = saltus.simulator(saw())
    assert.has_error(function() saltus.log(sim, { "x", at = "step" }) end,
      'saltus.log: at can be "demand" only, got "step"')
    assert.has_error(function() saltus.log(sim, { "x", at = "demand", every = 1 }) end,
      'saltus.log: give every or at = "demand", not both')
  end)
end)

describe("a log of bounded size", function()
  it("keeps the multiples of a period that doubles", function()
    local sim = saltus.simulator(saw(), fixed)
    local log = saltus.log(sim, { "x", "n", every = 0.01, most_rows = 100 })
    local all = saltus.log(sim, { "x", "n", every = 0.01 })
    for stop = 1, 40 do
      sim:advance_to(stop)
      assert.is_true(#log < 100)
    end
    assert.is_true(#log >= 50)
    local step = log.time[2] - log.time[1]
    for i = 1, #log do
      assert.near((i - 1) * step, log.time[i], 1e-9)
      local row = math.floor(log.time[i] / 0.01 + 0.5) + 1
      assert.same({ all.time[row], all.x[row], all.n[row] }, { log.time[i], log.x[i], log.n[i] })
    end
  end)

  it("keeps every 2^k-th step, with what an update made of it", function()
    local sim = saltus.simulator(saw { events = { { name = "count", every = 0.5,
      discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }, fixed)
    local log = saltus.log(sim, { "n", most_rows = 32 })
    local all = saltus.log(sim, { "n" })
    sim:advance_to(100)
    local step, wanted = 0, {}
    local stride = math.floor((log.time[3] - log.time[1]) / 0.25 + 0.5)
    local keeps
    for i = 1, #all do
      if all.marks[i] ~= 1 then
        keeps = step % stride == 0
        step = step + 1
      end
      if keeps then wanted[#wanted + 1] = { all.time[i], all.marks[i], all.n[i] } end
    end
    assert.is_true(#log < 32 and stride >= 16)
    assert.equal(#wanted, #log)
    for i, row in ipairs(wanted) do assert.same(row, { log.time[i], log.marks[i], log.n[i] }) end
  end)

  it("keeps the last events", function()
    local sim = saltus.simulator(saw { events = { { name = "blink", every = 0.01, publish = function() end } } }, fixed)
    local log = saltus.log(sim, { "x", every = 1, most_rows = 16 })
    sim:advance_to(10)
    local times = log:times "blink"
    assert.is_true(#times >= 16 and #times <= 32)
    for i = 1, #times do assert.near(10 - 0.01 * (#times - i), times[i], 1e-9) end
  end)

  it("refuses bounds that are none", function()
    local sim = saltus.simulator(saw())
    for _, most in ipairs { 15, -1, 0.5, "100" } do
      assert.error_matches(function() saltus.log(sim, { "x", most_rows = most }) end,
        "saltus.log: most_rows must be a whole number of at least 16, got")
    end
  end)
end)

describe("a log's clone", function()
  it("has what the log has, and goes on with the clone of the run", function()
    local sim = saltus.simulator(saw(), fixed)
    local log = saltus.log(sim, { "x", half = function(ctx) return ctx.x / 2 end, every = 0.1 })
    sim:advance_to(1.5)
    local other = sim:clone()
    local its = log:clone(other)
    assert.same(copy(log.time), copy(its.time))
    assert.same(copy(log.half), copy(its.half))
    assert.same(log:times "tooth", its:times "tooth")
    other.context.x = 0.9
    other:advance_to(2.5)
    assert.same({ 16, 26 }, { #log, #its })
    sim:advance_to(2.5)
    assert.equal(26, #log)
    assert.is_true(log.x[20] ~= its.x[20])
    assert.equal(its.x[20] / 2, its.half[20])
    assert.same(select(2, pcall(log.at, log, 1.2)), its:at(1.2))
  end)

  it("wants a clone", function()
    local log = saltus.log(saltus.simulator(saw()), { "x" })
    local other = saltus.simulator(saltus.system { name = "s", z = { "y" },
      derivatives = function(_, dot) dot.y = 1 end })
    assert.error_matches(function() log:clone(other) end, "unknown name")
  end)
end)
