-- Mirrors src/engine/recorder/recorder.c and lua/saltus/simulation/recorder.lua: which rows there are, what they show,
-- and that watching changes nothing.
local saltus = require "saltus"
local support = require "spec.support.saw"

local saw, fixed, copy = support.new, support.fixed, support.copy

describe("a log without period", function()
  it("has a row for the start, for each step, and for each update", function()
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

  it("that begins or resumes during a run has a row where its first step starts", function()
    for _, options in ipairs { { accuracy = 1e-9 }, fixed } do
      local sim = saltus.simulator(saw { events = { { name = "up", every = 0.7,
        discrete_update = function(ctx, next) next.n = ctx.n + 1 end } },
        derivatives = function(ctx, dot) dot.x = 3 * ctx.time ^ 2 end }, options)
      sim:advance_to(0.35)
      local log = saltus.log(sim, { "x", "n", "twice", cube = function(ctx) return ctx.x end })
      sim:advance_to(0.6)
      assert.equal(0.35, log.time[1])
      for _, t in ipairs { 0.35, 0.4, 0.5 } do
        assert.near(t ^ 3, log:at(t).x, 1e-9)
        assert.near(2 * t ^ 3, log:at(t).twice, 1e-9)
        assert.equal(1, log:at(t).n)
      end
      assert.near(0.35 ^ 3, log.cube[1], 1e-9)
      log:stop()
      sim:advance_to(0.8)
      log:start()
      sim:advance_to(0.9)
      assert.near(0.8 ^ 3, log:at(0.8).x, 1e-9)
      assert.near(0.85 ^ 3, log:at(0.85).x, 1e-9)
      assert.equal(2, log:at(0.8).n)
      assert.error_matches(function() log:at(0.7) end, "the log was stopped from 0.6 to 0.8 s")
      local twin = sim:clone()
      local other = saltus.log(twin, { "x" })
      twin.context.x = 5
      twin:advance_to(1)
      assert.same({ 0.9, 5 }, { other.time[1], other.x[1] })
    end
  end)

  it("restarts with initialize", function()
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
  it("are all events, in order, with those of initialization", function()
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

  it("omit events that were undone, so that a repeated instant counts once", function()
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
  it("see everything, even when one of them fails", function()
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

  it("take functions that return numbers", function()
    local sim = saltus.simulator(saw(), fixed)
    local log = saltus.log(sim, { f = function() return "x" end })
    assert.error_matches(function() sim:advance_to(1) end, '"f" of the log returned "x"; it must return a number')
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

  it("can have any number of logs, and a log may be collected while it records", function()
    local sim = counting()
    local collected
    local function collect(ctx) -- once a row: with all specs in memory, a collection takes 0.1 s
      if collected ~= ctx.time then collectgarbage() end
      collected = ctx.time
      return ctx.x
    end
    for _ = 1, 200 do saltus.log(sim, { f = collect }) end
    assert.equal("reached_boundary_time", sim:advance_to(1).reason)
    local kept = {}
    local ok, message = pcall(function() for i = 1, 200 do kept[i] = saltus.log(sim) end end)
    assert.is_false(ok)
    assert.is_true(#kept >= 60 and message:find("more than 60", 1, true) ~= nil)
  end)

  it("of a loop raise an error when the loop's body advances the simulator", function()
    local sim = counting()
    local ok, message = pcall(function() for _ in sim:steps(1, 0.1) do sim:advance_to(sim.context.time + 0.6) end end)
    assert.is_false(ok)
    assert.is_truthy(message:find("is before the last step; was the simulator advanced inside the loop?", 1, true),
      message)
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

describe("a log's clone", function()
  it("has the same rows, and continues with the clone of the run", function()
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

  it("needs a clone of the simulator", function()
    local log = saltus.log(saltus.simulator(saw()), { "x" })
    local other = saltus.simulator(saltus.system { name = "s", z = { "y" },
      derivatives = function(_, dot) dot.y = 1 end })
    assert.error_matches(function() log:clone(other) end, "unknown name")
  end)
end)
