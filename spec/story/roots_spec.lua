-- Mirrors lua/saltus/story/roots.lua: clones and loads have the stories that the host spawned, with their arguments.
local roots = require "saltus.story.roots"
local saltus = require "saltus"

local function first() end
local function second() end

-- A list of stories: { name, function, arguments ... }, with n.
local function filled()
  local list, expected = roots.new(), {}
  local function add(...)
    list:add(...)
    expected[#expected + 1] = table.pack(...)
  end
  for i = 1, 3 do add(nil, first, i, "a") end
  for i = 4, 5 do add(nil, first, i, nil, nil) end
  add("named", first, 6, nil, nil)
  add(nil, second)
  add(nil, second)
  for i = 9, 10 do add(nil, function() return expected end, i) end
  return list, expected
end

describe("the stories that a host spawned", function()
  it("are what was added, in order", function()
    local list, expected = filled()
    assert.equal(10, list.count)
    for i, one in ipairs(expected) do assert.same(one, table.pack(list:get(i))) end
    assert.equal(0, select("#", list:get(11)))
  end)

  it("are kept up to any number of them, and go on from there; a copy stays as it was", function()
    local whole = filled()
    for count = 0, 10 do
      local list, expected = filled()
      local copy = list:copy()
      list:keep(count)
      assert.equal(count, list.count)
      list:add(nil, first, "new", nil)
      for i = 1, count do assert.equal(table.pack(whole:get(i))[3], table.pack(list:get(i))[3]) end
      assert.same({ n = 4, nil, first, "new", nil }, table.pack(list:get(count + 1)))
      assert.equal(0, select("#", list:get(count + 2)))
      for i, one in ipairs(expected) do assert.same(one, table.pack(copy:get(i))) end
    end
  end)

  it("share what they have in common, unless something that they use has changed", function()
    local rate, helper = 1, function() return 1 end
    local function story() return rate, helper, saltus end
    local list = roots.new()
    local function groups_after(change)
      change()
      for i = 1, 2 do list:add(nil, story, i) end
      return #list
    end
    assert.equal(1, groups_after(function() end))
    assert.equal(2, groups_after(function() rate = 2 end))
    assert.equal(3, groups_after(function() helper = function() return 1 end end))
    assert.equal(3, groups_after(function() end))
    assert.matches("story \"story 1\" %(.*roots_spec.lua:%d+%) changes the upvalue \"rate\"", list:find_change())
    rate = 1
    assert.matches("story \"story 3\" .* changes the upvalue \"rate\"", list:find_change())
  end)

  it("are told again by a clone and after a load, each with its own arguments and name", function()
    local sim = saltus.simulator(saltus.system { name = "sum", discrete = { { "sum", 0 } } })
    local stories = saltus.stories(sim)
    local function add(s, run, seconds, amount)
      s:wait(seconds)
      run.sum = run.sum + amount
    end
    for i = 1, 5 do stories:spawn(add, i, 10 ^ i) end
    local named = stories:spawn("named", add, 6, 7)
    sim:advance_to(2.5)
    local saved = sim:save()
    stories:spawn(add, 1, 0.5)
    local clone = sim:clone()
    for _, one in ipairs { sim, clone } do
      one:advance_to(10)
      assert.equal(111117.5, one.context.sum)
    end
    assert.equal(sim:hash(), clone:hash())
    sim:load(saved)
    stories:spawn(add, 1, 0.25)
    sim:advance_to(10)
    assert.equal(111117.25, sim.context.sum)
    assert.equal("named", named:name())
    assert.equal(sim:hash(), sim:clone():hash())
  end)
end)
