-- Mirrors src/binding/story/timer.c: when each of many stories goes on.
local saltus = require "saltus"

local function new_stories()
  local sim = saltus.simulator(saltus.system { name = "clock", discrete = { { "n", 0 } } })
  return saltus.stories(sim), sim
end

-- How long a story waits each time: as long as the one before, ever shorter, or at random, some at the same time.
local function lengths_of(i, random)
  local lengths = {}
  for k = 1, 4 do
    local kind = i % 3
    lengths[k] = kind == 0 and 1 or kind == 1 and 500 - i % 500 or random(300)
  end
  return lengths
end

describe("many stories that wait", function()
  it("go on in the order of their times, for however long, and whichever of their timers are dropped", function()
    local draw, order, expected = 42, {}, {}
    local function random(n)
      draw = draw * 1103515245 + 12345 & 0x7fffffff
      return draw // 65536 % n
    end
    local function wait(s, _, i, lengths)
      for k, length in ipairs(lengths) do
        if length % 3 == 0 then s:wait_any { s:event "never", 2 * length, length } else s:wait(length) end
        order[#order + 1] = { time = s.time, id = i * 10 + k }
      end
    end
    local stories, sim = new_stories()
    for i = 1, 1200 do
      local lengths, at = lengths_of(i, random), 0
      stories:spawn(wait, i, lengths)
      for k, length in ipairs(lengths) do
        at = at + length
        expected[i * 10 + k] = at
      end
    end
    sim:advance_to(3000)
    assert.equal(4 * 1200, #order)
    for n, one in ipairs(order) do
      assert.equal(expected[one.id], one.time)
      assert.is_true(n == 1 or one.time >= order[n - 1].time)
    end
  end)

  it("go on at one instant in the order in which they began to wait for it", function()
    local order, early, late = {}, {}, {}
    local stories, sim = new_stories()
    for i = 1, 300 do
      local is_early = i % 3 == 0
      local list = is_early and early or late
      list[#list + 1] = i
      stories:spawn(function(s)
        s:wait(i / 1024)
        s:wait(1 - i / 1024 + (is_early and 1 or 0)) -- to 2, or to 1 first
        if not is_early then s:wait(1) end
        order[#order + 1] = i
      end)
    end
    sim:advance_to(3)
    assert.same(table.move(late, 1, #late, #early + 1, early), order)
  end)

  it("go on when most of the others have ended their waits early", function()
    local stories, sim = new_stories()
    local found = {}
    for i = 1, 200 do stories:spawn(function(s) s:wait_any { s:event "go", 100 + i } end) end
    for i = 1, 10 do stories:spawn(function(s) s:wait(150 + i / 16) found[#found + 1] = i end) end
    stories:spawn(function(s) s:wait(1) s:emit "go" end)
    sim:advance_to(2)
    assert.equal(10, stories.statistics.timers)
    sim:advance_to(400)
    assert.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, found)
  end)
end)

-- A traced story yields at each wait; one that goes on alone does not. See l_go_on_at of src/binding/story/story.h.
describe("a story that is the next to go on", function()
  local function model()
    return saltus.system { name = "model", discrete = { { "n", 0 } }, inputs = { { "u", 0 } }, events = {
      { name = "tick", every = 7, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }
  end

  local bodies = {
    alone = function(s) for _ = 1, 200 do s:wait(0.25) end end,
    every = function(s) for t in s:every(0.5) do s:at(t + s:random() / 4) end end,
    writes = function(s, run)
      for k = 1, 100 do
        run.u = k
        s:wait(1)
      end
    end,
    reads = function(s, run) while run.n < 5 do s:wait(run.n + 0.5) end end,
    no_time = function(s) for k = 1, 100 do s:wait(k % 3) end end,
    late = function(s) for k = 1, 50 do pcall(s.wait_event, s, "never", { within = k / 16 }) s:wait(1 / 16) end end,
    any = function(s) for k = 1, 50 do s:wait_any { 0.5, s:event "go", k } s:wait(0.125) end end,
    spawns = function(s) for _ = 1, 20 do s:wait(2) s:spawn(function(other) other:wait(1) s:emit "go" end) end end,
  }

  -- What a run leaves that advances in pieces; `names`: its stories.
  local function left_by(names, is_traced)
    local sim, reached = saltus.simulator(model(), { seed = 3 }), {}
    local log = saltus.log(sim, { "n", "u" })
    local stories = saltus.stories(sim)
    if is_traced then stories:trace(function() end) end
    for _, name in ipairs(names) do
      stories:spawn(name, function(s, run)
        s:wait(1 / 32)
        bodies[name](s, run)
      end)
    end
    for k = 1, 12 do reached[k] = tostring(sim:advance_to(3.3 * k)) end
    return { saved = sim:save(), reached = reached, rows = #log.time, ticks = log:times "tick",
      counts = stories.statistics, steps = sim.stats.steps }
  end

  it("leaves what a switch to it leaves, with others or alone", function()
    local all = {}
    for name in pairs(bodies) do all[#all + 1] = name end
    table.sort(all)
    for i, name in ipairs(all) do
      for _, list in ipairs { { name }, { name, all[i % #all + 1] }, { name, "late", "spawns" }, all } do
        assert.same(left_by(list, true), left_by(list, false))
      end
    end
  end)

  it("stops where the run ends, and goes on after a load", function()
    local stories, sim = new_stories()
    stories:spawn(function(s) for _ = 1, 1000 do s:wait(1) end end)
    sim:advance_to(10.5)
    assert.equal(11, stories.statistics.wakes)
    local saved = sim:save()
    for t, ctx in sim:steps(13) do assert.equal(t, ctx.time) end
    assert.equal(14, stories.statistics.wakes)
    sim:load(saved)
    assert.equal(11, stories.statistics.wakes) -- told again
    sim:advance_to(20)
    assert.equal(21, stories.statistics.wakes)
  end)

  it("ends its waits when the run is interrupted", function()
    local stories, sim = new_stories()
    stories:spawn(function(s)
      for k = 1, 1000 do
        s:wait(1)
        if k == 20 then sim:interrupt() end
      end
    end)
    assert.equal("interrupted", sim:advance_to(500).reason)
    assert.equal(20, sim.context.time)
  end)
end)
