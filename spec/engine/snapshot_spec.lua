-- Mirrors src/engine/snapshot.c, seen through sim:save, load, clone, copy_from and hash: a run goes on
-- from where it was saved as if nothing had happened, to the bit.
local saltus = require "saltus"
local cases = require "spec.support.cases"

local function falling(ctx) return ctx.mode == "falling" end

-- States of every kind, a timer, a variable that holds a time, a witness, draws.
local ball = saltus.system {
  name = "ball",
  q = { { "height", 1 } }, v = { { "speed", 0 } },
  discrete = { { "mode", "falling", values = { "falling", "resting" } }, { "wake", 0.35 }, ticks = 0 },
  abstract = { { "bounces", {} } },
  params = { gravity = 9.81 },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, falling(ctx) and -ctx.gravity or 0 end,
  events = {
    { name = "bounce", when = falling, direction = "falling", witness = function(ctx) return ctx.height end,
      unrestricted_update = function(ctx, next)
        next.height, next.speed = 0, -(0.78 + 0.02 * next.random()) * ctx.speed
        next.bounces[#next.bounces + 1] = ctx.time
      end,
      on_zeno = function(_, next) next.mode, next.height, next.speed = "resting", 0, 0 end },
    { name = "tick", every = 0.1, discrete_update = function(_, next) next.ticks = next.ticks + 1 end },
    { name = "nap", next_time = "wake", discrete_update = function(ctx, next) next.wake = ctx.time + 0.3 end },
    { name = "kick", at = "demand", unrestricted_update = function(_, next) next.speed = next.speed + 1 end },
  },
}

local function outcome(sim)
  return { sim:hash(), sim.context.height, sim.context.ticks, sim.context.wake, #sim.context.bounces }
end

describe("sim:save and sim:load", function()
  it("continue to the same bits from any point", function()
    local whole = saltus.simulator(ball, { seed = 7 })
    local saved = {}
    for i, t in ipairs { 0, 0.2, 0.35, 1.1, 2.7 } do
      whole:advance_to(t)
      saved[i] = whole:save()
    end
    whole:advance_to(6)
    local wanted = outcome(whole)
    for _, bytes in ipairs(saved) do
      whole:load(bytes)
      whole:advance_to(6)
      assert.same(wanted, outcome(whole))
    end
  end)

  it("include the random streams: a simulator with another seed continues to the same bits", function()
    local sim, other = saltus.simulator(ball, { seed = 7 }), saltus.simulator(ball, { seed = 8 })
    sim:advance_to(0.3)
    other:load(sim:save())
    sim:advance_to(2) -- several bounces, a draw each
    other:advance_to(2)
    assert.same(outcome(sim), outcome(other))
  end)

  it("do not change the saved run, which continues to the same bits", function()
    local function wave(method)
      return saltus.simulator(saltus.system { name = "wave", q = { { "x", 1 } }, v = { "u" }, discrete = { "n" },
        derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x + 0.3 * (1 - ctx.x ^ 2) * ctx.u end,
        events = {
          { name = "seen", witness = function(ctx) return ctx.x end, publish = function() end },
          { name = "high", witness = function(ctx) return ctx.u - 0.5 end, direction = "rising" },
          { name = "count", every = 0.7, discrete_update = function(ctx, next) next.n = ctx.n + ctx.x end },
        } }, { integrator = method, accuracy = 1e-5 })
    end
    for _, method in ipairs { "auto", "tsitouras5", "dormand_prince8", "runge_kutta3", "radau5", "rodas4", "radau3",
      "implicit_euler" } do
      local undisturbed, saving = wave(method), wave(method)
      local heard = {}
      for t in undisturbed:steps(12) do heard[#heard + 1] = t end
      local k, saved = 0, {}
      for t in saving:steps(12) do
        k = k + 1
        assert.equal(heard[k], t)
        saved[k] = saving:save()
      end
      assert.equal(#heard, k)
      assert.equal(undisturbed:hash(), saving:hash())
      for i = 1, k, k // cases(k // 3) do
        local other = wave(method)
        other:load(saved[i])
        other:advance_to(12)
        assert.equal(undisturbed:hash(), other:hash())
      end
    end
  end)

  it("work in a new simulator of the same system", function()
    local first, second = saltus.simulator(ball), saltus.simulator(ball)
    first:advance_to(1.3)
    second:load(first:save())
    assert.equal(first:hash(), second:hash())
    first:advance_to(4)
    second:advance_to(4)
    assert.same(outcome(first), outcome(second))
  end)

  it("include a run that has not begun, also with delays", function()
    local late = saltus.system { name = "late", z = { { "x", 1 } }, past = { x = 1 }, history = { x = 1 },
      derivatives = function(ctx, dot) dot.x = -ctx.past.x(1) end }
    local sim = saltus.simulator(late)
    local twin = sim:clone()
    sim:advance_to(2)
    twin:advance_to(2)
    assert.equal(sim:hash(), twin:hash())
  end)

  it("of a run that has not begun bring any run back to its start, whatever it has learned since", function()
    for _, method in ipairs { "auto", "tsitouras5", "runge_kutta3", "radau5", "implicit_euler" } do
      local options = { seed = 7, integrator = method }
      local fresh = saltus.simulator(ball, options)
      local start = fresh:save()
      fresh:advance_to(3)
      local wanted, steps = outcome(fresh), fresh.stats.steps
      local sim = saltus.simulator(ball, options)
      for k = 1, 12 do
        sim:load(start)
        sim:advance_to(3)
        assert.same(wanted, outcome(sim))
        assert.equal(steps, sim.stats.steps)
        sim:load(start)
        sim:advance_to(0.43 * k) -- between and just before touches, with an interrupted step, fired events and a rest
        if k % 3 == 0 then sim:steps(9)() end
      end
    end
  end)

  it("serve a simulator whose matrices have another shape, which continues from the state", function()
    local rod = saltus.system { name = "rod", z = { { "u", 1, size = 40 } },
      derivatives = function(ctx, dot)
        local u, rate = ctx.u, {}
        for i = 1, #u do rate[i] = 100 * ((u[i - 1] or 0) - 2 * u[i] + (u[i + 1] or 0)) end
        dot.u = rate
      end }
    local function with(method, pattern)
      return saltus.simulator(rod, { integrator = method, jacobian_pattern = pattern, accuracy = 1e-7 })
    end
    local patterns = { "find", "dense", { lower = 1, upper = 1 }, { lower = 3, upper = 2 } }
    for _, method in ipairs { "radau5", "auto" } do
      for _, one in ipairs(patterns) do
        local sim = with(method, one)
        sim:advance_to(0.3)
        local saved = sim:save()
        sim:advance_to(1)
        for _, other in ipairs(patterns) do
          local twin = with(method, other)
          twin:load(saved)
          twin:advance_to(1)
          assert.near(sim.context.u[7], twin.context.u[7], 1e-6)
        end
      end
    end
  end)

  it("include scheduled events, and fired events that wait for their handlers", function()
    local sim = saltus.simulator(ball)
    sim:schedule(0.5, "kick")
    sim:advance_to(0.4515236409857) -- about the first bounce
    local bytes = sim:save()
    sim:advance_to(1)
    local wanted = sim:hash()
    sim:load(bytes)
    sim:advance_to(1)
    assert.equal(wanted, sim:hash())
  end)

  it("make a log drop its later rows", function()
    local sim = saltus.simulator(ball)
    local log = saltus.log(sim, { "height", every = 0.25 })
    sim:advance_to(1)
    local bytes, rows = sim:save(), #log.time
    sim:advance_to(3)
    sim:load(bytes)
    assert.equal(rows, #log.time)
    sim:advance_to(3)
    assert.equal(13, #log.time)
    for i = 1, #log.time do assert.equal((i - 1) * 0.25, log.time[i]) end
  end)

  it("reject bytes that are damaged or of another system, and change nothing", function()
    local sim = saltus.simulator(ball)
    sim:advance_to(1)
    local bytes, before = sim:save(), sim:hash()
    local other = saltus.simulator(saltus.system { name = "other", discrete = { x = 0 } })
    local damaged = bytes:sub(1, -2) .. string.char(bytes:byte(-1) ~ 1)
    for _, wrong in ipairs { "", bytes:sub(1, -2), damaged, bytes .. "x", other:save() } do
      assert.error_matches(function() sim:load(wrong) end, 'was not saved by a simulator of "ball", or it is damaged')
    end
    assert.error_matches(function() sim:load(3) end, "load takes what save returned, got 3")
    assert.equal(before, sim:hash())
  end)
end)

describe("a mode", function()
  local function valve(values, inputs)
    return saltus.simulator(saltus.system { name = "valve", discrete = { { "mode", "open", values = values } },
      params = { { "kind", "ball", values = { "ball", "gate" } } }, inputs = inputs,
      events = { { name = "look", every = 0.3, publish = function() end } } })
  end

  it("is one of the same words in the same order, or the run is of another system", function()
    local sim = valve { "closed", "open", "broken" }
    sim:advance_to(1)
    local saved = sim:save()
    for _, other in ipairs { { "broken", "open", "closed" }, { "closed", "open" }, { "closed", "open", "Broken" },
      { "closed", "open", "broken", "stuck" } } do
      local twin = valve(other)
      assert.error_matches(function() twin:load(saved) end, 'not saved by a simulator of "valve"')
      assert.equal("open", twin.context.mode)
    end
    local twin = valve { "closed", "open", "broken" }
    twin:load(saved)
    assert.equal("open", twin.context.mode)
  end)

  it("is loaded as an input too, with a value or without", function()
    local sim = valve({ "open", "closed" }, { { "want", values = { "open", "closed" } } })
    local saved = sim:save()
    sim.context.want, sim.context.kind = "closed", "gate"
    local later = sim:save()
    sim:load(saved)
    assert.equal("ball", sim.context.kind)
    sim:load(later)
    assert.same({ "closed", "gate" }, { sim.context.want, sim.context.kind })
  end)
end)

describe("sim:clone", function()
  it("is the same run from there on, until something differs", function()
    local sim = saltus.simulator(ball, { seed = 3, accuracy = 1e-5 })
    sim:advance_to(0.9)
    local twin = sim:clone()
    sim:advance_to(2)
    twin:advance_to(2)
    assert.equal(sim:hash(), twin:hash())
    twin.context.gravity = 5
    sim:advance_to(3)
    twin:advance_to(3)
    assert.not_equal(sim:hash(), twin:hash())
  end)

  it("has the current settings", function()
    local swing = saltus.system { name = "swing", q = { { "x", 1 } }, v = { "u" },
      derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -math.sin(ctx.x) end,
      events = { { name = "through", witness = function(ctx) return ctx.x end,
        unrestricted_update = function(_, next) next.u = 1.01 * next.u end } } }
    local changes = {
      function(sim) sim:set_integrator("bogacki_shampine3", { accuracy = 1e-4 }) end,
      function(sim) sim.integrator:set_target_accuracy(1e-9) end,
      function(sim) sim.integrator:set_generalized_state_weight_vector { 100 } end,
      function(sim) sim:set_context_accuracy(0.1) end,
    }
    local sim = saltus.simulator(swing)
    for i, change in ipairs(changes) do
      sim:advance_to(2 * i)
      change(sim)
      sim:advance_to(2 * i + 1)
      local twin = sim:clone()
      sim:advance_to(2 * i + 2)
      twin:advance_to(2 * i + 2)
      assert.equal(sim:hash(), twin:hash())
      assert.equal(sim.integrator.name, twin.integrator.name)
    end
  end)
end)

describe("sim:hash", function()
  it("is 16 hex digits of time, state and parameters", function()
    local sim = saltus.simulator(ball)
    local first = sim:hash()
    assert.matches("^%x+$", first)
    assert.equal(16, #first)
    sim.context.gravity = 9.8
    assert.not_equal(first, sim:hash())
    sim.context.gravity = 9.81
    assert.equal(first, sim:hash())
    sim.context.time = 1
    assert.not_equal(first, sim:hash())
  end)
end)

describe("sim:copy_from", function()
  local function run(t)
    local sim = saltus.simulator(ball, { seed = 4 })
    if t then sim:advance_to(t) end
    return sim
  end

  it("continues from the point of another simulator, to the bit", function()
    local sim, other = run(0.9), run(2.2)
    sim:schedule(1.1, "kick")
    other:copy_from(sim)
    assert.same(outcome(sim), outcome(other))
    assert.equal(sim:save(), other:save())
    sim:advance_to(3)
    other:advance_to(3)
    assert.same(outcome(sim), outcome(other))
  end)

  it("takes a run that has not begun, and goes back to it", function()
    local sim, other = run(), run(1)
    sim.context.height = 2
    other:copy_from(sim)
    sim:advance_to(1)
    other:advance_to(1)
    assert.equal(sim:hash(), other:hash())
  end)

  it("takes watches with what they remember, and its own context", function()
    local sim, other = run(0.1), run()
    other:watch(function(ctx) return ctx.time - 50 end) -- has the same handle, and goes
    sim:watch(function(ctx) return ctx.time - 0.5 end)
    sim:watch "height < 0.5"
    other:copy_from(sim)
    for _ = 1, 2 do
      local a, b = sim:advance_to(1), other:advance_to(1)
      assert.same({ a.reason, a.time }, { b.reason, b.time })
      assert.equal("reached_watch", a.reason)
    end
  end)

  it("drops the rows of logs that are ahead", function()
    local sim, other = run(0.5), run()
    local log = saltus.log(other, { "height", every = 0.1 })
    other:advance_to(1)
    other:copy_from(sim)
    assert.is_true(#log.time <= 6 and log.time[#log.time] <= 0.5)
  end)

  it("refuses other systems, other integrators and stories, with words", function()
    local sim, other = run(0.3), run(0.4)
    local hash = sim:hash()
    local function refused(from, words)
      assert.error_matches(function() sim:copy_from(from) end, words, 1, true)
      assert.equal(hash, sim:hash())
    end
    refused(saltus.simulator(ball, { integrator = "radau5" }), "do not have the same system and integrator")
    refused(saltus.simulator(saltus.blocks.sine {}), "do not have the same system and integrator")
    refused("ball", "copy_from takes another simulator of the same system")
    saltus.stories(other):spawn(function(s) s:wait(1) end)
    refused(other, "a run with stories is copied by sim:clone() only")
  end)
end)
