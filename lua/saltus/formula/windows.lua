-- Operators of time over signals, each in time proportional to the number of pieces.
local signal = require "saltus.formula.signal"

local windows = {}

local huge = math.huge

-- ---- the extremes of a window that slides ----

-- The extreme of both sides and the point of a jump, for i = 2 .. n + 1.
local function at_corner(x, i, pick) return pick(pick(x.r[i - 1], x.p[i]), x.l[i] or x.p[i]) end

-- A queue of the corners inside the window whose values can still become the extreme, best first.
local Queue = {}
Queue.__index = Queue

function Queue:push(i, value)
  while self.tail >= self.head and self.pick(self.value[self.tail], value) == value do self.tail = self.tail - 1 end
  self.tail = self.tail + 1
  self.corner[self.tail], self.value[self.tail] = i, value
end

function Queue:drop_to(i)
  while self.tail >= self.head and self.corner[self.head] <= i do self.head = self.head + 1 end
end

function Queue:best() return self.tail >= self.head and self.value[self.head] or self.none end

local function queue(pick)
  return setmetatable({ pick = pick, none = pick == math.min and huge or -huge, head = 1, tail = 0, corner = {},
    value = {} }, Queue)
end

-- The extremes at the corners of x inside the window from t + a to t + b, as a signal of t. A corner at an end of the
-- window counts with the side that is in the window; with `open`, the end itself is not.
local function corners(x, a, b, pick, open)
  local times, last = x.t, x.n + 1
  local start, stop = times[1], times[last]
  local q = queue(pick)
  local enter, leave = 2, 1 -- the next corner to enter and to leave; the start can only leave
  while enter <= last and times[enter] - b < start do
    q:push(enter, at_corner(x, enter, pick))
    enter = enter + 1
  end
  local out, t, before = nil, start, nil
  while true do
    while leave <= last and times[leave] - a < t do leave = leave + 1 end
    local point = q.none
    while leave <= last and times[leave] - a == t do
      point = pick(point, pick(x.p[leave], x.l[leave] or x.p[leave]))
      leave = leave + 1
    end
    q:drop_to(leave - 1)
    point = pick(point, q:best())
    while enter <= last and times[enter] - b == t do
      point = pick(point, open and x.r[enter - 1] or pick(x.r[enter - 1], x.p[enter]))
      q:push(enter, at_corner(x, enter, pick))
      enter = enter + 1
    end
    if not out then out = signal.start(t, point) else signal.add(out, t, before, before, point) end
    if t >= stop then return out end
    q:drop_to(leave - 1)
    before = q:best()
    local entering, leaving = enter <= last and times[enter] - b or huge, leave <= last and times[leave] - a or huge
    t = entering < leaving and entering or leaving
    if t > stop then t = stop end
  end
end

-- ---- signals of truth: infinite everywhere ----

local function is_truth(x)
  local p, l, r = x.p, x.l, x.r
  for i = 1, x.n do
    local v, w = l[i], p[i]
    if v ~= r[i] or v ~= huge and v ~= -huge or w ~= huge and w ~= -huge then return false end
  end
  local last = p[x.n + 1]
  return last == huge or last == -huge
end

-- Calls fn(from, from_closed, upto, upto_closed) for each span of times at which a signal of truth has the value
-- `wins`, in their order. An end belongs to its span if it is closed. The last value goes on for ever.
local function each_span(x, wins, fn)
  local t, p, l, n = x.t, x.p, x.l, x.n
  local from, from_closed
  for i = 1, n + 1 do
    local here = p[i] == wins
    local after = (i <= n and l[i] or p[i]) == wins
    if from and not (here and after) then
      fn(from, from_closed, t[i], here)
      from = nil
    elseif here and not from then
      if not after then fn(t[i], true, t[i], true) else from, from_closed = t[i], true end
    end
    if after and not from then from, from_closed = t[i], false end
  end
  if from then fn(from, from_closed, huge, true) end
end

-- Gives `out`, which ends at or after `from` or has another value up to there, the value `wins` in a span.
local function add_span(out, stop, wins, from, from_closed, upto, upto_closed)
  local start, last = out.t[1], out.n + 1
  if upto < start or upto == start and not upto_closed then return end
  if from > stop or from == stop and not from_closed then return end
  if from > out.t[last] then
    signal.add(out, from, -wins, -wins, from_closed and wins or -wins)
  elseif from_closed or from < out.t[last] then
    out.p[last] = wins
  end
  if upto > stop then upto, upto_closed = stop, true end
  signal.add(out, upto, wins, wins, (upto_closed or upto == from) and wins or -wins)
end

-- windows.slide for a signal of truth and a < b: the start of each span is b earlier, its end a. Spans may join.
local function slide_truth(x, a, b, wins)
  local out, stop = signal.start(x.t[1], -wins), x.t[x.n + 1]
  local lo, lo_closed, hi, hi_closed
  each_span(x, wins, function(from, from_closed, upto, upto_closed)
    from, upto = from - b, upto - a
    if not (lo and (from < hi or from == hi and (from_closed or hi_closed))) then
      if lo then add_span(out, stop, wins, lo, lo_closed, hi, hi_closed) end
      lo, lo_closed = from, from_closed
    end
    hi, hi_closed = upto, upto_closed
  end)
  if lo then add_span(out, stop, wins, lo, lo_closed, hi, hi_closed) end
  if out.t[out.n + 1] < stop then signal.add(out, stop, -wins, -wins, -wins) end
  return out
end

-- The lowest (pick = math.min) or highest value of x from t + a to t + b, as a signal of t. `open`: without the end.
function windows.slide(x, a, b, pick, open)
  if b == huge then return signal.shift(signal.onward(x, pick), a) end
  if a < b and not open and is_truth(x) then return slide_truth(x, a, b, pick(huge, -huge)) end
  local first = signal.shift(x, a)
  if a == b then return first end
  local last = signal.shift(x, b)
  if open then last = signal.from_left(last, signal.at(x, x.t[1] + b, -1)) end
  local ends = signal.pick(first, last, pick)
  if x.n == 0 then return ends end
  return signal.pick(ends, corners(x, a, b, pick, open), pick)
end

-- ---- until ----

-- One piece of `p until q` from a to b, and its limit at a for those q that hold later than a. `beyond`: the value
-- at b.
local function until_piece(a, b, pl, pr, ql, qr, beyond)
  local p, q = signal.start(a, pl), signal.start(a, ql)
  signal.add(p, b, pl, pr, pr)
  signal.add(q, b, ql, qr, qr)
  local low, high = math.min, math.max
  if pr >= pl then
    local held = signal.pick(p, signal.onward(q, high), low)
    local later = signal.pick(p, signal.constant(beyond, a, b), low)
    held = signal.pick(held, later, high)
    return signal.pick(held, q, high), held.l[1]
  end
  local held = signal.onward(signal.pick(p, q, low), high)
  held = signal.pick(held, signal.constant(math.min(pr, beyond), a, b), high)
  return signal.pick(held, q, high), held.l[1]
end

-- q becomes true at some time, and p holds before it, from t on; p need not hold at the time of q.
function windows.until_(p, q)
  local pieces, n = {}, 0
  local a = p.t[1]
  signal.each_piece(p, q, function(_, b, pl, pr, ql, qr, pp, qp)
    n = n + 1
    pieces[n] = { a, b, pl, pr, ql, qr, pp, qp }
    a = b
  end)
  local beyond = q.p[q.n + 1]
  for i = n, 1, -1 do
    local piece = pieces[i]
    local u, later = until_piece(piece[1], piece[2], piece[3], piece[4], piece[5], piece[6], beyond)
    local before = pieces[i - 1]
    u.p[u.n + 1] = beyond
    beyond = math.max(before and before[8] or q.p[1], math.min(before and before[7] or p.p[1], later))
    pieces[i].u = u
  end
  local out = signal.start(p.t[1], beyond)
  for i = 1, n do
    local u = pieces[i].u
    for k = 1, u.n do signal.add(out, u.t[k + 1], u.l[k], u.r[k], u.p[k + 1]) end
  end
  return out
end

-- p holds from t until q holds, which happens from t + a to t + b. `unbounded(p, q)` computes it for all later times.
function windows.until_within(p, q, a, b, unbounded)
  local out = unbounded(p, q)
  if b < huge then out = signal.pick(out, windows.slide(q, 0, b - a, math.max), math.min) end
  if a == 0 then return out end
  return signal.pick(windows.slide(p, 0, a, math.min, true), signal.shift(out, a), math.min)
end

return windows
