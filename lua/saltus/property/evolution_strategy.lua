-- The separable CMA-ES, which minimizes a function of n numbers without derivatives: Ros and Hansen, A simple
-- modification in CMA-ES achieving linear time and space complexity, PPSN X (2008). Its covariance matrix is diagonal.
-- Constants as in Hansen, The CMA Evolution Strategy: A Tutorial, arXiv:1604.00772.
--
--   local es = evolution_strategy.new { mean = { 0.5, 0.5 }, sigma = 0.25, normal = function() ... end }
--   local points = es:ask()          a list of points
--   es:tell(values)                  the value of each; math.huge for one that has none
local evolution_strategy = {}

local Strategy = {}
Strategy.__index = Strategy

-- The weights of the best half, and their effective number.
local function weights_of(lambda)
  local mu, sum, squares = lambda // 2, 0, 0
  local w = {}
  for i = 1, mu do
    w[i] = math.log((lambda + 1) / 2) - math.log(i)
    sum = sum + w[i]
  end
  for i = 1, mu do
    w[i] = w[i] / sum
    squares = squares + w[i] * w[i]
  end
  return w, 1 / squares
end

-- The learning rates; a diagonal matrix has fewer numbers to learn, so its rates are (n + 2) / 3 times as large.
local function set_rates(self, n)
  local mu = self.effective
  self.c_sigma = (mu + 2) / (n + mu + 5)
  self.damping = 1 + 2 * math.max(0, math.sqrt((mu - 1) / (n + 1)) - 1) + self.c_sigma
  self.c_path = (4 + mu / n) / (n + 4 + 2 * mu / n)
  local faster = (n + 2) / 3
  self.c_one = math.min(1, 2 / ((n + 1.3) ^ 2 + mu) * faster)
  self.c_mu = math.min(1 - self.c_one, 2 * (mu - 2 + 1 / mu) / ((n + 2) ^ 2 + mu) * faster)
  self.expected = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n)) -- of the length of a normal vector
end

-- normal(): random numbers of the standard normal distribution
function evolution_strategy.new(given)
  local n = #given.mean
  local self = setmetatable({ n = n, sigma = given.sigma, normal = given.normal, mean = {}, variance = {},
    step_path = {}, path = {}, lambda = 4 + math.floor(3 * math.log(n)) }, Strategy)
  self.weights, self.effective = weights_of(self.lambda)
  set_rates(self, n)
  for i = 1, n do
    self.mean[i], self.variance[i], self.step_path[i], self.path[i] = given.mean[i], 1, 0, 0
  end
  return self
end

-- The points of the next generation.
function Strategy:ask()
  local points = {}
  self.steps = {}
  for k = 1, self.lambda do
    local z, x = {}, {}
    for i = 1, self.n do
      z[i] = math.sqrt(self.variance[i]) * self.normal()
      x[i] = self.mean[i] + self.sigma * z[i]
    end
    self.steps[k], points[k] = z, x
  end
  return points
end

local function best_first(values)
  local order = {}
  for k = 1, #values do order[k] = k end
  table.sort(order, function(a, b)
    if values[a] ~= values[b] then return values[a] < values[b] end
    return a < b
  end)
  return order
end

-- Moves element i by the steps of the best points.
local function move(self, i, order)
  local mean, square = 0, 0
  for k, weight in ipairs(self.weights) do
    local z = self.steps[order[k]][i]
    mean, square = mean + weight * z, square + weight * z * z
  end
  self.mean[i] = self.mean[i] + self.sigma * mean
  local cs, cp, mu = self.c_sigma, self.c_path, self.effective
  local spread = math.sqrt(self.variance[i])
  self.step_path[i] = (1 - cs) * self.step_path[i] + math.sqrt(cs * (2 - cs) * mu) * mean / spread
  self.path[i] = (1 - cp) * self.path[i] + math.sqrt(cp * (2 - cp) * mu) * mean
  self.variance[i] = (1 - self.c_one - self.c_mu) * self.variance[i] + self.c_one * self.path[i] ^ 2
    + self.c_mu * square
  return self.step_path[i] ^ 2
end

-- The values of the points that ask returned.
function Strategy:tell(values)
  local order, length = best_first(values), 0
  for i = 1, self.n do length = length + move(self, i, order) end
  self.sigma = self.sigma * math.exp(math.min(1,
    self.c_sigma / self.damping * (math.sqrt(length) / self.expected - 1)))
end

-- The largest standard deviation of an element.
function Strategy:spread()
  local largest = 0
  for i = 1, self.n do largest = math.max(largest, self.variance[i]) end
  return self.sigma * math.sqrt(largest)
end

return evolution_strategy
