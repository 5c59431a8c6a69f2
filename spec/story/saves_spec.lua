-- Mirrors lua/saltus/story/snapshot.lua, journal.lua and upvalues.lua, and src/binding/story/journal.c and retell.c: a
-- run with stories under way is saved, loaded and cloned.
local saltus = require "saltus"

local plant = saltus.system {
  name = "plant",
  z = { { "x", 0 } },
  inputs = { { "u", 0 } },
  discrete = { { "n", 0 }, { "made", 0 }, { "mode", "slow", values = { "slow", "fast" } } },
  derivatives = function(ctx, dot) dot.x = 1 + ctx.u - 0.1 * ctx.x end,
  events = {
    { name = "tick", every = 1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end },
    { name = "ring", at = "demand", discrete_update = function(ctx, next) next.made = ctx.made + ctx.x end },
  },
}

-- All that stories have, at random.
local function busy(s, run)
  local desk = s:resource { name = "desk", capacity = 2 }
  local box = s:store { name = "box", capacity = 3 }
  local fuel = s:tank { name = "fuel", capacity = 50, level = 20 }
  s:spawn("noise", function()
    while true do
      s:wait(s:exponential(0.7))
      run.mode = run.mode == "slow" and "fast" or "slow"
      s:emit("shake", s.time)
    end
  end)
  s:spawn("ramps", function()
    for t in s:every(3) do s:ramp("u", t % 2 / 10, { over = 1 }) end
  end)
  s:spawn("supply", function() while true do s:wait(4) fuel:put(s:integer(1, 5)) end end)
  s:spawn("work", function()
    while true do
      run.made = run.made + box:get()
      s:wait_all { 0.3, 0.1 }
      if s:random() < 0.1 then s:emit "ring" end
    end
  end)
  s:spawn("ticks", function()
    while true do
      s:wait_event "tick"
      run.made = run.made + run.n * 1e-3 + run.x
    end
  end)
  local function guest()
    local seat = desk:request { rank = s:integer(1, 3), preempt = s:random() < 0.2 }
    if s:wait_any { seat, s:event "shake", 2 } ~= 1 then return end
    if s:wait_any { s:exponential(0.8), seat:lost() } == 2 then run.made = run.made - 0.5 end
    seat:release()
    if s:wait_any { fuel:request(2), 1 } == 1 then box:put(s:uniform(0, 1)) end
  end
  while true do
    s:wait(s:exponential(0.4))
    s:spawn("guest", guest)
  end
end

local DURATION = 30

local function scenario(story, extra)
  local def = { system = plant, duration = DURATION, story = story, log = false, seed = 5 }
  for key, value in pairs(extra or {}) do def[key] = value end
  return saltus.scenario(def)
end

-- Each way from a run at some time to one that continues it.
local ways = {
  clone = function(run) return run.sim:clone() end,
  load = function(run, s)
    local other = s:prepare().sim
    other:load(run.sim:save())
    return other
  end,
  ["load into itself, later"] = function(run)
    local saved, t = run.sim:save(), run.sim.context.time
    run.sim:advance_to((t + DURATION) / 2)
    run.sim:load(saved)
    return run.sim
  end,
}

describe("a run with stories under way", function()
  for way, continue in pairs(ways) do
    it("goes on to the same bits after: " .. way, function()
      local s = scenario(busy)
      for i = 1, 12 do
        local t = DURATION * (i * 0.6180339887 % 1)
        local run, reference = s:prepare(), s:prepare()
        reference.sim:advance_to(t)
        run.sim:advance_to(t)
        local other = continue(run, s)
        reference.sim:advance_to(DURATION)
        other:advance_to(DURATION)
        assert.equal(reference.sim:hash(), other:hash())
        assert.same(reference.stories.queues.desk.statistics, other.inner.stories.queues.desk.statistics)
        assert.equal(tostring(reference.stories:parked()), tostring(other.inner.stories:parked()))
      end
    end)
  end

  it("is saved again after a load, to the same bytes", function()
    local s = scenario(busy)
    local run = s:prepare()
    run.sim:advance_to(7.7)
    local saved = run.sim:save()
    local other = s:prepare().sim
    other:load(saved)
    assert.equal(saved, other:save())
  end)

  it("costs at most 64 bytes for each wake, besides what was read", function()
    local s = scenario(function(s) for _ = 1, 1000 do s:wait(s:random() / 100) end end)
    local run = s:prepare()
    run.sim:advance_to(DURATION)
    local found = run.stories.statistics
    assert.equal(1001, found.wakes)
    assert.is_true(found.journal_bytes <= 64 * found.wakes)
    assert.equal(found.journal_bytes, run.sim.stats.journal_bytes)
  end)

  it("is saved after s:stop and after a failed story", function()
    local s = scenario(function(s, run)
      s:spawn(function() s:wait(2) error "first" end)
      s:wait(1)
      s:stop "break"
      run.made = run.made + 1
      s:wait(4)
      run.made = run.made + 10
    end)
    local run = s:prepare()
    assert.equal("reached_termination", run.sim:advance_to(9).reason)
    local other = run.sim:clone()
    for _, sim in ipairs { run.sim, other } do
      assert.is_false((pcall(sim.advance_to, sim, 9)))
      assert.equal(1, sim.context.made)
    end
    local third = other:clone()
    third:advance_to(9)
    assert.equal(11, third.context.made)
  end)

  it("reads, prints and writes nothing while it is told again", function()
    local calls, printed = { n = 0 }, {}
    local function outside()
      rawset(calls, "n", calls.n + 1)
      return { calls.n, "data" }
    end
    setmetatable(calls, {}) -- a table with a metatable is not compared
    local s = scenario(function(s, run)
      local list = s:read(outside)
      print("read", list[1], list[2])
      s:wait(1)
      run.made = list[1] * 100 + run.made
      s:wait(1)
      run.made = run.made + #list
    end)
    local print_before = print
    _G.print = function(...) printed[#printed + 1] = table.concat({ ... }, " ") end
    local run = s:prepare()
    run.sim:advance_to(1.5)
    local other = run.sim:clone()
    _G.print = print_before
    other:advance_to(3)
    assert.same({ "read 1 data" }, printed)
    assert.equal(1, calls.n)
    assert.equal(102, other.context.made)
  end)

  it("has what s:read returned, also where its function read the run", function()
    local function outside(run) return run.made + (run.mode == "on" and 1 or 0) end
    local s = scenario(function(s, run)
      run.made = 3
      local sum = s:read(outside, run) + run.made
      s:wait(1)
      run.made = sum + s:read(outside, run)
    end)
    local run = s:prepare()
    run.sim:advance_to(0.5)
    local other = run.sim:clone()
    for _, sim in ipairs { run.sim, other } do
      sim:advance_to(2)
      assert.equal(9, sim.context.made)
    end
  end)

  it("refuses what the function of s:read does to stories, which would not be done again", function()
    for what, act in pairs {
      wait = function(s) s:wait(1) end,
      wait_until = function(s) s:wait_until "made > 1" end,
      spawn = function(s) s:spawn(function() end) end,
      emit = function(s) s:emit "go" end,
      draw = function(s) s:random() end,
      release = function(_, seat) seat:release() end,
      cancel = function(s, _, other) s:cancel(other) end,
    } do
      local s = scenario(function(s)
        local seat, other = s:resource(1):take(), s:spawn(function() s:wait(1) end)
        s:wait(0)
        s:read(act, s, seat, other)
      end)
      local _, wrong = pcall(s.run, s)
      assert.matches("saves_spec.lua:%d+: the function of s:read only reads; it cannot wait, draw numbers, or do "
        .. "anything to stories %(in story \"story\" at t = 0%)", wrong, nil, nil, what)
    end
  end)

  it("has the stories that its host spawned, emitted to and cancelled", function()
    local sim = saltus.simulator(plant)
    local stories = saltus.stories(sim)
    local function adder(s, run, by)
      while true do
        local data = s:wait_event "add"
        run.made = run.made + by * data
      end
    end
    local first = stories:spawn("first", adder, 1)
    sim:advance_to(1)
    stories:spawn("second", adder, 10)
    stories:emit("add", 2)
    sim:advance_to(2)
    stories:emit("add", 3)
    stories:cancel(first)
    sim:advance_to(3)
    stories:emit("add", 4)
    local other = sim:clone()
    sim:advance_to(4)
    other:advance_to(4)
    assert.equal(2 + 30 + 40, sim.context.made) -- the second began after the first event
    assert.equal(sim:hash(), other:hash())
  end)
end)

describe("saving stories is refused", function()
  local function refused(text, s, t)
    local run = s:prepare()
    run.sim:advance_to(t or 1)
    assert.error_matches(function() run.sim:save() end, text)
    assert.error_matches(function() run.sim:clone() end, text)
  end

  it("without a journal", function()
    refused("save: the run has stories and journal = false", scenario(busy, { journal = false }))
  end)

  it("where a story changes an upvalue, with its name", function()
    local count = 0
    refused("story \"story\" %(.*saves_spec.lua:%d+%) changes the upvalue \"count\"", scenario(function(s)
      while true do
        s:wait(0.5)
        count = count + 1
      end
    end))
    local list = {}
    refused("changes the upvalue \"list\"", scenario(function(s)
      while true do
        s:wait(0.5)
        list[#list + 1] = { s.time }
      end
    end))
  end)

  it("from inside of a story", function()
    local run = scenario(function(s) s:wait(1) s.stories.sim:save() end):prepare()
    assert.error_matches(function() run.sim:advance_to(2) end, "between calls only")
  end)
end)

describe("loading stories", function()
  local function saved_at(s, t)
    local run = s:prepare()
    run.sim:advance_to(t)
    return run.sim:save()
  end

  it("that do something else is an error with the line, and changes nothing", function()
    local function slow(s, run) s:wait(2) run.made = run.n s:wait(2) end
    local saved = saved_at(scenario(slow), 3)
    local others = {
      ["stories: no story continues where one continued before the save"] = function(s) s:wait(3) s:wait(4) end,
      ["saves_spec.lua:%d+: the story reads \"x\" here"] = function(s, run) s:wait(2) run.made = run.x s:wait(2) end,
      ["a story read less than before"] = function(s) s:wait(2) s:wait(2) end,
      ["another story continues than before"] = function(s) s:spawn(function() s:wait(2) end) s:wait(2) end,
    }
    for text, story in pairs(others) do
      local run = scenario(story):prepare()
      run.sim:advance_to(0.5)
      local before = run.sim:hash()
      assert.error_matches(function() run.sim:load(saved) end, text)
      assert.equal(before, run.sim:hash())
      run.sim:advance_to(5)
    end
  end)

  it("that wait for something else at last is an error with the line, too", function()
    local saved = saved_at(scenario(function(s)
      s:wait(1)
      s:spawn("cook", function() s:wait_any { "x > 100", s:event "bell", 30 } end)
      s:wait(2)
    end), 2)
    local function told(seconds, wait, more) return function(s)
      s:wait(1)
      if wait then s:spawn("cook", wait) end
      if more then s:spawn("more", function() s:wait(9) end) end
      if seconds then s:wait(seconds) end
    end end
    local function cooks(s) s:wait_any { "x > 100", s:event "bell", 30 } end
    for text, story in pairs {
      ["saves_spec.lua:%d+: story \"story\": it waits for something else"] = told(3, cooks),
      ["saves_spec.lua:%d+: story \"cook\": it waits for something else here"] =
        told(2, function(s) s:wait_any { "x > 100", s:event "knock", 30 } end),
      ["story \"cook\": it waits for something"] =
        told(2, function(s) s:wait_any { "x > 100", s:event "bell", 31 } end),
      ["the stories: a story waited in the saved run that does not wait here"] = told(nil, cooks),
      ["saves_spec.lua:%d+: story \"more\": it waits here, and did not"] = told(2, cooks, true),
    } do
      local sim = scenario(story):prepare().sim
      sim:advance_to(0.5)
      local before = sim:hash()
      local _, wrong = pcall(sim.load, sim, saved)
      assert.matches(text, wrong)
      assert.equal(before, sim:hash())
    end
    local sim = scenario(told(2, cooks)):prepare().sim
    sim:load(saved)
    assert.equal(saved, sim:save())
  end)

  it("refuses forged bytes with a right checksum, or goes on with them, and never fails in another way", function()
    local core = require "saltus.core"
    local s = scenario(busy)
    local saved = saved_at(s, 1.5)
    local draw = 42
    local function random(n)
      draw = draw * 1103515245 + 12345 & 0x7fffffff
      return draw // 65536 % n
    end
    local sim = s:prepare().sim
    sim:advance_to(1)
    local before = sim:hash()
    for _ = 1, 150 do
      local body, at = saved:sub(1, -17), 18 + random(#saved - 34)
      body = body:sub(1, at - 1) .. string.char(random(256)) .. body:sub(at + 1, random(10) == 0 and at or -1)
      if pcall(sim.load, sim, body .. core.hash(body)) then
        pcall(sim.advance_to, sim, sim.context.time + 0.2)
        sim = s:prepare().sim
        sim:advance_to(1)
      else
        assert.equal(before, sim:hash())
      end
    end
    sim:load(saved)
    assert.equal(saved, sim:save())
  end)

  it("refuses damaged bytes, and those of a run without stories", function()
    local s = scenario(busy)
    local saved = saved_at(s, 2)
    local sim = s:prepare().sim
    sim:advance_to(1)
    for at = 1, #saved, 97 do
      local byte = saved:byte(at)
      local damaged = saved:sub(1, at - 1) .. string.char(byte ~ 0x10) .. saved:sub(at + 1)
      assert.error_matches(function() sim:load(damaged) end, "load: this was not saved by")
    end
    assert.error_matches(function() sim:load(saltus.simulator(plant):save()) end, "with stories, or it is damaged")
    assert.error_matches(function() saltus.simulator(plant):load(saved) end, "not saved by a simulator")
    sim:advance_to(3)
  end)
end)
