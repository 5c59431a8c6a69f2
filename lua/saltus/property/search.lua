-- Searches the values of parameters for the smallest margin, until a case fails. Each parameter is a number from 0 to
-- 1. When the points of a strategy have drawn together, or find nothing better, the next one starts from a fresh one.
local counter_random = require "saltus.sweep.counter_random"
local distributions = require "saltus.sweep.distributions"
local evolution_strategy = require "saltus.property.evolution_strategy"

local search = {}

local SIGMA = 0.25 -- of the first points, in widths of the ranges
local NARROW = 1e-3 -- where a strategy ends
local IDLE = 12 -- generations without a better point that end one
local FRESH = 10 -- points, of which the best starts the next strategy
local START, STEP = counter_random.stream "\0start", counter_random.stream "\0step"

local function clamped(u) return math.max(0, math.min(1, u)) end

-- How far a point is outside of the box, squared.
local function outside(point)
  local sum = 0
  for _, u in ipairs(point) do sum = sum + (u - clamped(u)) ^ 2 end
  return sum
end

-- The spread of the finite values: what a penalty is measured by.
local function spread(values)
  local low, high = math.huge, -math.huge
  for _, value in ipairs(values) do
    if value < math.huge and value > -math.huge then low, high = math.min(low, value), math.max(high, value) end
  end
  return high > low and high - low or 1
end

-- One strategy from a start. try(point) returns the margin; true as its second value ends the search.
local function descend(start, normal, try)
  local strategy = evolution_strategy.new { mean = start, sigma = SIGMA, normal = normal }
  local best, idle = math.huge, 0
  while idle < IDLE and strategy:spread() > NARROW do
    local points, values, far = strategy:ask(), {}, {}
    for k, point in ipairs(points) do
      local inside = {}
      for i, u in ipairs(point) do inside[i] = clamped(u) end
      local margin, is_over = try(inside)
      if is_over then return true end
      values[k], far[k] = margin, outside(point)
    end
    idle = idle + 1
    for _, value in ipairs(values) do
      if value < best then best, idle = value, 0 end
    end
    local scale = 10 * spread(values)
    for k = 1, #values do values[k] = values[k] + scale * far[k] end
    strategy:tell(values)
  end
  return false
end

-- Normal random numbers and fresh points, as functions of the seed.
local function numbers(seed)
  local drawn, started = 0, 0
  return function()
    drawn = drawn + 1
    return distributions.normal_quantile(counter_random.uniform(seed, drawn, STEP))
  end, function(n)
    local point = {}
    for i = 1, n do
      started = started + 1
      point[i] = counter_random.uniform(seed, started, START)
    end
    return point
  end
end

-- The best of some fresh points; nil if the search is over.
local function fresh_start(fresh, n, try)
  local best, least = nil, math.huge
  for _ = 1, FRESH do
    local point = fresh(n)
    local margin, is_over = try(point)
    if is_over then return nil end
    if not best or margin < least then best, least = point, margin end
  end
  return best
end

-- start: the first point, a list of numbers from 0 to 1.
function search.run(start, seed, try)
  local normal, fresh = numbers(seed)
  while start and not descend(start, normal, try) do start = fresh_start(fresh, #start, try) end
end

return search
