-- Mirrors lua/saltus/live/save_ring.lua.
local save_ring = require "saltus.live.save_ring"

local function numbers(ring)
  local out = {}
  for i, save in ipairs(ring.list) do out[i] = save.number end
  return out
end

local function filled(ring, first, last, every)
  for number = first, last, every or 1 do ring:push { number = number, time = number / 10, data = "12345678" } end
  return ring
end

describe("the saves of a live run", function()
  it("are found by state and by time", function()
    local ring = filled(save_ring.new(100), 0, 20, 5)
    assert.same({ 0, 5, 10, 20 },
      { ring:at(0).number, ring:at(9).number, ring:at(10).number, ring:at(99).number })
    assert.same({ 0, 5, 20 }, { ring:at_time(-1).number, ring:at_time(0.99).number, ring:at_time(2).number })
  end)

  it("keep the first, the newer half, and every second of the older ones", function()
    local ring = filled(save_ring.new(8), 0, 8)
    assert.same({ 0, 2, 4, 5, 6, 7, 8 }, numbers(ring))
    filled(ring, 9, 1000)
    assert.is_true(#ring.list <= 8)
    assert.equal(0, ring:first().number)
    assert.same({ 997, 998, 999, 1000 }, table.move(numbers(ring), #ring.list - 3, #ring.list, 1, {}))
  end)

  it("are bounded in bytes", function()
    local ring = filled(save_ring.new(1000, 80), 0, 100)
    assert.equal(8 * #ring.list, ring.bytes)
    assert.is_true(ring.bytes <= 80)
  end)

  it("replace one of the same state", function()
    local ring = filled(save_ring.new(), 0, 3)
    ring:push({ number = 3, time = 1, data = "other" }, true)
    assert.same({ 0, 1, 2, 3 }, numbers(ring))
    assert.equal("other", ring:last().data)
    assert.equal(3 * 8 + 5, ring.bytes)
  end)

  it("reach to the last state before a change, also where the save of the change is gone", function()
    local ring = filled(save_ring.new(8), 0, 2)
    ring:push({ number = 3, time = 1, data = "change" }, true)
    assert.same({ 2, math.huge }, { ring:at(1).reach, ring:at(3).reach })
    filled(ring, 4, 60)
    assert.equal(2, ring:at(2).reach)
    ring:cut(2)
    assert.same({ 0 }, numbers(ring))
    assert.equal(math.huge, ring:at(0).reach)
  end)
end)
