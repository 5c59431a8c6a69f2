-- Mirrors lua/saltus/simulation/simulator.lua and src/engine/simulator.c, initialize.c, lifecycle.c: deeds, statuses,
-- and the points from which a run can continue (docs/concepts.md).
local saltus = require "saltus"
local fails = require "spec.support.fails"

local function counter(events, more)
  local def = { name = "s", z = { "x" }, discrete = { "a", "b" }, events = events,
    derivatives = function(_, dot) dot.x = 1 end }
  for key, value in pairs(more or {}) do def[key] = value end
  return saltus.system(def)
end

local function add(name, by) return function(ctx, next) next[name] = ctx[name] + (by or 1) end end

describe("time", function()
  it("never goes back, and must be a finite number", function()
    local sim = saltus.simulator(counter {})
    sim:advance_to(0.5)
    fails("advance_to(0.25): time is already 0.5 and cannot go back; set sim.context.time and initialize",
      sim.advance_to, sim, 0.25)
    fails("advance_to: time must be a number, got NaN", sim.advance_to, sim, 0 / 0)
    fails('advance_to: time must be a number of seconds, got "soon"', sim.advance_to, sim, "soon")
    fails("steps(0.25): time is already 0.5", sim.steps, sim, 0.25)
    fails("schedule(0.25): time is already 0.5", sim.schedule, sim, 0.25, "e")
    fails("simulator_spec.lua:", function() sim:advance_to(0.25) end)
    assert.equal(0.5, sim.context.time)
    assert.near(0.5, sim.context.x, 1e-12)
    assert.equal(1, sim:advance_to(1).time)
  end)

  it("that was changed from outside needs initialize", function()
    local sim = saltus.simulator(counter {})
    sim:advance_to(1)
    sim.context.time = 0
    fails("the time was changed since the last call; call sim:initialize()", sim.advance_to, sim, 2)
    assert.equal("time_failed", sim.failure.reason)
    sim:initialize()
    sim:advance_to(2)
    assert.near(3, sim.context.x, 1e-9)
  end)

  it("may begin anywhere, and may be constant", function()
    local n = 0
    local sim = saltus.simulator(counter({ { every = 1, discrete_update = function() n = n + 1 end } }),
      { start_time = -1.5 })
    assert.equal(-1.5, sim:advance_to(-1.5).time)
    sim:advance_to(0)
    assert.equal(0, n)
    sim:advance_pending_events()
    assert.equal(1, n)
  end)
end)

describe("a status", function()
  it("has the boundary time", function()
    local sim = saltus.simulator(counter {})
    assert.same({ reason = "reached_boundary_time", time = 2, boundary_time = 2, message = "" }, sim:advance_to(2))
    assert.equal(2, sim.status.time)
  end)

  it("names the system and event that terminated, and the reason", function()
    local sim = saltus.simulator(counter { { name = "stop", every = 1, offset = 1,
      publish = function() return saltus.terminate("enough", "plant.motor") end } })
    assert.same({ reason = "reached_termination", time = 1, boundary_time = 2, system = "plant.motor", event = "stop",
      message = "enough" }, sim:advance_to(2))
    assert.equal("s", saltus.simulator(counter { { every = 1, publish = saltus.terminate "x" } }):advance_to(2).system)
  end)
end)

describe("when an update fails", function()
  for _, kind in ipairs { "discrete_update", "unrestricted_update" } do
    it("(" .. kind .. ") all updates of the instant are undone and remain pending", function()
      local on = true
      local sim = saltus.simulator(counter {
        { name = "u", every = 1, unrestricted_update = add("a") },
        { name = "d", every = 1, discrete_update = add("b") },
        { name = "bad", every = 1, [kind] = function(ctx, next)
          next.b = next.b + 10
          if on and ctx.time > 0 then return saltus.fail "no" end
        end },
      })
      sim:advance_to(1)
      assert.same({ 1, 11 }, { sim.context.a, sim.context.b })
      local x = sim.context.x
      for _ = 1, 2 do
        fails("no (in bad of s, spec/simulation/simulator_spec.lua:", sim.advance_to, sim, 2)
        assert.same({ 1, 1, 11, x }, { sim.context.time, sim.context.a, sim.context.b, sim.context.x })
      end
      on = false
      sim:advance_to(1.5)
      assert.same({ 2, 22 }, { sim.context.a, sim.context.b })
    end)
  end
end)

describe("when integration fails", function()
  it("the updates are done and not pending, and time has not moved", function()
    local on = true
    local sim = saltus.simulator(counter({ { every = 1, discrete_update = add("a") } }, {
      derivatives = function(ctx, dot)
        if on and ctx.a == 2 then error("jam", 0) end
        dot.x = 1
      end }))
    fails("jam (in derivatives of s at t = 1)", sim.advance_to, sim, 3)
    assert.same({ 1, 2 }, { sim.context.time, sim.context.a })
    assert.near(1, sim.context.x, 1e-12)
    fails("jam", sim.advance_to, sim, 3)
    assert.equal(2, sim.context.a)
    on = false
    sim:advance_to(3)
    assert.equal(3, sim.context.a)
    assert.near(3, sim.context.x, 1e-12)
  end)
end)

describe("when a publish or the monitor fails", function()
  it("the step is complete, its publishes are not repeated, its updates are pending", function()
    local shown, on = {}, true
    local sim = saltus.simulator(counter {
      { name = "show", every = 1, publish = function(ctx) shown[#shown + 1] = ctx.time end },
      { name = "bad", every = 1, publish = function(ctx) if on and ctx.time == 1 then return saltus.fail "no" end end },
      { every = 1, discrete_update = add("a") } })
    fails("no (in bad of s, spec/simulation/simulator_spec.lua:", sim.advance_to, sim, 2)
    assert.same({ 1, 1 }, { sim.context.time, sim.context.a })
    assert.near(1, sim.context.x, 1e-12)
    sim:advance_to(2)
    assert.same({ 0, 1, 2 }, shown)
    assert.equal(2, sim.context.a)
  end)

  it("the same of the monitor", function()
    local sim = saltus.simulator(counter { { every = 1, discrete_update = add("a") } })
    sim.monitor = function(ctx) if ctx.time == 1 then error("no", 0) end end
    fails("no (in the monitor at t = 1)", sim.advance_to, sim, 2)
    assert.same({ 1, 1 }, { sim.context.time, sim.context.a })
    sim:advance_to(2)
    assert.equal(2, sim.context.a)
  end)
end)

describe("initialization", function()
  it("that fails leaves everything as before the call, uninitialized (D-013)", function()
    local on, n = true, 0
    local sim = saltus.simulator(counter {
      { at = "initialization", unrestricted_update = function(_, next) n = n + 1 next.a = 5 next.x = 7 end },
      { name = "bad", at = "initialization", discrete_update = function(_, next) next.b = 5
        if on then error("no", 0) end end } })
    sim.context.a = 2
    for _ = 1, 2 do
      fails("no (in bad of s at t = 0)", sim.advance_to, sim, 1)
      assert.same({ 2, 0, 0, 0 }, { sim.context.a, sim.context.b, sim.context.x, sim.context.time })
    end
    on = false
    sim:advance_to(1)
    assert.same({ 5, 5, 8, 3 }, { sim.context.a, sim.context.b, sim.context.x, n })
  end)

  it("runs updates, then publishes, then the monitor (D-001); updates due at the start wait for the first step (D-002)",
    function()
      local seen = {}
      local function note(what) return function() seen[#seen + 1] = what end end
      local sim = saltus.simulator(counter {
        { every = 1, publish = note "timed" }, { at = "step", publish = note "step" },
        { at = "initialization", publish = note "publish" }, { every = 1, discrete_update = note "timed update" },
        { at = "initialization", discrete_update = note "discrete" }, { at = "step",
          discrete_update = note "step update" },
        { at = "initialization", unrestricted_update = note "unrestricted" } })
      sim.monitor = note "monitor"
      sim:initialize()
      assert.same({ "unrestricted", "discrete", "publish", "step", "timed", "monitor" }, seen)
      sim:advance_to(0)
      assert.same({ "step update", "timed update", "step", "monitor" }, { table.unpack(seen, 7) })
      seen = {}
      sim:initialize { suppress_initialization_events = true }
      assert.same({ "step", "timed", "monitor" }, seen)
    end)

  it("that terminates in an update runs the other updates only; the next advance continues (D-010 to D-012)", function()
    local seen, stop = {}, true
    local function note(what) return function() seen[#seen + 1] = what end end
    local sim = saltus.simulator(counter {
      { name = "stop", at = "initialization", unrestricted_update = function(_, next) next.a = 1
        if stop then return saltus.terminate "so soon" end end },
      { at = "initialization", discrete_update = add("a", 10) }, { at = "step", publish = note "step" },
      { at = "step", discrete_update = note "update" }, { every = 1, discrete_update = note "timed" } },
      { integrator = "runge_kutta3", fixed_step = true, max_step = 0.5 })
    local status = sim:advance_to(1)
    assert.same({ "reached_termination", 0, "stop", "so soon", 11 },
      { status.reason, status.time, status.event, status.message, sim.context.a })
    assert.same({}, seen)
    stop = false
    assert.equal("reached_boundary_time", sim:advance_to(0.5).reason)
    assert.equal(11, sim.context.a)
    assert.same({ "update", "timed", "step" }, seen)
  end)

  it("checks its options", function()
    local sim = saltus.simulator(counter {})
    fails('unknown option "supress_initialization_events" of initialize; did you mean', sim.initialize, sim,
      { supress_initialization_events = true })
  end)
end)

describe("termination", function()
  it("by an update: its updates are not pending, and the next call continues", function()
    local sim = saltus.simulator(counter {
      { every = 1, offset = 1, discrete_update = function(ctx,
        next) next.a = ctx.a + 1 return saltus.terminate "a" end },
      { every = 1, offset = 1, discrete_update = add("b") } })
    for k = 1, 3 do
      local status = sim:advance_to(10)
      assert.same({ "reached_termination", k, k, k }, { status.reason, status.time, sim.context.a, sim.context.b })
    end
  end)

  it("by the monitor comes after the step; a simultaneous failure wins", function()
    local sim = saltus.simulator(counter {}, { integrator = "runge_kutta3", fixed_step = true, max_step = 0.25 })
    sim.monitor = function(ctx) if ctx.time >= 0.5 then return saltus.terminate "seen enough" end end
    local status = sim:advance_to(1)
    assert.same({ 0.5, "seen enough" }, { status.time, status.message })
    local both = saltus.simulator(counter { { name = "e", every = 1, publish = saltus.terminate "t" },
      { name = "f", every = 1, publish = saltus.fail "f" } })
    fails("f (in f of s at t = 0)", both.advance_to, both, 1)
  end)
end)

describe("a status that is printed", function()
  it("is a line", function()
    assert.equal("reached_boundary_time at t = 0.5 s", tostring(saltus.simulator(counter {}):advance_to(0.5)))
    local stop = { name = "stop", every = 1, offset = 1, publish = saltus.terminate "late" }
    local sim = saltus.simulator(counter { stop })
    assert.equal(("reached_termination at t = 1 s: late (stop of %s)"):format(sim.model.name),
      tostring(sim:advance_to(5)))
  end)
end)

describe("a simulator that is printed", function()
  it("prints its model, its time and its integrator", function()
    local sim = saltus.simulator(counter {}, { integrator = "runge_kutta3" })
    sim:advance_to(0.5)
    assert.equal(("simulator of %s at t = 0.5 s (runge_kutta3)"):format(sim.model.name), tostring(sim))
  end)
end)

describe("a missing field of a simulator", function()
  it("is reported with the path to the model's values", function()
    local d = saltus.diagram "d"
    d:add(counter {}, "one")
    local sim = saltus.simulator(d)
    fails('the simulator has no field "one"; the values of its model are in sim.context: sim.context.one',
      function() return sim.one end)
    fails("sim.context.time", function() return sim.time end)
    fails('unknown field "run" of the simulator; did you mean "advance_to"?', function() sim:run(5) end)
  end)

  it("is reported with a similar name", function()
    local sim = saltus.simulator(counter {})
    fails('unknown field "contxt" of the simulator; did you mean "context"?', function() return sim.contxt end)
    fails('did you mean "advance_to"?', function() sim:advance_too(1) end)
    fails("simulator_spec.lua:", function() return sim.contxt end)
    assert.same({}, { sim.status, sim.failure, sim.monitor })
  end)

  it("is reported when a method is called with a dot", function()
    local sim, d = saltus.simulator(counter {}), saltus.diagram "d"
    fails("write sim:advance_to(...), with a colon", function() sim.advance_to(5) end)
    fails("simulator_spec.lua:", function() sim.advance_to(5) end)
    fails("write sim:save(...)", function() return sim.save() end)
    fails("write diagram:add(...)", function() d.add(counter {}) end)
    fails("write scenario:run(...)", function() saltus.scenario({ system = counter {}, duration = 1 }).run {} end)
  end)

  it("is reported when an update writes the time", function()
    for _, kind in ipairs { "discrete_update", "unrestricted_update" } do
      local sim = saltus.simulator(counter { { name = "e", every = 1, [kind] = function(_, next) next.time = 1 end } })
      fails("time cannot be written", sim.advance_to, sim, 1)
    end
  end)

  it("is reported with the name of a ready-made block", function()
    fails('saltus.blocks: unknown block "gian"; did you mean "gain"?', function() return saltus.blocks.gian end)
  end)

  it("is reported when a method of the engine gets another value", function()
    local sim = saltus.simulator(counter {})
    for _, other in ipairs { io.stdout, {}, 1, "s", false, sim.core:recorder({}, 1) } do
      assert.error_matches(function() sim.core.time(other, 0) end, "saltus.core.simulator expected, got ")
    end
  end)
end)
