-- Signals: functions of time, straight between their points, with jumps. A signal has n pieces and n + 1 points: at
-- time t[i] its value is p[i]; on the open piece from t[i] to t[i + 1] it goes from l[i] straight to r[i]. So a jump
-- has two sides, r[i - 1] and l[i], and an instant may have a value of its own: an event is true at points only.
local bisection = require "saltus.util.bisection"

local signal = {}

local min = math.min

-- A signal without pieces yet, which starts at t with the value p.
function signal.start(t, p) return { n = 0, t = { t }, p = { p }, l = {}, r = {} } end

-- Adds a piece up to t, from l to r, and the point at its end. A piece without length changes the last point only.
function signal.add(s, t, l, r, p)
  local n = s.n
  if t <= s.t[n + 1] then
    s.p[n + 1] = p
    return
  end
  n = n + 1
  s.n, s.t[n + 1], s.p[n + 1], s.l[n], s.r[n] = n, t, p, l, r
end

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

-- Adds to `out` a piece to t with the lower (higher) one of two straight lines; they may cross.
local function add_lines(out, t, pick, xl, xr, yl, yr, p)
  local dl, dr = xl - yl, xr - yr
  if dl * dr < 0 then
    local a = out.t[out.n + 1]
    local c = a + (t - a) * (dl / (dl - dr))
    if c > a and c < t then
      local v = xl + (xr - xl) * (dl / (dl - dr))
      signal.add(out, c, pick(xl, yl), v, v)
      signal.add(out, t, v, pick(xr, yr), p)
      return
    end
  end
  signal.add(out, t, pick(xl, yl), pick(xr, yr), p)
end

-- Calls fn(t, xl, xr, yl, yr, xp, yp) for the common pieces of two signals of the same span, in their order.
function signal.each_piece(x, y, fn)
  local i, j, a = 1, 1, x.t[1]
  while i <= x.n and j <= y.n do
    local ti, tj = x.t[i + 1], y.t[j + 1]
    local b = min(ti, tj)
    local xl, yl = a == x.t[i] and x.l[i] or inside(x, i, a), a == y.t[j] and y.l[j] or inside(y, j, a)
    local xr, xp, yr, yp
    if ti == b then xr, xp = x.r[i], x.p[i + 1] else xr = inside(x, i, b) end
    if tj == b then yr, yp = y.r[j], y.p[j + 1] else yr = inside(y, j, b) end
    fn(b, xl, xr, yl, yr, xp or xr, yp or yr)
    if ti == b then i = i + 1 end
    if tj == b then j = j + 1 end
    a = b
  end
end

-- The lower (pick = math.min) or the higher (math.max) one of two signals of the same span.
function signal.pick(x, y, pick)
  local out = signal.start(x.t[1], pick(x.p[1], y.p[1]))
  signal.each_piece(x, y, function(t, xl, xr, yl, yr, xp, yp)
    add_lines(out, t, pick, xl, xr, yl, yr, pick(xp, yp))
  end)
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
