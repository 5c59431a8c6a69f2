-- Mirrors lua/saltus/output/plot/axis_ticks.lua and scales.lua.
local axis_ticks = require "saltus.output.plot.axis_ticks"
local scales = require "saltus.output.plot.scales"

local function joined(ticks)
  local out = {}
  for i, tick in ipairs(ticks) do out[i] = tick.text end
  return table.concat(out, " ")
end

describe("an axis", function()
  local most = 0x1.fffffffffffffp+1023 -- the largest number

  it("shows any range of numbers", function()
    for _, range in ipairs { { -most, most }, { 1.7e308, 1.7e308 }, { -most, 1 }, { 0, 0x1p-1074 }, { 1, 1 + 0x1p-52 },
      { 1e-300, 1e300 }, { 0x1p-1074, most }, { math.mininteger, math.maxinteger } } do
      for _, log in ipairs { false, range[1] > 0 or nil } do
        local scale = scales.vertical { low = range[1], high = range[2], log = log }
        for _, value in ipairs(range) do
          local share = scale.share(value)
          assert.is_true(share >= 0 and share <= 1, ("%g in %g to %g"):format(value, range[1], range[2]))
        end
        local ticks = scale.ticks(5)
        assert.is_true(#ticks <= 30)
        for _, tick in ipairs(ticks) do assert.is_true(math.abs(tick.value) <= most) end
      end
    end
  end)
end)

describe("axis ticks", function()
  local function texts(low, high, n) return joined(axis_ticks.of(low, high, n)) end

  it("are round numbers with the decimals they need", function()
    assert.equal("0 2 4 6 8 10", texts(0, 10, 5))
    assert.equal("-0.5 0.0 0.5", texts(-0.7, 0.7, 4))
    assert.equal("1.00 1.02 1.04", texts(1, 1.05, 3))
  end)

  it("are at least three, so that a scale can be read", function()
    assert.equal("-4 -2 0 2 4", texts(-4.9, 4.5, 4))
  end)

  it("write the very large and small by their exponent", function()
    assert.equal("0 5e6 1e7", texts(0, 1e7, 3))
  end)

  it("have enough digits to differ, also far from 0", function()
    assert.equal("0.0015 0.0020 0.0025 0.0030", texts(0.0015, 0.003, 4))
    assert.equal("1000000 1000000.2 1000000.4", texts(1e6, 1e6 + 0.5, 3))
    assert.equal("1e-5 1.05e-5 1.1e-5", texts(1e-5, 1.1e-5, 3))
  end)

  it("are few where their texts are long", function()
    local function fitting(low, high, room)
      return axis_ticks.fitting(function(n) return axis_ticks.of(low, high, n) end, 10, room,
        function(text) return #text + 2 end)
    end
    for _, low in ipairs { 0, 1000, 123456.7 } do
      for _, room in ipairs { 40, 80, 200 } do
        local used = 0
        for _, tick in ipairs(fitting(low, low + 1e-4, room)) do used = used + #tick.text + 2 end
        assert.is_true(used <= room, used)
      end
    end
  end)

  it("of a logarithmic axis are powers of ten, with 2 and 5 where it is short", function()
    assert.equal("1 10 100 1000 1e4", joined(axis_ticks.log(1, 1e4, 10)):gsub("10000", "1e4"))
    assert.equal("0.1 0.2 0.5 1 2 5", joined(axis_ticks.log(0.1, 8, 10)))
    assert.equal("16 18 20 22", joined(axis_ticks.log(15, 22, 4)))
  end)
end)

describe("a time axis", function()
  it("is in the unit that suits the run", function()
    local units = {}
    for i, t in ipairs { 5, 0.3, 0.05, 3e-4, 5e-5, 2e-8, 0 } do units[i] = axis_ticks.time_unit(t) end
    assert.same({ "s", "s", "ms", "ms", "us", "ns", "s" }, units)
    assert.same({ "us", 1e6 }, { axis_ticks.time_unit(5e-5) })
  end)
end)

describe("a scale", function()
  it("leaves space around a constant", function()
    local scale = scales.vertical { low = 3, high = 3 }
    assert.is_true(scale.low < 3 and scale.high > 3)
    assert.equal(0.5, scale.share(3))
  end)

  it("that is logarithmic has no place for what is not greater than 0", function()
    local scale = scales.vertical { low = 1, high = 100, log = true }
    assert.is_nil(scale.share(0))
    assert.is_nil(scale.share(-1))
    assert.near(0.5, scale.share(10), 1e-12)
    local runs = scales.runs({ 1, 2, 3, 4 }, { 1, 0, 10, 100 }, function(t) return t end, scale.share)
    assert.same({ 1, 2 }, { #runs[1].xs, #runs[2].xs })
  end)
end)
