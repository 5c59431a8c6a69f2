-- Mirrors src/base/math/ and src/binding/math.c: values that mpmath computed, and the same bits in Lua and in programs.
-- `make math` compares millions of arguments with MPFR; src/base/math/math_test.c has the special values.
local saltus = require "saltus"
local both_ways = require "spec.support.both_ways"

local lockstep = saltus.math

local function ulp(x)
  x = math.abs(x)
  local bits = string.unpack("<i8", string.pack("<d", x))
  return string.unpack("<d", string.pack("<i8", bits + 1)) - x
end

-- By function: the greatest error in ulp, and the number of cases.
local function errors()
  local worst, count = {}, {}
  for line in io.lines "spec/data/math.txt" do
    local words = {}
    for word in line:gmatch "%S+" do words[#words + 1] = word end
    local name = words[1]
    if name ~= "#" then
      local got = lockstep[name](tonumber(words[2]), #words == 5 and tonumber(words[3]) or nil)
      local nearest = tonumber(words[#words - 1])
      local off = math.abs((got - nearest) / ulp(nearest) - tonumber(words[#words]))
      worst[name], count[name] = math.max(worst[name] or 0, off), (count[name] or 0) + 1
    end
  end
  return worst, count
end

describe("saltus.math", function()
  it("is within 1 ulp of values with hundreds of digits", function()
    local worst, count = errors()
    for name in pairs(lockstep) do
      assert.is_true(count[name] > 100, name)
      assert.is_true(worst[name] < 1, ("%s: %.3f ulp"):format(name, worst[name]))
    end
  end)

  it("has eight functions, and names the nearest for another", function()
    assert.error_matches(function() return lockstep.sinn end, 'function "sinn" in saltus.math; did you mean "sin"')
  end)

  it("takes numbers only", function()
    assert.error_matches(function() lockstep.pow(2) end, "number expected, got no value")
    assert.error_matches(function() lockstep.sin("x") end, "number expected, got string")
  end)

  it("has the same bits in programs", function()
    local sim = both_ways.run(saltus.system(both_ways.definition(function(ctx, dot)
      local u, v, w = ctx.u[1], ctx.u[2], ctx.w
      dot.u[1] = saltus.math.sin(v) + lockstep.cos(w) - lockstep.tan(u)
      dot.u[2] = lockstep.exp(-w * w) - lockstep.log(2 + u * u)
      dot.u[3] = lockstep.pow(1 + v * v, 0.3) - lockstep.atan2(u, v)
      dot.w = lockstep.hypot(u, w) - w
    end)))
    assert.equal("program", both_ways.line_of(sim, "derivatives").state)
  end)

  it("stays in Lua with a number too few, so that the error is the closure's own", function()
    local sim = both_ways.run(saltus.system(both_ways.definition(function(ctx, dot)
      dot.u, dot.w = ctx.u, ctx.w > 10 and lockstep.pow(ctx.w) or 1
    end)))
    assert.is_truthy(both_ways.line_of(sim, "derivatives").why:find("saltus.math.pow", 1, true))
  end)

  it("is what normal and exponential draws use", function()
    local dice = saltus.system { name = "dice", discrete = { "u", "second" }, events = {
      { at = "initialization", discrete_update = function(_, next)
        next.u, next.second = next.random(), next.random()
      end } } }
    local sim = saltus.simulator(dice)
    sim:initialize()
    local first = sim.context
    assert.is_true(first.u > 0 and first.u < 1)
    -- The same stream from the start: two uniform numbers make a normal one.
    local other = saltus.system { name = "dice", discrete = { "normal" }, events = {
      { at = "initialization", discrete_update = function(_, next)
        next.normal = next.random:normal()
      end } } }
    local draws = saltus.simulator(other)
    draws:initialize()
    assert.equal(math.sqrt(-2 * lockstep.log(first.u)) * lockstep.cos(2 * math.pi * first.second), draws.context.normal)
  end)
end)
