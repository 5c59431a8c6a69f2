-- Runs of systems with a past: rolled back, cloned, saved and loaded, begun anew.
local saltus = require "saltus"
local unit_lag = require "spec.support.unit_lag"

describe("a run with a past", function()
  -- A thermostat with dead time: at 14.5 two events are under way in the delay.
  local function thermostat()
    return saltus.system { name = "thermostat", z = { { "T", 15 } },
      discrete = { { "relay", 1 } }, past = { relay = 6, T = 2 },
      derivatives = function(ctx, dot) dot.T = -0.1 * (ctx.T - 10) + 2 * ctx.past.relay(6) + 0.01 * ctx.past.T(2) end,
      events = { { name = "toggle", every = 4,
        discrete_update = function(ctx, next) next.relay = 1 - ctx.relay end } } }
  end

  local function trace(sim, stop)
    local out = {}
    for t, ctx in sim:steps(stop) do out[#out + 1] = ("%a %a"):format(t, ctx.T) end
    return table.concat(out, "\n")
  end

  it("is rolled back and replayed to the bit, with events under way in the delay", function()
    local sim = saltus.simulator(thermostat())
    sim:advance_to(14.5)
    local saved, hash = sim:save(), sim:hash()
    local first = trace(sim, 40)
    local last = sim:hash()
    sim:load(saved)
    assert.equal(hash, sim:hash())
    assert.equal(first, trace(sim, 40))
    assert.equal(last, sim:hash())
  end)

  it("jumps where it was written before it was cloned or saved", function()
    local stairs = saltus.system { name = "stairs", discrete = { "n" }, past = { n = 0.5 }, history = { n = 0 },
      outputs = { late = function(ctx) return ctx.past.n(0.2) end },
      events = { { name = "up", every = 0.1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }
    local sim, other = saltus.simulator(stairs), saltus.simulator(stairs)
    sim:advance_to(0.55)
    sim.context.n = 50
    local twin = sim:clone()
    other:load(sim:save())
    for _, each in ipairs { sim, twin, other } do
      each:advance_to(0.74)
      assert.equal(6, each.context.late)
      each:advance_to(0.76)
      assert.equal(50, each.context.late)
    end
    assert.same({ sim:hash(), sim:hash() }, { twin:hash(), other:hash() })
  end)

  it("is cloned with its past", function()
    local sim = saltus.simulator(thermostat())
    sim:advance_to(14.5)
    local twin = sim:clone()
    assert.equal(trace(sim, 40), trace(twin, 40))
    assert.equal(sim:hash(), twin:hash())
  end)

  it("is cloned with the method that `auto` has after a change of accuracy", function()
    local sim = saltus.simulator(thermostat(), { integrator = "auto", accuracy = 1e-4 })
    sim:advance_to(14.5)
    sim.integrator:set_target_accuracy(1e-10)
    for _, each in ipairs { sim:clone(), sim:clone():clone() } do
      assert.equal(sim:hash(), each:hash())
      assert.equal(1e-10, each.integrator:get_target_accuracy())
    end
    local twin = sim:clone()
    assert.equal(trace(sim, 40), trace(twin, 40))
    assert.equal(sim:hash(), twin:hash())
  end)

  it("records no more than its depth", function()
    local sim = saltus.simulator(thermostat())
    sim:advance_to(40)
    local size = #sim:save()
    sim:advance_to(400)
    assert.is_true(#sim:save() < 1.5 * size)
  end)

  -- A publish at a witness cuts a step in two pieces of the same curve.
  it("does not change when it is read", function()
    local function x_at_end(events)
      local system = saltus.system { name = "seen", z = { { "x", 0.1 } }, past = { x = 1 },
        derivatives = function(ctx, dot) dot.x = 1.8 * ctx.x * (1 - ctx.past.x(1)) end, events = events }
      local sim = saltus.simulator(system, { accuracy = 1e-6 })
      sim:advance_to(20)
      return sim.context.x
    end
    local looks = 0
    local seen = x_at_end { { name = "look", witness = function(ctx) return ctx.x - 0.7 end,
      publish = function() looks = looks + 1 end } }
    assert.is_true(looks > 5)
    assert.near(x_at_end(nil), seen, 1e-12)
  end)

  it("is loaded by a simulator with another integrator", function()
    local sim = saltus.simulator(unit_lag.system(unit_lag.by_lag), { accuracy = 1e-8, integrator = "dormand_prince8" })
    sim:advance_to(2.5)
    local other = saltus.simulator(unit_lag.system(unit_lag.by_lag), { accuracy = 1e-8 })
    other:load(sim:save())
    other:advance_to(6)
    assert.near(unit_lag.exact(6), other.context.x, 1e-7)
  end)

  -- The recorded pieces have the degree of the integrator's interpolant.
  it("is loaded by a simulator with a longer interpolant, and restarts from there", function()
    local sim = saltus.simulator(unit_lag.system(unit_lag.by_lag), { accuracy = 1e-10 })
    sim:advance_to(2.5)
    local saved = sim:save()
    sim:set_integrator("dormand_prince8", {})
    sim:advance_to(3)
    for _ = 1, 2 do
      sim:load(saved)
      sim:advance_to(6)
      assert.near(unit_lag.exact(6), sim.context.x, 1e-9)
      sim:initialize()
      sim:advance_to(8)
      assert.near(unit_lag.exact(8), sim.context.x, 1e-9)
    end
  end)

  -- With can_use_current the breaks that a delay itself hands on are none for it.
  it("of a delay with can_use_current continues to the same bits", function()
    local loop = saltus.diagram "line"
    loop:add(saltus.blocks.sine { frequency = 3 }, "sine")
    loop:add(saltus.blocks.step { time = 0.55 }, "step")
    loop:add(saltus.blocks.sum { signs = "++" }, "sum")
    loop:add(saltus.blocks.delay { delay = 0.2, can_use_current = true }, "delay")
    loop:add(saltus.blocks.lag { time_constant = 1 }, "lag")
    loop:connect("sine", "sum.input1")
    loop:connect("step", "sum.input2")
    loop:connect("sum", "delay")
    loop:connect("delay", "lag")
    for _, method in ipairs { "tsitouras5", "dormand_prince8", "runge_kutta3", "radau5" } do
      local sim = saltus.simulator(loop, { integrator = method, accuracy = 1e-5 })
      local saved = {}
      for _ in sim:steps(3) do saved[#saved + 1] = sim:save() end
      local hash = sim:hash()
      for _, bytes in ipairs(saved) do
        sim:load(bytes)
        sim:advance_to(3)
        assert.equal(hash, sim:hash())
      end
    end
  end)

  it("has no past when it is initialized twice at its start", function()
    local sim = saltus.simulator(unit_lag.system(unit_lag.by_lag), { accuracy = 1e-9 })
    sim:initialize()
    sim.context.x = 2
    sim:initialize()
    sim:advance_to(3.5)
    assert.near(2 * unit_lag.exact(3.5), sim.context.x, 1e-7)
  end)

  it("restarts at another start time, and continues after another integrator", function()
    local sim = saltus.simulator(unit_lag.system(unit_lag.by_lag), { accuracy = 1e-8 })
    sim:advance_to(2.5)
    sim:set_integrator("dormand_prince8", { accuracy = 1e-8 })
    sim:advance_to(4)
    assert.near(unit_lag.exact(4), sim.context.x, 1e-7)
    sim.context.time, sim.context.x = 0, 1
    sim:initialize()
    sim:advance_to(4)
    assert.near(unit_lag.exact(4), sim.context.x, 1e-7)
  end)
end)

describe("a delayed jump", function()
  local methods = { "explicit_euler", "semi_explicit_euler", "runge_kutta2", "runge_kutta4", "velocity_verlet",
    "symplectic4", "implicit_euler", "radau1" }
  for _, integrator in ipairs(methods) do
    it("ends a step where it arrives: " .. integrator, function()
      local s = saltus.system { name = "late", z = { "x" }, discrete = { "u" }, past = { u = 1 }, history = { u = 0 },
        derivatives = function(ctx, dot) dot.x = ctx.past.u(1) end,
        events = { { name = "on", every = 10, offset = 0.5, discrete_update = function(_, next) next.u = 1 end } } }
      for _, step in ipairs { 0.3, 0.1, 0.07 } do
        local sim = saltus.simulator(s, { integrator = integrator, max_step = step })
        sim:advance_to(3)
        assert.near(1.5, sim.context.x, 1e-12)
      end
    end)
  end
end)

describe("two jumps a few ulp of time apart", function()
  local function late(integrator, start_time)
    local s = saltus.system { name = "late", z = { "x", "y" }, discrete = { "u", "w" }, past = { u = 1, w = 1 },
      history = { u = 0, w = 0 },
      derivatives = function(ctx, dot) dot.x, dot.y = ctx.past.u(1) + ctx.past.w(1), 1 end,
      events = {
        { name = "first", witness = function(ctx) return ctx.y - 0.5 end,
          discrete_update = function(_, next) next.u = 1 end },
        { name = "second", next_time = function(ctx) return ctx.w < 0.5 and start_time + 0.7 or nil end,
          discrete_update = function(_, next) next.w = 1 end } } }
    local fixed = integrator == "runge_kutta4" or integrator == "velocity_verlet"
    return saltus.simulator(s, { integrator = integrator, start_time = start_time, max_step = fixed and 0.3 or nil })
  end

  for _, integrator in ipairs { "runge_kutta4", "velocity_verlet", "tsitouras5", "radau5" } do
    for start_time, ulp in pairs { [0] = 0x1p-53, [-1e9] = 0x1p-23 } do
      it(("arrive as both: %s from %g"):format(integrator, start_time), function()
        for _, ulps in ipairs { 1, 3, 6, 12 } do
          local sim = late(integrator, start_time)
          sim:advance_to(start_time + 0.5 - ulps * ulp)
          sim.context.x = 0 -- a write is a jump for whoever reads the past
          sim:advance_to(start_time + 3)
          assert.near(1.5 + 1.3, sim.context.x, 1e-12 + 4 * ulp)
        end
      end)
    end
  end
end)

describe("a past without a history", function()
  it("is read before its start by a log of a run with stories", function()
    local echo = saltus.system { name = "echo", discrete = { "n" }, past = { n = 2 },
      outputs = { late = function(ctx) return ctx.past.n(0.3) end },
      events = { { name = "tick", every = 0.5, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }
    local run = saltus.scenario { system = echo, duration = 2, log = { "late" },
      story = function(s) s:wait(0.2) end }:run()
    assert.same({ 0, 4 }, { run.log.late[1], run.context.late })
  end)
end)

describe("runs of one model", function()
  -- The first run of a closure has it tried beside its program: both read the past, and each lag is one all the same.
  it("have the same bits, first or later, in Lua or as programs", function()
    local function model()
      return saltus.system { name = "wheel", q = { { "x", 1 } }, v = { { "y", 0 } }, past = { x = 0.5 },
        derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x - 0.1 * ctx.past.x(0.4) end,
        events = { { name = "cross", witness = function(ctx) return ctx.x end,
          unrestricted_update = function(ctx, next) next.y = 1.01 * ctx.y end } } }
    end
    local hashes = {}
    for i = 1, 6 do
      local hook, mask, count = debug.gethook()
      if i > 3 then debug.sethook(function() end, "", 1000000000) end -- who watches Lua sees the closures
      local sim = saltus.simulator(model())
      sim:advance_to(6)
      debug.sethook(hook, mask, count)
      hashes[i] = sim:hash()
    end
    for i = 2, 6 do assert.equal(hashes[1], hashes[i]) end
  end)
end)
