-- Mirrors lua/saltus/live/trace.lua.
local trace = require "saltus.live.trace"

local columns = { { name = "x" }, { name = "m", held = true } }

local function filled(last)
  local t = trace.new(columns)
  for i = 1, last do t:append(i, { 10 * i, i % 2 }) end
  return t
end

describe("the rows of a live run", function()
  it("are returned after a serial number and up to a time", function()
    local t = filled(5)
    assert.same({ { { 3, 30, 1 }, { 4, 40, 0 } }, 4 }, { t:rows(2, 4.5, math.huge) })
    assert.same({ {}, 5 }, { t:rows(5, 9, math.huge) })
  end)

  it("are interpolated, except those that are held", function()
    local t = filled(3)
    assert.same({ 1.25, 12.5, 1 }, t:at(1.25))
    assert.same({ 3, 30, 1 }, t:at(3))
    assert.is_nil(t:at(0.5))
    t:append(3, { 90, 1 })
    assert.same({ 3, 90, 1 }, t:at(3))
  end)

  it("are cut after a serial number, which later rows do not use again", function()
    local t = filled(5)
    t:cut(2)
    t:append(2.5, { 7, 7 })
    assert.same({ { { 1, 10, 1 }, { 2, 20, 0 }, { 2.5, 7, 7 } }, 6 }, { t:rows(0, 9, math.huge) })
  end)

  it("keep their extremes when there are too many", function()
    local t = trace.new { { name = "x" } }
    for i = 1, 100000 do t:append(i, { i == 777 and 5 or i == 50000 and -5 or i % 3 / 10 }) end
    local rows = t:rows(0, math.huge, math.huge)
    assert.is_true(#rows < trace.MOST)
    local low, high = 0, 0
    for i, row in ipairs(rows) do
      low, high = math.min(low, row[2]), math.max(high, row[2])
      assert.is_true(i == 1 or row[1] > rows[i - 1][1])
    end
    assert.same({ -5, 5 }, { low, high })
    assert.is_true(#t:rows(0, math.huge, 300) <= 300)
  end)

  it("get other columns", function()
    local t = filled(2):with_columns { { name = "new" }, { name = "x" } }
    local rows = t:rows(0, 9, math.huge)
    assert.same({ 10, 20 }, { rows[1][3], rows[2][3] })
    assert.is_true(rows[1][2] ~= rows[1][2])
  end)
end)
