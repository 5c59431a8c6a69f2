-- A twin of the operators of time, straight from their definitions, on a grid. A sampled signal is a list: v[3 k] is
-- its value at grid point k, v[3 k - 1] and v[3 k + 1] are its limits before and after. It is exact for signals whose
-- corners and crossings are all on the grid.
local signal = require "saltus.formula.signal"

local grid_twin = { GRID = 16 }

local G = grid_twin.GRID

-- The samples of a signal from 0 to `stop` seconds.
function grid_twin.sample(s, stop)
  local v = {}
  for k = 0, stop * G do
    for side = -1, 1 do v[3 * k + side] = signal.at(s, k / G, side) end
  end
  v.last = 3 * stop * G
  return v
end

local function map(v, w, fn)
  local out = { last = v.last }
  for i = -1, v.last + 1 do out[i] = fn(v[i], w and w[i]) end
  return out
end

-- The place `seconds` after place i, at most the last.
local function later(v, i, seconds)
  if seconds == math.huge then return v.last end
  return math.min(i + 3 * math.tointeger(seconds * G), v.last)
end

function grid_twin.slide(v, a, b, pick)
  local out = { last = v.last }
  for i = -1, v.last + 1 do
    local best = v[later(v, i, a)]
    for j = later(v, i, a), later(v, i, b) do best = pick(best, v[j]) end
    out[i] = best
  end
  return out
end

-- The best of q from a to b seconds after place i; p counts before it. A limit is taken from inside a piece, where p
-- counts too.
local function until_from(p, q, i, a, b)
  local best, low = -math.huge, math.huge
  local first, last = later(p, i, a), later(p, i, b)
  for j = i, last do
    local is_limit = j % 3 ~= 0 and j > i
    if is_limit then low = math.min(low, p[j]) end
    if j >= first then best = math.max(best, math.min(q[j], low)) end
    if not is_limit then low = math.min(low, p[j]) end
  end
  return best
end

function grid_twin.until_(p, q, a, b)
  local out = { last = p.last }
  for i = -1, p.last + 1 do out[i] = until_from(p, q, i, a, b) end
  return out
end

local function negative(x) return -x end

local operators = {
  ["not"] = function(_, x) return map(x, nil, negative) end,
  ["and"] = function(_, x, y) return map(x, y, math.min) end,
  ["or"] = function(_, x, y) return map(x, y, math.max) end,
  ["->"] = function(_, x, y) return map(map(x, nil, negative), y, math.max) end,
  always = function(node, x) return grid_twin.slide(x, node.a, node.b, math.min) end,
  eventually = function(node, x) return grid_twin.slide(x, node.a, node.b, math.max) end,
  ["until"] = function(node, x, y) return grid_twin.until_(x, y, node.a, node.b) end,
}

-- The robustness of a node; trace(node) returns the signal of a comparison.
function grid_twin.of(node, trace, stop)
  if not operators[node.op] then return grid_twin.sample(trace(node), stop) end
  local operands = {}
  for i, child in ipairs(node) do operands[i] = grid_twin.of(child, trace, stop) end
  return operators[node.op](node, table.unpack(operands))
end

return grid_twin
