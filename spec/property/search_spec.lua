-- Mirrors lua/saltus/property/evolution_strategy.lua and search.lua: minima of functions that are known.
local counter_random = require "saltus.sweep.counter_random"
local cases = require "spec.support.cases"
local distributions = require "saltus.sweep.distributions"
local evolution_strategy = require "saltus.property.evolution_strategy"
local saltus = require "saltus"
local search = require "saltus.property.search"

local function normal(seed)
  local drawn = 0
  return function()
    drawn = drawn + 1
    return distributions.normal_quantile(counter_random.uniform(seed, drawn, 1))
  end
end

-- How many points reach a value below `goal`, and the last strategy.
local function minimize(f, n, goal, seed)
  local mean, count = {}, 0
  for i = 1, n do mean[i] = 1 end
  local es = evolution_strategy.new { mean = mean, sigma = 0.5, normal = normal(seed) }
  while count < 1e5 do
    local values = {}
    for k, x in ipairs(es:ask()) do
      values[k], count = f(x), count + 1
      if values[k] < goal then return count, es end
    end
    es:tell(values)
  end
  return math.huge, es
end

local function sphere(x)
  local sum = 0
  for _, v in ipairs(x) do sum = sum + v * v end
  return sum
end

-- Axes of lengths from 1 to 1e-3.
local function ellipsoid(x)
  local sum = 0
  for i, v in ipairs(x) do sum = sum + 10 ^ (6 * (i - 1) / math.max(1, #x - 1)) * v * v end
  return sum
end

describe("the evolution strategy", function()
  for _, n in ipairs { 1, 2, 10 } do
    it(("finds the minimum of a sphere and of an ellipsoid of %d numbers"):format(n), function()
      for seed = 1, 2 do
        assert.is_true(minimize(sphere, n, 1e-12, seed) < 300 * n + 400)
        assert.is_true(minimize(ellipsoid, n, 1e-12, seed) < 1000 * n + 400)
      end
    end)
  end

  it("reads the order of the values alone", function()
    local function bent(x) return math.atan(sphere(x)) ^ 0.25 end
    assert.equal(minimize(sphere, 5, 1e-8, 7), (minimize(bent, 5, math.atan(1e-8) ^ 0.25, 7)))
  end)

  it("has no trouble with values that are infinite", function()
    local function walled(x) return x[1] < 0 and math.huge or sphere(x) end
    assert.is_true(minimize(walled, 3, 1e-10, 2) < 3000)
  end)
end)

describe("the search", function()
  it("stays in the ranges, and reaches their ends", function()
    for _, at in ipairs { 0, 1, 0.3 } do
      local best, count = math.huge, 0
      search.run({ 0.5, 0.5, 0.5 }, 3, function(point)
        local sum = 0
        for _, u in ipairs(point) do
          assert(u >= 0 and u <= 1)
          sum = sum + math.abs(u - at)
        end
        best, count = math.min(best, sum), count + 1
        return sum, count == 400
      end)
      assert.is_true(best < (at == 0.3 and 1e-2 or 1e-12), ("%g: %g"):format(at, best))
    end
  end)

  it("starts from fresh points, and so leaves a local minimum", function()
    local count, found = 0, nil
    search.run({ 0.2, 0.2 }, 1, function(point)
      local near = (point[1] - 0.2) ^ 2 + (point[2] - 0.2) ^ 2
      local far = (point[1] - 0.9) ^ 2 + (point[2] - 0.9) ^ 2 - 0.01
      count, found = count + 1, found or far < 0 and near > far and count
      return math.min(near, far < 0.01 and far or 1), found or count == 20000
    end)
    assert.is_truthy(found)
  end)

  it("of saltus.forall finds the smallest margin", function()
    local result = saltus.forall { params = { x = { -3, 5 }, y = { 0, 9 } }, runs = 20, search = 600, file = false,
      holds = function(values) return (values.x - 1.25) ^ 2 + (values.y - 7.5) ^ 2 end }
    assert.equal(620, result.runs)
    assert.is_true(result.margin < 1e-3)
    assert.near(1.25, result.values.x, 0.1)
    assert.near(7.5, result.values.y, 0.1)
    assert.matches("holds in 620 cases; the smallest margin is ", tostring(result))
  end)
end)

-- Properties that random samples do not falsify, each with the runs in which the search does.
local shows = {
  { file = "spec/support/cruise_control.lua", within = 200, holds = function(run)
      local low = math.huge
      for _, gap in ipairs(run.log.gap) do low = math.min(low, gap) end
      return low + 23.1
    end, log = { "gap" }, params = { t1 = { 2, 8 }, brake1 = { 0, 8 }, len1 = { 0.5, 4 }, t2 = { 9, 20 },
      brake2 = { 0, 8 }, len2 = { 0.5, 4 }, boost = { 0, 3 }, lag = { 0.1, 0.8 } } },
  { file = "spec/support/crane.lua", within = 1500, holds = function(run)
      local high = 0
      for _, angle in ipairs(run.log.angle) do high = math.max(high, math.abs(angle)) end
      return 1 - high
    end, log = { "angle" }, params = { length = { 4, 30 }, a1 = { 0, 0.3 }, w1 = { 0.2, 5 }, a2 = { 0, 0.3 },
      w2 = { 0.2, 5 }, phase = { 0, 6.3 } } },
}

for _, show in ipairs(shows) do
  describe("the property of " .. show.file, function()
    it("holds in uniform samples", function()
      local params = {}
      for name, range in pairs(show.params) do params[name] = { uniform = range } end
      local result = saltus.sweep { scenario = dofile(show.file), params = params, runs = cases(1000), seed = 1,
        log = show.log, measure = show.holds }
      assert.equal(0, result.failures)
      for _, margin in ipairs(result.data.value) do assert.is_true(margin >= 0) end
    end)

    for seed = 1, cases(5) do
      it(("is falsified, made simpler and replayed, seed %d"):format(seed), function()
        local result = saltus.forall { scenario = show.file, params = show.params, log = show.log, holds = show.holds,
          runs = 50, search = show.within - 50, seed = seed, raise = false, file = false }
        assert.is_false(result.holds)
        local set, count = {}, 0
        for name, value in result.command:gmatch "%-%-set (%w+)=(%S+)" do
          set[name], count = tonumber(value), count + 1
        end
        assert.is_true(count >= 1 and count <= 5, result.command)
        assert.equal("saltus run " .. show.file, (result.command:match "^(.-) %-%-"))
        local run = dofile(show.file):run { set = set, log = show.log }
        assert.equal(result.margin, show.holds(run))
        assert.is_true(result.margin < 0)
      end)
    end
  end)
end
