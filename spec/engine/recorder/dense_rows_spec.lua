-- Mirrors src/engine/recorder/dense_rows.c: what a log shows between the rows of steps.
local saltus = require "saltus"

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
    it("log:at returns the dense output of the step, with " .. method, function()
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

  local function oscillator()
    return saltus.system { name = "oscillator", z = { { "x", 1 }, "u" },
      derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x end }
  end
  local function error_between(log, until_time)
    local worst = 0
    for k = 0, 700 do
      local t = until_time * k / 700
      worst = math.max(worst, math.abs(log:at(t).x - math.cos(t)))
    end
    return worst
  end

  for _, accuracy in ipairs { 1e-4, 1e-6, 1e-8, 1e-9, 1e-11 } do
    it("log:at is accurate to ten times the accuracy with the default method, at " .. accuracy, function()
      local sim = saltus.simulator(oscillator(), { accuracy = accuracy })
      local log = saltus.log(sim)
      sim:advance_to(7)
      assert.is_true(error_between(log, 7) < 10 * accuracy, error_between(log, 7) / accuracy)
    end)
  end

  it("log:at is as accurate as a method that is chosen after the log was made, before or during the run", function()
    local sim = saltus.simulator(oscillator(), { integrator = "runge_kutta3", accuracy = 1e-6 })
    local log = saltus.log(sim)
    sim:set_integrator("dormand_prince8", { accuracy = 1e-9 })
    sim:advance_to(4)
    assert.is_true(error_between(log, 4) < 1e-8, error_between(log, 4))
    sim:set_integrator("tsitouras5", { accuracy = 1e-4 })
    sim:advance_to(5)
    sim:set_integrator("auto", { accuracy = 1e-10 })
    sim:advance_to(7)
    assert.is_true(error_between(log, 2) < 1e-8, error_between(log, 2))
    for i = 2, #log do
      local t = (log.time[i - 1] + log.time[i]) / 2
      if t > 5 then assert.near(math.cos(t), log:at(t).x, 1e-4) end
    end
  end)

  it("a log that meets a finer method during the run shows the same as before", function()
    local sim = saltus.simulator(pendulum(), { integrator = "tsitouras5" })
    local log = saltus.log(sim)
    sim:advance_to(4)
    local before, last = {}, log.time[#log - 1]
    for i = 0, 100 do before[i] = log:at(last * i / 100) end
    sim:set_integrator("dormand_prince8")
    sim:advance_to(5)
    for i = 0, 100 do
      local now = log:at(last * i / 100)
      assert.near(before[i].x, now.x, 1e-13)
      assert.near(before[i].energy, now.energy, 1e-12)
    end
  end)

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

  it("log:at has smooth outputs, with little overshoot where they bend or jump inside a step", function()
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

  it("constants are constant to the bit, functions are called at rows only, and vectors have all elements", function()
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

  it("log:at is linear where every second row was dropped, and where the log has no interpolant", function()
    local sim = saltus.simulator(pendulum { events = {} }, { max_step = 0.1 })
    local log, bounded = saltus.log(sim, { "x" }), saltus.log(sim, { "x", most_rows = 16 })
    sim:advance_to(5)
    assert.is_true(#bounded < 16)
    local a, b = bounded.time[2], bounded.time[3]
    assert.near((bounded.x[2] + bounded.x[3]) / 2, bounded:at((a + b) / 2).x, 1e-12)
    assert.is_true(math.abs(log:at((a + b) / 2).x - bounded:at((a + b) / 2).x) > 1e-3)
  end)

  it("a copy and a loaded run have it too", function()
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

  it("a step begins at values written between two calls", function()
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
    assert.same({ 0, 100 }, { log:at(0.99).still, log:at(1).still }) -- as at an update
  end)

  it("log:at is linear around a row that could not be read", function()
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

  it("a step begins after an update without a row", function()
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
    local group = require("saltus.output.plot.panels").of(log, { { "x", "w" } }).groups[1]
    assert.is_true(#group.time > 10 * #log)
    assert.same({ #group.time, #group.time }, { #group.signals[1].values, #group.signals[2].values })
    for i = 2, #group.time do
      local t = (group.time[i - 1] + group.time[i]) / 2
      local drawn = (group.signals[1].values[i - 1] + group.signals[1].values[i]) / 2
      assert.near(all:at(t).x, drawn, 2e-3)
      assert.is_true(group.time[i] > group.time[i - 1])
    end
    local phase = require("saltus.output.plot.panels").of(log, { { "w" }, x = "x" })
    assert.equal(#group.time, #phase.groups[1].time)
  end)
end)
