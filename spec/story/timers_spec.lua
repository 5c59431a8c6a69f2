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
