-- Formulas over runs with stories: the events that stories emit, and verdicts at instants at which stories go on.
local saltus = require "saltus"
local command = require "spec.support.command"
local fails = require "spec.support.fails"

local function tank()
  return saltus.system { name = "tank", z = { { "level", 0 } }, discrete = { { "n", 0 }, { "m", 0 } },
    derivatives = function(_, dot) dot.level = 1 end,
    events = {
      { name = "tick", every = 1, offset = 1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end },
      { name = "look", every = 1, publish = function() end } } }
end

-- go at 1.5 and 2.5; done at 3.
local function telling(s)
  s:wait(1.5)
  s:emit "go"
  s:wait(1)
  s:emit "go"
  s:wait(0.5)
  s:emit("done", 3)
  if s.time > 100 then s:emit "never_emitted" end
end

local function scenario(expects) return saltus.scenario { system = tank(), duration = 4, story = telling,
  expects = expects } end

local function simulator(...)
  local sim = saltus.simulator(tank())
  for _, story in ipairs { ... } do saltus.stories(sim):spawn(story) end
  return sim
end

describe("an event that a story emits, in a formula", function()
  it("is true at its instants in a check", function()
    local run = scenario():run()
    local function check(words) return saltus.formula.check(run, words).holds end
    assert.is_true(check "always (go -> eventually[0,1.5] done)")
    assert.is_false(check "always (go -> eventually[0,0.6] done)")
    assert.is_true(check "never never_emitted")
    assert.is_true(check "eventually[2.4,2.6] go")
    assert.is_false(check "eventually[2.6,2.9] go")
    assert.is_true(check "always (go -> level > 1.4)")
  end)

  it("is true at its instants online", function()
    local function known(words, holds, time)
      local sim = simulator(telling)
      local m = saltus.formula.monitor(words, sim)
      local status = m:advance_to(10)
      assert.same({ holds, time, time, time }, { m.holds, m.time, sim.context.time, status.time }, words)
    end
    known("eventually go", true, 1.5)
    known("never done", false, 3)
    known("always (go -> done within 0.6)", false, 1.5 + 0.6)
    known("eventually (go and level > 2)", true, 2.5)
    known("n < 2 until (go and n == 2)", false, 2)
    known("always (tick -> go within 0.5)", false, 3.5)
  end)

  it("is told a monitor that began when the event had been emitted already", function()
    local sim = simulator(telling)
    sim:advance_to(2)
    local m = saltus.formula.monitor("eventually go", sim)
    m:advance_to(10)
    assert.equal(2.5, m.time)
  end)

  it("is known in what a scenario expects", function()
    local run = scenario { "eventually go", "never never_emitted", "never done" }:run()
    assert.same({ true, true, false }, { run.expects[1].holds, run.expects[2].holds, run.expects[3].holds })
    assert.is_true(scenario():run { expects = { "eventually done" } }.expects[1].holds)
  end)

  it("must have its name in the story", function()
    fails('"never dome", column 7: unknown name "dome"; did you mean "done"?', scenario, { "never dome" })
    fails('unknown name "gone"', saltus.formula.monitor, "never gone", simulator(telling))
    fails('unknown name "go"', saltus.formula.monitor, "never go", saltus.simulator(tank()))
    fails('unknown name "level1"', scenario, { "never level1" })
  end)

  it("is found where the story calls a function that emits it", function()
    local function alarm(s) s:emit "alarm" end
    local s = saltus.scenario { system = tank(), duration = 1, story = function(s) alarm(s) end,
      expects = { "eventually alarm" } }
    assert.is_true(s:run().expects[1].holds)
  end)
end)

describe("a monitor over stories", function()
  -- A story's watch, and an event that the formula speaks of, end one advance.
  it("tells its verdict at once, also where a watch of a story is met by the same update", function()
    local sim = simulator(function(s)
      s:wait_until "n >= 1"
      s:wait(0.25)
    end)
    local m = saltus.formula.monitor("never tick", sim)
    local status = m:advance_to(10)
    assert.same({ false, 1, 1, 1 }, { m.holds, m.time, status.time, sim.context.time })
  end)

  it("knows what stories emit at x+ before it tells the verdict of their instant", function()
    local tellings = {
      function(s) s:wait_event "tick" s:emit "go" end,
      function(s) s:wait_until "n >= 1" s:emit "go" end,
      function(s)
        s:spawn(function() s:wait_event "on" s:emit "go" end)
        s:wait_event "tick"
        s:wait(0)
        s:emit "on"
      end,
    }
    for i, tell in ipairs(tellings) do
      for _, words in ipairs { "always (tick and n < 1.5 -> go)", "always (tick and n < 1.5 -> go within 0)" } do
        local sim = simulator(tell)
        local m = saltus.formula.monitor(words, sim)
        assert.same({ "reached_boundary_time", 4 }, { m:advance_to(4).reason, sim.context.time }, words .. i)
        assert.is_true(m:finish())
      end
    end
    local m = saltus.formula.monitor("always (tick -> go)", simulator(tellings[1]))
    m:advance_to(4)
    assert.same({ false, 2 }, { m.holds, m.time })
    local stopped = saltus.formula.monitor("always (tick -> go)", simulator(function(s)
      s:wait_event "tick"
      s:emit "go"
      s:stop "enough"
    end))
    assert.same({ "reached_termination", 1 }, { stopped:advance_to(4).reason, stopped.sim.context.time })
    assert.is_nil(stopped.holds)
  end)

  it("does not end an advance at a watch of a story", function()
    local sim = simulator(function(s)
      s:wait_until "level > 1.5"
      s:wait_until "level > 2.5"
    end)
    local m = saltus.formula.monitor("always (level > 1.5 -> level > 2.5 within 2)", sim)
    assert.equal("reached_boundary_time", m:advance_to(4).reason)
    assert.same({ 4 }, { sim.context.time })
  end)

  it("does not end a later advance at an event of the last instant", function()
    for _, words in ipairs { "always (look -> n < 100)", "always (go -> n < 100)" } do
      local sim = simulator(function(s)
        s:at(2)
        s:emit "go"
      end)
      local m = saltus.formula.monitor(words, sim)
      for t = 1, 5 do
        local status = m:advance_to(t)
        assert.same({ "reached_boundary_time", t }, { status.reason, status.time }, words)
      end
    end
  end)

  it("still ends it for a halt of another", function()
    local sim = simulator(function(s)
      s:at(2)
      s:emit "go"
    end)
    local m = saltus.formula.monitor("always (go -> n < 100)", sim)
    m:advance_to(2)
    local other = saltus.formula.monitor("never tick", sim)
    assert.same({ "halted", 3 }, { m:advance_to(5).reason, sim.context.time })
    assert.is_nil(m.holds)
    assert.is_nil(other.holds)
  end)

  it("has the verdict of a check after the run", function()
    for _, words in ipairs { "always (go -> done within 1.5)", "always (done -> n == 3)", "go until done",
      "eventually[0,2.5] go", "always (go -> tick within 0.5)", "(never done) or (eventually go)" } do
      local sim = simulator(telling)
      local m = saltus.formula.monitor(words, sim)
      m:advance_to(4)
      assert.equal(saltus.formula.check(scenario(), words).holds, m:finish(), words)
    end
  end)
end)

describe("saltus run", function()
  local at

  setup(function()
    at = command.new { ["told.lua"] = [[
local saltus = require "saltus"
local tank = saltus.system { name = "tank", z = { { "level", 0 } }, derivatives = function(_, dot) dot.level = 1 end }
return saltus.scenario { system = tank, duration = 4, story = function(s)
  s:wait(1.5)
  s:emit "go"
end }
]] }
  end)

  teardown(function() at:remove() end)

  it("takes emits in --until and --expect", function()
    local status, out, err = at:saltus("run", at:path "told.lua", "--until", "go")
    assert.same({ 0, "" }, { status, err })
    assert.is_truthy(out:find("tank: reached 1.5 s, where go (", 1, true), out)
    status, out = at:saltus("run", at:path "told.lua", "--expect", "eventually go")
    assert.equal(0, status)
    assert.is_truthy(out:find("holds: eventually go", 1, true))
    at:fails(1, 'unknown name "gone"', "run", at:path "told.lua", "--until", "gone")
  end)
end)
