-- Mirrors lua/saltus/simulation/simulator.lua: demands and schedules, the monitor, stepping, looking into the last
-- step, and what closures are refused while the simulator runs.
local saltus = require "saltus"
local fails = require "spec.support.fails"

local function falling(events)
  return saltus.system { name = "s", q = { { "h", 10 } }, v = { "w" }, discrete = { "n" }, events = events,
    derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -2 end }
end

local fixed = { integrator = "runge_kutta3", fixed_step = true, max_step = 0.25 }

describe("events on demand", function()
  local function shouting()
    local seen = {}
    local function note(what) return function(ctx) seen[#seen + 1] = ("%s %g"):format(what, ctx.time) end end
    local guard = saltus.system { name = "guard", discrete = { "n" }, events = {
      { name = "shout", at = "demand", publish = note "shout" },
      { name = "count", at = "demand", discrete_update = function(ctx,
        next) next.n = next.n + 1 note "count" (ctx) end },
      { name = "tick", every = 1, publish = note "tick" } } }
    local d = saltus.diagram "d"
    d:add(guard)
    return saltus.simulator(d), seen
  end

  it("run at the time they are scheduled for", function()
    local sim, seen = shouting()
    sim:schedule(0.7, "guard.shout")
    sim:schedule(0.3, "guard.count")
    sim:schedule(2, "guard.shout")
    sim:advance_to(1.5)
    assert.same({ "tick 0", "count 0.3", "shout 0.7", "tick 1" }, seen)
    sim:advance_to(2)
    assert.same({ "tick 2", "shout 2" }, { table.unpack(seen, 5) })
  end)

  it("run at once when demanded: publishes as the first step ends, updates as it begins", function()
    local sim, seen = shouting()
    sim:advance_to(0.5)
    sim:demand "guard.count"
    sim:demand "guard.shout"
    sim:demand "guard.shout"
    sim:advance_pending_events()
    assert.same({ "tick 0", "count 0.5", "shout 0.5", "shout 0.5" }, seen)
    sim:advance_to(0.9)
    assert.equal(4, #seen)
    assert.equal(1, sim.context.guard.n)
  end)

  it("may be many at once", function()
    local sim, seen = shouting()
    for i = 1, 200 do sim:schedule(i % 7 / 10, "guard.count") end
    sim:advance_to(0.9)
    assert.equal(200, sim.context.guard.n)
    assert.equal(201, #seen)
  end)

  it("have their own names, and others cannot be demanded", function()
    local sim = shouting()
    fails('unknown event "guard.shuot" in "d"; did you mean "guard.shout"?', sim.demand, sim, "guard.shuot")
    fails('schedule: event "guard.tick" has its own trigger; only an event with at = "demand"', sim.schedule, sim, 1,
      "guard.tick")
    fails("schedule: time must be a number, got NaN", sim.schedule, sim, 0 / 0, "guard.shout")
  end)

  it("run every step or at initialization when the options say so", function()
    local function run(option)
      local n = 0
      local s = falling { { at = "demand", publish = function() n = n + 1 end },
        { at = "demand", discrete_update = function() n = n + 1000 end } }
      saltus.simulator(s, { integrator = "runge_kutta3", fixed_step = true, max_step = 0.25,
        [option] = true }):advance_to(1)
      return n
    end
    assert.equal(4, run "publish_every_step")
    assert.equal(1, run "publish_at_initialization")
  end)

  it("run every step while the option is set, also in a clone", function()
    local n = 0
    local sim = saltus.simulator(falling { { at = "demand", publish = function() n = n + 1 end } },
      { integrator = "runge_kutta3", fixed_step = true, max_step = 0.25 })
    assert.same({ false, false }, { sim.publish_every_step, sim.publish_at_initialization })
    sim.publish_at_initialization = true
    sim:advance_to(1)
    assert.equal(1, n)
    sim.publish_every_step = true
    sim:advance_to(2)
    assert.same({ 5, true }, { n, sim.publish_every_step })
    sim:clone():advance_to(3)
    assert.equal(9, n)
    sim.publish_every_step = false
    sim:advance_to(3)
    assert.equal(9, n)
    fails("publish_every_step must be true or false, got 1", function() sim.publish_every_step = 1 end)
  end)
end)

describe("an option that is used as a field", function()
  it("says how it is read and changed; nothing is ignored", function()
    local sim = saltus.simulator(falling {}, { seed = 7 })
    sim:advance_to(0.5)
    local how = '"accuracy" is an option; sim:configuration().accuracy is its value, and sim:configuration { accuracy ='
    fails(how, function() sim.accuracy = 1e-9 end)
    fails(how, function() return sim.accuracy end)
    sim:configuration { accuracy = 1e-9 }
    assert.equal(1e-9, sim:configuration().accuracy)
    fails("sim:configuration { accuracy = ... } changes it", function() sim.options.accuracy = 1e-3 end)
    assert.equal(1e-6, sim.options.accuracy)
    fails('"event_state" is an option; give it to saltus.simulator', function() sim.event_state = "reintegrate" end)
    fails('unknown field "reset" of the simulator; did you mean "load"?', function() return sim.reset end)
  end)

  it("is the seed, which can be read", function()
    assert.equal(7, saltus.simulator(falling {}, { seed = 7 }).seed)
    assert.equal(0, saltus.simulator(falling {}).seed)
    fails('"seed" is an option; give it to saltus.simulator', function() saltus.simulator(falling {}).seed = 3 end)
  end)
end)

describe("the monitor", function()
  it("sees the end of initialization and of each step", function()
    local times = {}
    local sim = saltus.simulator(falling {}, fixed)
    sim.monitor = function(ctx) times[#times + 1] = ctx.time end
    sim:advance_to(0.5)
    assert.same({ 0, 0.25, 0.5 }, times)
    sim.monitor = nil
    sim:advance_to(1)
    assert.equal(3, #times)
  end)

  it("is a function that only reads, and returns its outcome", function()
    local sim = saltus.simulator(falling {}, fixed)
    fails("sim.monitor must be a function(ctx) or nil, got 3", function() sim.monitor = 3 end)
    fails('sim.monitor must be a function(ctx) that may return saltus.terminate "why"',
      function() sim.monitor = saltus.terminate end)
    fails('unknown field of the simulator that can be set "moniter"; did you mean "monitor"?',
      function() sim.moniter = print end)
    sim.monitor = function(ctx) ctx.n = 3 end
    fails("n is read-only here; in an update, write to next.n", sim.advance_to, sim, 1)
    sim.monitor = function() saltus.fail "lost" end
    fails('running_spec.lua:' .. debug.getinfo(sim.monitor, "S").linedefined
      .. ': the monitor made saltus.fail("lost") and did not return it', sim.advance_to, sim, 1)
    sim.monitor = function() return saltus.fail "found" end
    fails("found (at t = 0)", sim.advance_to, sim, 1)
    sim.monitor = function() end
    local _ = saltus.terminate "made for later, elsewhere"
    assert.equal(1, sim:advance_to(1).time)
  end)
end)

describe("steps", function()
  it("yields after every step", function()
    local times = {}
    local sim = saltus.simulator(falling {}, fixed)
    for t, ctx in sim:steps(1) do
      assert.equal(t, ctx.time)
      assert.near(10 - t ^ 2, ctx.h, 1e-12)
      times[#times + 1] = t
    end
    assert.same({ 0.25, 0.5, 0.75, 1 }, times)
    assert.equal("reached_boundary_time", sim.status.reason)
  end)

  it("with a period yields exactly at its multiples, and takes the same steps", function()
    local times, stats = {}, {}
    for _, every in ipairs { 0.1, 0.37 } do
      local sim = saltus.simulator(falling {}, { max_step = 0.4 })
      local k = 0
      for t, ctx in sim:steps(2, every) do
        k = k + 1
        assert.equal(k * every, t)
        assert.near(10 - t ^ 2, ctx.h, 1e-12)
      end
      times[#times + 1], stats[#stats + 1] = k, sim.stats.derivative_evaluations
      assert.equal(2, sim.context.time)
    end
    local plain = saltus.simulator(falling {}, { max_step = 0.4 })
    plain:advance_to(2)
    assert.same({ 20, 5 }, times)
    assert.same({ plain.stats.derivative_evaluations, plain.stats.derivative_evaluations }, stats)
  end)

  it("shows times behind the run read-only, and the run's own time writable", function()
    local cart = saltus.system { name = "cart", z = { "x" }, inputs = { { "u", 0 } },
      derivatives = function(ctx, dot) dot.x = ctx.u end }
    local sim = saltus.simulator(cart)
    local refused, taken = 0, 0
    for t in sim:steps(5, 0.5) do
      local now = sim.context.time
      local ok, message = pcall(function() sim.context.u = t end)
      assert.equal(t == now, ok)
      if ok then
        taken = taken + 1
      else
        refused = refused + 1
        assert.matches("^spec/simulation/running_spec.lua:%d+: sim:steps shows t = [%d.]+, "
          .. "but the run is already at t = [%d.]+", message)
      end
    end
    assert.is_true(refused > 4 and taken > 0)
    sim.context.u = 0
    sim = saltus.simulator(cart)
    for t in sim:steps(5, 0.5) do if t == 1 then break end end
    assert.has_error(function() sim.context.u = 1 end)
    local saved = sim:save()
    sim:advance_to(sim.context.time)
    sim.context.u = 1
    sim:steps(6, 0.01)()
    assert.has_error(function() sim.context.u = 2 end)
    sim:load(saved)
    sim.context.u = 2
    for t in sim:steps(8) do sim.context.u = t end
    assert.is_true(sim.context.x > 0)
  end)

  it("ends where the run terminates", function()
    local last
    local sim = saltus.simulator(falling { { every = 1, offset = 1.05, publish = saltus.terminate "far enough" } })
    for t in sim:steps(5, 0.25) do last = t end
    assert.same({ 1, "far enough" }, { last, sim.status.message })
  end)
end)

describe("state_at", function()
  it("returns a context that remains at its time when others are requested", function()
    local sim = saltus.simulator(falling {}, fixed)
    local log = saltus.log(sim, { "h", every = 0.01 })
    sim:advance_to(1)
    local a, b = sim:state_at(0.8), sim:state_at(0.9)
    assert.same({ 0.8, 0.9 }, { a.time, b.time })
    for _ = 1, 2 do
      assert.near(10 - 0.8 ^ 2, a.h, 1e-12)
      assert.near(10 - 0.9 ^ 2, b.h, 1e-12)
    end
    assert.matches("^time = 0.9", tostring(b))
    assert.matches("^time = 0.8", tostring(a))
    sim:advance_to(2)
    assert.equal(2, log.time[#log.time])
    fails("the context that state_at returned at t = 0.8 is no longer available; copy what you need while it is",
      function() return a.h end)
    fails("running_spec.lua:", function() return tostring(a) end)
  end)

  it("reads the last step without changing it", function()
    local sim = saltus.simulator(falling {}, fixed)
    sim:advance_to(1)
    assert.near(10 - 0.8 ^ 2, sim:state_at(0.8).h, 1e-12)
    assert.near(10 - 0.75 ^ 2, sim:state_at(0.75).h, 1e-12)
    assert.same({ 1, 0.9 }, { sim.context.time, sim:state_at(0.9).time })
    fails("state_at(0.5): only times inside the last step can be read, and it ended at 1", sim.state_at, sim, 0.5)
    fails("state_at(2)", sim.state_at, sim, 2)
    fails("read-only here", function() sim:state_at(0.9).h = 3 end)
  end)
end)

describe("while it runs, a simulator refuses", function()
  local function inside(deed)
    local sim
    local s = falling { { name = "e", every = 1, publish = function(ctx) if ctx.time == 1 then deed(sim) end end },
      { name = "d", at = "demand", publish = function() end } }
    sim = saltus.simulator(s)
    local ok, message = pcall(sim.advance_to, sim, 2)
    local time = sim.context.time
    sim:advance_to(2)
    return ok and "" or message, time
  end

  it("to be advanced or initialized from a closure", function()
    for _, deed in ipairs {
      function(sim) sim:advance_to(3) end, function(sim) sim:initialize() end,
        function(sim) sim:advance_pending_events() end,
      function(sim) sim:steps(3)() end } do
      local message, time = inside(deed)
      assert.matches("running_spec.lua:%d+: .*a closure cannot advance it %(in e of s at t = 1%)$", message)
      assert.equal(1, time)
    end
  end)

  it("to have its context written, events scheduled or its step looked into from a closure", function()
    assert.matches("the context can be written between calls only; in an update, write to `next`",
      (inside(function(sim) sim.context.h = 1 end)))
    assert.matches("between calls only", (inside(function(sim) sim.context.time = 1 end)))
    assert.matches("a closure cannot schedule events", (inside(function(sim) sim:demand "d" end)))
    for _, deed in ipairs { "save", "load", "clone" } do
      assert.matches("running_spec.lua:%d+: a run is saved, loaded and cloned between calls only",
        (inside(function(sim) sim[deed](sim) end)))
    end
    assert.matches("the state can be read between calls only", (inside(function(sim) sim:state_at(1) end)))
    assert.matches("a log is made between calls only", (inside(function(sim) saltus.log(sim, { "h" }) end)))
    assert.equal("", (inside(function(sim) return sim.context.h end)))
  end)

  it("to be advanced from an output that is read between calls", function()
    local sim
    local s = saltus.system { name = "s", outputs = { y = function() sim:advance_to(1) return 1 end } }
    sim = saltus.simulator(s)
    fails("a closure cannot advance it", function() return sim.context.y end)
    assert.equal(0, sim.context.time)
  end)
end)

describe("limits", function()
  it("of the steps of a call end the call, not the run", function()
    local sim = saltus.simulator(falling {}, { integrator = "runge_kutta3", fixed_step = true, max_step = 0.25,
      max_steps_per_call = 3 })
    local status = sim:advance_to(2)
    assert.same({ "reached_step_limit", 0.75, 2 }, { status.reason, status.time, status.boundary_time })
    assert.equal(1.5, sim:advance_to(2).time)
    status = sim:advance_to(2)
    assert.same({ "reached_boundary_time", 2 }, { status.reason, status.time })
  end)
end)

describe("sim:interrupt", function()
  -- A state, a delay, a witness, a timer: the run has whatever a save has.
  local function model(interrupt)
    local d = saltus.diagram "d"
    d:add(saltus.system { name = "wheel", q = { { "x", 1 } }, v = { { "y", 0 } }, discrete = { { "n", 0 } },
      inputs = { "late" },
      derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x - 0.1 * ctx.late end,
      events = {
        { name = "cross", witness = function(ctx) return ctx.x end,
          unrestricted_update = function(ctx, next) next.y = 1.01 * ctx.y end },
        { name = "count", every = 0.7, discrete_update = function(ctx, next) next.n = ctx.n + 1 end },
        { name = "stop", every = 1.1, publish = function() if interrupt then interrupt() end end },
      } })
    d:add(saltus.blocks.delay { delay = 0.3 }, "delay")
    d:connect("wheel.x", "delay.input")
    d:connect("delay", "wheel.late")
    return d
  end

  for _, method in ipairs { "tsitouras5", "radau5", "auto", "runge_kutta3" } do
    it("ends an advance at its next step, and the next advance continues to the same bits: " .. method, function()
      local whole = saltus.simulator(model(), { integrator = method })
      whole:advance_to(20)
      local sim, calls = nil, 0
      sim = saltus.simulator(model(function() sim:interrupt() end), { integrator = method })
      local status
      repeat
        status = sim:advance_to(20)
        calls = calls + 1
      until status.reason ~= "interrupted"
      assert.same({ "reached_boundary_time", 20 }, { status.reason, status.time })
      assert.is_true(calls > 18)
      assert.equal(whole:hash(), sim:hash())
    end)
  end

  it("before a call ends that call before its first step, and is reported once", function()
    local sim = saltus.simulator(falling {})
    sim:interrupt()
    local status = sim:advance_to(1)
    assert.same({ "interrupted", 0, 1 }, { status.reason, status.time, status.boundary_time })
    assert.equal(status, sim.status)
    assert.equal("reached_boundary_time", sim:advance_to(1).reason)
  end)

  it("ends a loop over steps", function()
    local sim = saltus.simulator(falling {}, { integrator = "runge_kutta3", fixed_step = true, max_step = 0.25 })
    local times = {}
    for t in sim:steps(2) do
      times[#times + 1] = t
      if t == 0.5 then sim:interrupt() end
    end
    assert.same({ 0.25, 0.5 }, times)
    assert.equal("interrupted", sim.status.reason)
    for t in sim:steps(2, 0.5) do
      times[#times + 1] = t
      if t == 1.5 then sim:interrupt() end
    end
    assert.same({ 0.25, 0.5, 1, 1.5 }, times)
  end)

  it("between the steps of a frame loses no step", function()
    local sim = saltus.simulator(falling {}, { integrator = "runge_kutta3", fixed_step = true, max_step = 0.25 })
    sim:interrupt()
    sim:advance_frame(0.75)
    assert.same({ "interrupted", 0 }, { sim.status.reason, sim.context.time })
    assert.equal(0.5, sim:advance_frame(0.125))
    assert.equal(0.75, sim.context.time)
  end)
end)
