-- Signals: functions of time, straight between their points, with jumps. A signal has n pieces and n + 1 points: at
-- time t[i] its value is p[i]; on the open piece from t[i] to t[i + 1] it goes from l[i] straight to r[i]. So a jump
-- has two sides, r[i - 1] and l[i], and an instant may have a value of its own: an event is true at points only.
local bisection = require "saltus.util.bisection"

local signal = {}

local min = math.min

-- A signal without pieces yet, which starts at t with the value p.
function signal.start(t, p) return { n = 0, t = { t }, p = { p }, l = {}, r = {} } end

-- Adds a piece up to t, from l to r, and the point at its end. A piece without length changes the last point only; one
-- that continues a constant makes that longer.
local function add(s, t, l, r, p)
  local n, times, points = s.n, s.t, s.p
  if t <= times[n + 1] then
    points[n + 1] = p
    return
  end
  if l == r and n > 0 and s.l[n] == l and s.r[n] == l and points[n + 1] == l then
    times[n + 1], points[n + 1] = t, p
    return
  end
  n = n + 1
  s.n, times[n + 1], points[n + 1], s.l[n], s.r[n] = n, t, p, l, r
end

signal.add = add

function signal.constant(value, from, upto)
  local s = signal.start(from, value)
  signal.add(s, upto, value, value, value)
  return s
end

-- The value of piece i at t.
local function inside(s, i, t)
  local l, r = s.l[i], s.r[i]
  if l == r then return l end
  local a = s.t[i]
  return l + (r - l) * ((t - a) / (s.t[i + 1] - a))
end

-- The value at t; `side`: -1 just before, 1 just after. Before the start and after the end, the nearest.
function signal.at(s, t, side)
  local i = bisection.count_to(s.t, t)
  if i == 0 then return s.p[1] end
  if i > s.n and (t > s.t[i] or side ~= -1) then return s.p[i] end
  if t > s.t[i] then return inside(s, i, t) end
  if side == -1 and i > 1 then return s.r[i - 1] end
  return side == 1 and s.l[i] or s.p[i]
end

-- Returns the signal of fn(value).
function signal.map(x, fn)
  local s = { n = x.n, t = x.t, p = {}, l = {}, r = {} }
  for i = 1, x.n do s.p[i], s.l[i], s.r[i] = fn(x.p[i]), fn(x.l[i]), fn(x.r[i]) end
  s.p[x.n + 1] = fn(x.p[x.n + 1])
  return s
end

local LEAST = 5e-324

-- The margin of the opposite: where equality was enough, it no longer is.
local function opposite(v) return v == 0 and -LEAST or -v end

function signal.opposite(x) return signal.map(x, opposite) end

-- Calls fn(out, t, xl, xr, yl, yr, xp, yp, extra) for the common pieces of two signals of the same span, in their
-- order.
function signal.each_piece(x, y, fn, out, extra)
  local i, j, a, n, m = 1, 1, x.t[1], x.n, y.n
  local xt, xs, xe, xp, yt, ys, ye, yp = x.t, x.l, x.r, x.p, y.t, y.l, y.r, y.p
  while i <= n and j <= m do
    local ti, tj = xt[i + 1], yt[j + 1]
    local b = ti < tj and ti or tj
    local xl, yl = a == xt[i] and xs[i] or inside(x, i, a), a == yt[j] and ys[j] or inside(y, j, a)
    local xr, yr, px, py
    if ti == b then
      xr, px = xe[i], xp[i + 1]
      i = i + 1
    else
      xr = inside(x, i, b)
      px = xr
    end
    if tj == b then
      yr, py = ye[j], yp[j + 1]
      j = j + 1
    else
      yr = inside(y, j, b)
      py = yr
    end
    fn(out, b, xl, xr, yl, yr, px, py, extra)
    a = b
  end
end

-- Adds to `out` a piece to t with the lower one of two straight lines; they may cross.
local function add_lower(out, t, xl, xr, yl, yr, xp, yp)
  local p = xp < yp and xp or yp
  if xl <= yl and xr <= yr then return add(out, t, xl, xr, p) end
  if yl <= xl and yr <= xr then return add(out, t, yl, yr, p) end
  local a, share = out.t[out.n + 1], (xl - yl) / ((xl - yl) - (xr - yr))
  local c = a + (t - a) * share
  if c > a and c < t then
    local v = xl + (xr - xl) * share
    add(out, c, xl < yl and xl or yl, v, v)
    add(out, t, v, xr < yr and xr or yr, p)
    return
  end
  add(out, t, xl < yl and xl or yl, xr < yr and xr or yr, p)
end

local function add_higher(out, t, xl, xr, yl, yr, xp, yp)
  local p = xp > yp and xp or yp
  if xl >= yl and xr >= yr then return add(out, t, xl, xr, p) end
  if yl >= xl and yr >= xr then return add(out, t, yl, yr, p) end
  local a, share = out.t[out.n + 1], (xl - yl) / ((xl - yl) - (xr - yr))
  local c = a + (t - a) * share
  if c > a and c < t then
    local v = xl + (xr - xl) * share
    add(out, c, xl > yl and xl or yl, v, v)
    add(out, t, v, xr > yr and xr or yr, p)
    return
  end
  add(out, t, xl > yl and xl or yl, xr > yr and xr or yr, p)
end

-- The lower (pick = math.min) or the higher (math.max) one of two signals of the same span.
function signal.pick(x, y, pick)
  local out = signal.start(x.t[1], pick(x.p[1], y.p[1]))
  signal.each_piece(x, y, pick == math.min and add_lower or add_higher, out)
  return out
end

-- y(t) = x(t + d) for d >= 0; the last value continues.
function signal.shift(x, d)
  local start, stop = x.t[1], x.t[x.n + 1]
  if d == 0 then return x end
  local s = signal.start(start, signal.at(x, start + d))
  for i = 1, x.n do
    local a, b = x.t[i] - d, x.t[i + 1] - d
    if b > start then signal.add(s, b, a >= start and x.l[i] or inside(x, i, start + d), x.r[i], x.p[i + 1]) end
  end
  local last = x.p[x.n + 1]
  signal.add(s, stop, last, last, last)
  return s
end

-- The same with other values at its points: `first`, then those of the piece before each.
function signal.from_left(x, first)
  local s = { n = x.n, t = x.t, l = x.l, r = x.r, p = { first } }
  table.move(x.r, 1, x.n, 2, s.p)
  return s
end

-- The lowest (highest) value from each time on up to the end.
function signal.onward(x, pick)
  local n = x.n
  local best = x.p[n + 1]
  local t, p, l, r = { x.t[n + 1] }, { best }, {}, {} -- in reverse
  local function put(at, left, right, point)
    local k = #l + 1
    t[k + 1], p[k + 1], l[k], r[k] = at, point, left, right
  end
  for i = n, 1, -1 do
    local a, b, xl, xr = x.t[i], x.t[i + 1], x.l[i], x.r[i]
    local beyond = pick(best, xr)
    best = pick(beyond, xl)
    local point = pick(best, x.p[i])
    local c = xl ~= xr and best ~= beyond and beyond ~= xr and a + (b - a) * ((beyond - xl) / (xr - xl))
    if best == beyond then
      put(a, best, best, point)
    elseif c and c > a and c < b then
      put(c, beyond, beyond, beyond)
      put(a, xl, beyond, point)
    else
      put(a, xl, beyond, point)
    end
    best = point
  end
  local s = signal.start(x.t[1], best)
  for k = #l, 1, -1 do signal.add(s, t[k], l[k], r[k], p[k]) end
  return s
end

-- The part up to the time `stop`, which becomes its end.
function signal.cut(x, stop)
  local s = signal.start(x.t[1], x.p[1])
  for i = 1, x.n do
    if x.t[i] >= stop then break end
    local b = min(x.t[i + 1], stop)
    local whole = b == x.t[i + 1]
    local r = whole and x.r[i] or inside(x, i, b)
    signal.add(s, b, x.l[i], r, whole and x.p[i + 1] or r)
  end
  return s
end

-- The same signal, continued to `stop` with one value.
function signal.extended(x, stop, value)
  if stop <= x.t[x.n + 1] then return x end
  local s = { n = x.n }
  for _, key in ipairs { "t", "p", "l", "r" } do s[key] = table.move(x[key], 1, #x[key], 1, {}) end
  signal.add(s, stop, value, value, value)
  return s
end

return signal
