-- Random signals with jumps and values of their own at points, against the definitions on a grid.
local random = require "spec.support.random"
local signal = require "saltus.formula.signal"
local windows = require "saltus.formula.windows"

local GRID, LENGTH = 16, 6

local function made(draw)
  local function value() return draw:integer(-8, 8) / 2 end
  local s = signal.start(0, value())
  for t = 1, LENGTH do
    local l, r = value(), value()
    if draw:integer(1, 2) == 1 then r = l end
    signal.add(s, t, l, r, draw:integer(1, 3) == 1 and value() or r)
  end
  return s
end

-- By grid point: the limit before, the value, the limit after.
local function samples(s)
  local v = {}
  for k = 0, LENGTH * GRID do
    local t = k / GRID
    v[k] = { signal.at(s, t, -1), signal.at(s, t), signal.at(s, t, 1) }
  end
  return v
end

-- The limits and values from grid point `from` to `upto`, in their order.
local function each(v, from, upto, fn)
  for k = from, upto do
    if k > from then fn(v[k][1], k, 1) end
    fn(v[k][2], k, 2)
    if k < upto then fn(v[k][3], k, 3) end
  end
end

local function extreme(v, from, upto, pick)
  local best
  each(v, from, upto, function(value) best = best and pick(best, value) or value end)
  return best
end

-- The best of q from k + a to k + b, where p counts up to just before it.
local function until_on_grid(p, q, k, a, b)
  local best, low = -math.huge, math.huge
  local function try(value, inside) if inside then best = math.max(best, math.min(value, low)) end end
  for j = k, k + b do
    if j > k then
      low = math.min(low, p[j][1])
      try(q[j][1], j > k + a)
    end
    try(q[j][2], j >= k + a)
    low = math.min(low, p[j][2], p[j][3])
    try(q[j][3], j >= k + a and j < k + b)
  end
  return best
end

describe("a sliding window", function()
  it("finds both sides of jumps and values at points, as its definition", function()
    local draw = random.new(1)
    for _ = 1, 150 do
      local x = made(draw)
      local v, a = samples(x), draw:integer(0, 2)
      local b = a + draw:integer(0, 3)
      for _, pick in ipairs { math.min, math.max } do
        local y = windows.slide(x, a, b, pick)
        for k = 0, (LENGTH - b) * GRID do
          assert.near(extreme(v, k + a * GRID, k + b * GRID, pick), signal.at(y, k / GRID), 1e-12)
        end
        local onward = windows.slide(x, a, math.huge, pick)
        for k = 0, (LENGTH - a) * GRID do
          assert.near(extreme(v, k + a * GRID, LENGTH * GRID, pick), signal.at(onward, k / GRID), 1e-12)
        end
      end
    end
  end)
end)

describe("until", function()
  -- Two lines cross between grid points: then the grid's best is lower, by at most one cell of the slopes.
  local CELL = 8 / GRID

  it("is its definition, to a cell of the grid", function()
    local draw = random.new(2)
    for _ = 1, 100 do
      local x, y, a = made(draw), made(draw), draw:integer(0, 2)
      local p, q, b = samples(x), samples(y), a + draw:integer(0, 2)
      local u = windows.until_within(x, y, a, b, windows.until_)
      for k = 0, (LENGTH - b) * GRID do
        local least = until_on_grid(p, q, k, a * GRID, b * GRID)
        local got = signal.at(u, k / GRID)
        assert.is_true(got >= least - 1e-12 and got <= least + CELL, ("%g %g"):format(got, least))
      end
    end
  end)

  it("lets the second come true at the jump that ends the first", function()
    local p, q = signal.start(0, 1), signal.start(0, -1)
    signal.add(p, 2, 1, 1, -3)
    signal.add(p, 4, -3, -3, -3)
    signal.add(q, 2, -1, -1, 5)
    signal.add(q, 4, 5, 5, 5)
    assert.equal(1, signal.at(windows.until_(p, q), 0))
    assert.equal(1, signal.at(windows.until_within(p, q, 1, 3, windows.until_), 0))
    assert.equal(-1, signal.at(windows.until_within(p, q, 0, 1, windows.until_), 0))
  end)
end)
