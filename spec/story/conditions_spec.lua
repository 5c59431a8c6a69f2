-- Mirrors lua/saltus/story/condition.lua: what stories wait for in the state of the run.
local saltus = require "saltus"

-- x = t, height = 5 t - 5 t^2 from a throw at t = 0; a mode that a story switches.
local function ball()
  return saltus.system {
    name = "ball",
    q = { { "height", 0 } }, v = { { "speed", 5 } }, z = { { "x", 0 } },
    discrete = { { "mode", "off", values = { "off", "on" } }, { "n", 0 } },
    derivatives = function(ctx, dot) dot.height, dot.speed, dot.x = ctx.speed, -10, 1 end,
    events = { { name = "tick", every = 1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } },
  }
end

local function notes(stop, fn, system)
  local list = {}
  local sim = saltus.simulator(system or ball(), { accuracy = 1e-10 })
  saltus.stories(sim):spawn("main", function(s, run) fn(s, run, function(...) list[#list + 1] = { ... } end) end)
  sim:advance_to(stop)
  return list, sim
end

describe("wait_until", function()
  it("finds where words become true within a step, as a witness does", function()
    local list = notes(4, function(s, run, note)
      s:wait_until "height >= 1"
      note(s.time, run.height)
      s:wait_until "speed < 0 and height < 1"
      note(s.time, run.height)
    end)
    -- 5 t - 5 t^2 = 1
    assert.near((1 - math.sqrt(0.2)) / 2, list[1][1], 1e-9)
    assert.near((1 + math.sqrt(0.2)) / 2, list[2][1], 1e-9)
    assert.near(1, list[1][2], 1e-9)
  end)

  it("is level-triggered: it goes on at once where the condition is true", function()
    assert.same({ { 1.5 }, { true } }, notes(3, function(s, _, note)
      s:wait(1.5)
      s:wait_until "x > 1"
      note(s.time)
      note(s:wait_until(function(run) return run.x end))
    end))
  end)

  it("takes a function that returns a margin", function()
    local list = notes(4, function(s, _, note)
      s:wait_until(function(run) return run.x - 0.7 end)
      note(s.time)
    end)
    assert.near(0.7, list[1][1], 1e-12)
  end)

  it("meets a pulse within a step at its time", function()
    local list = notes(4, function(s, _, note)
      s:wait_until "height > 1.2499999" -- the top is 1.25, at 0.5
      note(s.time)
    end)
    assert.near(0.5 - math.sqrt(1e-7 / 5), list[1][1], 1e-9)
  end)

  it("sees what another story writes, and what an update writes, at that instant", function()
    assert.same({ { "mode", 1.25 }, { "n", 2.0, 3.0 } }, notes(4, function(s, run, note)
      s:spawn(function() s:wait_until "mode == 'on'" note("mode", s.time) end)
      s:spawn(function() s:wait_until "n > 2.5" note("n", s.time, run.n) end)
      s:wait(1.25)
      run.mode = "on"
    end))
  end)

  it("spans the parts of a diagram", function()
    local function part(name, rate)
      return saltus.system { name = name, z = { { "x", 0 } }, derivatives = function(_, dot) dot.x = rate end }
    end
    local d = saltus.diagram "two"
    d:add(part("fast", 3))
    d:add(part("slow", 1))
    local list = notes(4, function(s, run, note)
      s:wait_until "fast.x - slow.x > 5"
      note(s.time, run.fast.x, run.slow.x)
    end, d)
    assert.near(2.5, list[1][1], 1e-9)
    assert.near(7.5, list[1][2], 1e-9)
  end)

  it("that is late fails with the margin; what is true at the last instant is in time", function()
    local sim = saltus.simulator(ball())
    saltus.stories(sim):spawn("main", function(s) s:wait(1) s:wait_until("x > 4", { within = 2 }) end)
    local here = debug.getinfo(1, "l").currentline - 1
    local _, message = pcall(sim.advance_to, sim, 9)
    assert.matches(("conditions_spec.lua:%d: waited 2 s in vain for \"x > 4\"; its margin is -1 now (in story \"main\" "
      .. "at t = 3)"):format(here), message, 1, true)
    assert.same({ { 3.0 } }, notes(9, function(s, _, note)
      s:wait(1)
      s:wait_until("n > 3", { within = 2 }) -- the update at 3
      note(s.time)
    end))
  end)

  it("leaves no watch behind", function()
    local _, sim = notes(9, function(s)
      for i = 1, 5 do s:wait_any { "x > " .. i, "x < -1", s:event "none" } end
      s:wait_all { "x > 6", "speed < -1" }
    end)
    assert.same({}, sim.inner.watches)
  end)

  it("refuses words with a mistake, at the line of the story", function()
    for words, text in pairs { ["x >"] = "x >", ["y > 1"] = "\"y\"", ["x == 1"] = "==" } do
      local sim = saltus.simulator(ball())
      saltus.stories(sim):spawn("main", function(s) s:wait_until(words) end)
      local ok, message = pcall(sim.advance_to, sim, 1)
      assert.is_false(ok)
      assert.matches(text, message, 1, true)
      assert.matches("in story \"main\" at t = 0", message)
    end
  end)
end)

describe("wait_any", function()
  it("returns the index of the words that came true first", function()
    local list = notes(4, function(s, _, note)
      note(s:wait_any { "height > 2", "speed < -1", s:event "abort", 30 })
      note((s:wait_any { "x > 3", 0.5, "height < -100" }))
    end)
    assert.same({ { 2, true }, { 2 } }, list)
  end)
end)

describe("expect", function()
  it("takes words, functions and values", function()
    local list = notes(2, function(s, _, note)
      s:wait(0.5)
      note(s:expect "x < 1")
      note(s:expect(7, "a text"))
    end)
    assert.near(0.5, list[1][1], 1e-12)
    assert.equal(7, list[2][1])
    local sim = saltus.simulator(ball())
    saltus.stories(sim):spawn("main", function(s) s:wait(0.5) s:expect("x < 0.25", "a short way") end)
    assert.error_matches(function() sim:advance_to(1) end, "expected a short way; its margin is %-0.25 %(in story")
  end)

  it("takes functions that return a boolean, also when the story is told again", function()
    local function expecting(fn, at)
      local sim = saltus.simulator(ball())
      saltus.stories(sim):spawn("main", function(s) s:wait(at) s:expect(fn) s:wait(9) end)
      sim:advance_to(1)
      return sim
    end
    local sim = expecting(function(ctx) return ctx.x < 1 end, 0.5)
    sim:load(sim:save())
    sim:advance_to(2)
    assert.error_matches(function() expecting(function(ctx) return ctx.x > 1 end, 0.5) end,
      "expected the function at .*conditions_spec.lua:%d+ %(in story")
    assert.error_matches(function() expecting(function() return "x" end, 0.5) end,
      'the function of expect returns a margin, true or false, got "x" %(in story')
  end)
end)

describe("a watch of the host", function()
  it("ends the advance of a run with stories, and the stories go on", function()
    local seen
    local sim = saltus.simulator(ball())
    saltus.stories(sim):spawn(function(s) s:wait_until "x > 1" seen = s.time end)
    local handle = sim:watch(function(ctx) return ctx.x - 1 end)
    local status = sim:advance_to(3)
    assert.equal("reached_watch", status.reason)
    assert.is_truthy(status.watches[1] == handle or status.watches[2] == handle)
    assert.equal("reached_boundary_time", sim:advance_to(3).reason)
    assert.near(1, seen, 1e-9)
  end)
end)

describe("a halt of the host", function()
  it("ends the advance of a run with stories, and the stories go on", function()
    local system = ball()
    local sim = saltus.simulator(system)
    local seen = {}
    saltus.stories(sim):spawn(function(s) for t in s:every(0.75) do seen[#seen + 1] = t end end)
    sim.monitor = function(ctx) if ctx.time == 1.5 then sim:halt() end end
    local status = sim:advance_to(3)
    assert.same({ "halted", 1.5 }, { status.reason, status.time })
    sim:advance_to(3)
    assert.same({ 0.75, 1.5, 2.25, 3 }, seen)
  end)

  it("ends it also at an instant where stories halt it: for an event, or for a deadline", function()
    for _, wait in ipairs {
      function(s) s:wait_event "tick" end,
      function(s) s:wait_any { "x > 9", 1 } end,
      function(s) s:wait_any { s:event "tick", 1 } end,
    } do
      local sim, told
      sim = saltus.simulator(saltus.system {
        name = "halting", discrete = { { "n", 0 } },
        events = { { name = "tick", every = 1,
          discrete_update = function(ctx, next) next.n = ctx.n + 1; if ctx.n == 1 then sim:halt() end end } },
        z = { { "x", 0 } }, derivatives = function(_, dot) dot.x = 1 end,
      })
      saltus.stories(sim):spawn(function(s) wait(s); told = s.time end)
      local status = sim:advance_to(3)
      assert.same({ "halted", 1 }, { status.reason, status.time })
      assert.equal("reached_boundary_time", sim:advance_to(3).reason)
      assert.is_number(told)
    end
  end)

  it("is told from that of a story that hears a publish as a call ends: no later call ends for that", function()
    local function begun()
      local sim = saltus.simulator(saltus.system {
        name = "publishing", z = { { "x", 0 } }, discrete = { { "heard", 0 } },
        derivatives = function(_, dot) dot.x = 1 end,
        events = { { name = "tick", every = 1, publish = function() end },
          { name = "low", becomes = function(ctx) return ctx.x > 0.75 end } },
      })
      saltus.stories(sim):spawn(function(s, run)
        while true do s:wait_event "tick"; run.heard = run.heard + s.time end
      end)
      saltus.stories(sim):spawn(function(s, run) s:wait_event "low"; run.heard = run.heard + 10 end)
      return sim
    end
    local sim = begun()
    for t = 0.5, 3, 0.5 do
      assert.same({ "reached_boundary_time", t }, { sim:advance_to(t).reason, sim.context.time })
    end
    assert.equal(10 + 1 + 2 + 3, sim.context.heard)
    local other = begun()
    other:load(sim:save())
    for _, twin in ipairs { sim:clone(), other } do
      assert.equal("reached_boundary_time", twin:advance_to(4.5).reason)
      assert.equal(10 + 1 + 2 + 3 + 4, twin.context.heard)
    end

    sim = begun()
    for _ in sim:steps(3) do assert.equal("reached_boundary_time", sim.status.reason) end
    assert.equal(10 + 1 + 2 + 3, sim.context.heard)
  end)

  it("that was asked for before the call ends that call", function()
    local sim = saltus.simulator(ball())
    saltus.stories(sim):spawn(function(s) s:wait(1) end)
    sim:advance_to(0.5)
    sim:halt()
    local other = sim:clone()
    assert.same({ "halted", "halted" }, { sim:advance_to(3).reason, other:advance_to(3).reason })
    assert.same({ "reached_boundary_time", "reached_boundary_time" },
      { sim:advance_to(3).reason, other:advance_to(3).reason })
  end)
end)

describe("a run whose stories wait for words", function()
  local function story(s, run)
    s:spawn(function()
      for i = 1, 20 do
        local level = i * 0.37
        s:wait_until(function(ctx) return ctx.x - level end)
        run.n = run.n + 0.25
      end
    end)
    for i = 1, 30 do
      local which = s:wait_any { ("x > %g"):format(i * 0.31), ("n > %g"):format(i * 0.6), s:exponential(0.3) }
      run.n = run.n + which / 8
      s:wait(0.01)
    end
  end

  it("is cloned, loaded and taken back under way", function()
    local scenario = saltus.scenario { system = ball(), duration = 6, story = story, log = false }
    for i = 1, 24 do
      local t = 6 * (i * 0.6180339887 % 1)
      local run, reference = scenario:prepare(), scenario:prepare()
      run.sim:advance_to(t)
      reference.sim:advance_to(t)
      reference.sim:advance_to(6)
      local saved, other = run.sim:save(), run.sim:clone()
      run.sim:advance_to((t + 6) / 2)
      run.sim:load(saved)
      for _, sim in ipairs { other, run.sim } do
        sim:advance_to(6)
        assert.equal(reference.sim:hash(), sim:hash())
      end
    end
  end)
end)

describe("sim:steps", function()
  it("stops after each step, also one that the condition of a story ends", function()
    local function step_times(by_steps)
      local sim, times = saltus.simulator(ball()), {}
      saltus.stories(sim):spawn(function(s)
        for i = 1, 9 do s:wait_until(("x > %g"):format(i * 0.3)) end
      end)
      if by_steps then
        for t in sim:steps(4) do times[#times + 1] = t end
        assert.equal("reached_boundary_time", sim.status.reason)
        assert.equal(#times, sim.stats.steps)
      else
        sim:advance_to(4)
      end
      return times, sim:hash()
    end
    local times, hash = step_times(true)
    for i = 1, #times - 1 do assert.is_true(times[i] < times[i + 1]) end
    assert.equal(select(2, step_times(false)), hash)
  end)
end)
