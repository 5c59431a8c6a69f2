-- The points at which a function of a log's rows is read, so that straight lines between them show it: some inside each
-- step, each turning point, and each zero.
--
-- A position is row + share: 3.25 is a quarter of the way from row 3 to row 4.
local sampling = {}

local GOLDEN = 0.6180339887498949
local TIMES = 40 -- the bracket shrinks to 4e-9 of itself; the value at its ends then differs by the square of that

-- The position of the highest value of sign * f between two positions, and the value there.
local function peak(f, low, high, sign)
  local p, q = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
  local fp, fq = sign * f(p), sign * f(q)
  for _ = 1, TIMES do
    if not (low < p and p < q and q < high) then break end -- the bracket is as small as rounding allows
    if fp > fq then
      high, q, fq = q, p, fp
      p = high - GOLDEN * (high - low)
      fp = sign * f(p)
    else
      low, p, fp = p, q, fq
      q = low + GOLDEN * (high - low)
      fq = sign * f(q)
    end
  end
  if fp > fq then return p, sign * fp end
  return q, sign * fq
end

-- The position where f changes its sign between two positions.
local function zero(f, low, high, at_low)
  for _ = 1, 60 do
    local middle = (low + high) / 2
    if middle <= low or middle >= high then break end
    if (f(middle) >= 0) == (at_low >= 0) then low = middle else high = middle end
  end
  return high
end

local function put(out, position, value)
  local n = #out.position
  if n > 0 and position <= out.position[n] then return end
  out.position[n + 1], out.value[n + 1] = position, value
end

-- The peak near knot k, if it is one that the knot misses.
local function peak_near(f, position, value, k)
  local before, here, after = value[k - 1], value[k], value[k + 1]
  if not before or not after or (here - before) * (after - here) > 0 or before == here and here == after then
    return nil
  end
  local sign = (here > before or here > after) and 1 or -1
  local at, found = peak(f, position[k - 1], position[k + 1], sign)
  if sign * found > sign * here and at ~= position[k] then return at, found end
  return nil
end

local function with_peaks(f, knots)
  local out, position, value = { position = {}, value = {} }, knots.position, knots.value
  for k = 1, #position do
    local at, found = peak_near(f, position, value, k)
    if at and at < position[k] then put(out, at, found) end
    put(out, position[k], value[k])
    if at and at > position[k] then put(out, at, found) end
  end
  return out
end

local function with_zeros(f, knots)
  local out, position, value = { position = {}, value = {} }, knots.position, knots.value
  for k = 1, #position do
    local last = value[k - 1]
    if last and (last >= 0) ~= (value[k] >= 0) and math.abs(last) < math.huge then
      local at = zero(f, position[k - 1], position[k], last)
      if at < position[k] then put(out, at, f(at)) end
    end
    put(out, position[k], value[k])
  end
  return out
end

-- Reads f(position) from row `first` to row `last`, which a curve joins, at `pieces` points of each step. Returns
-- { position = {}, value = {} }.
function sampling.curve(f, first, last, pieces)
  local knots = { position = {}, value = {} }
  for k = 0, (last - first) * pieces do
    local position = first + k / pieces
    put(knots, position, f(position))
  end
  return with_zeros(f, with_peaks(f, knots))
end

-- The same knots, and those at the ascending positions `extra`.
function sampling.refined(f, knots, extra)
  if not extra[1] then return knots end
  local out, next_extra = { position = {}, value = {} }, 1
  for k, position in ipairs(knots.position) do
    while extra[next_extra] and extra[next_extra] < position do
      put(out, extra[next_extra], f(extra[next_extra]))
      next_extra = next_extra + 1
    end
    put(out, position, knots.value[k])
  end
  return out
end

return sampling
