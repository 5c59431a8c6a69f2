-- Roundings and roots, for judges that know nothing of the engine.
local numbers = {}

numbers.epsilon = 2.0 ^ -52

-- One to two ulp of t.
function numbers.ulp(t) return math.abs(t) * numbers.epsilon end

local function bisect(f, a, b, fa)
  for _ = 1, 200 do
    local m = a + (b - a) / 2
    if m <= a or m >= b then break end
    if (f(m) < 0) == (fa < 0) then a = m else b = m end
  end
  return b
end

-- All roots of f in (a, b), found on a grid so fine that f has at most one extremum in a piece: { { at, sign, slope } }
-- in order, and the least |f| at an extremum between them: how far f is from touching zero without crossing it.
function numbers.roots(f, slope, a, b, grid)
  local found, nearest = {}, math.huge
  local n = math.ceil((b - a) / grid)
  local t0, f0, s0 = a, f(a), slope(a)
  for i = 1, n do
    local t1 = i == n and b or a + (b - a) * i / n
    local f1, s1 = f(t1), slope(t1)
    local cuts = { t0, t1 }
    if (s0 < 0) ~= (s1 < 0) then
      local top = bisect(slope, t0, t1, s0)
      nearest = math.min(nearest, math.abs(f(top)))
      cuts = { t0, top, t1 }
    end
    for k = 2, #cuts do
      local from, to = f(cuts[k - 1]), f(cuts[k])
      if (from < 0) ~= (to < 0) then
        local at = bisect(f, cuts[k - 1], cuts[k], from)
        found[#found + 1] = { at = at, sign = from < 0 and 1 or -1, slope = math.abs(slope(at)) }
      end
    end
    t0, f0, s0 = t1, f1, s1
  end
  return found, math.min(nearest, math.abs(f(a)), math.abs(f0))
end

-- The least distance between neighbours.
function numbers.least_gap(roots)
  local gap = math.huge
  for i = 2, #roots do gap = math.min(gap, roots[i].at - roots[i - 1].at) end
  return gap
end

-- 10 ^ u, u uniform.
function numbers.decades(r, low, high) return 10.0 ^ (low + (high - low) * r:real()) end

function numbers.between(r, low, high) return low + (high - low) * r:real() end

return numbers
