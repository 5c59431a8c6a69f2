-- The points at which a picture shows a log. Jumps are vertical: at the time of an update there are two points with
-- the same time, the state before it and the state after it. A log without `every` has both as rows; beside the rows
-- of `every`, the recorder keeps them as jumps (src/engine/recorder/jump_rows.c).
--
--   local points = picture_points.of(log, 4000)
--   points.time             the times, not decreasing
--   points:values(column)   the values there, of a column of log_columns; NaN where the log was stopped
local bisection = require "saltus.util.bisection"
local extremes = require "saltus.output.extremes"
local log_columns = require "saltus.output.log_columns"

local picture_points = {}

local FINEST = 16 -- pieces of a curve from one row to the next, while there are few rows
local MANY, STRETCHES = 50, 5 -- times `most`: of more rows than MANY, only the extremes of STRETCHES are points
local SAME = 2 ^ -49 -- a multiple of `every` and the time of an update may differ by rounding

local Points = {}
Points.__index = Points

-- Each point is a row (with a share of the way to the next one), or a side of a jump, or a gap (row 0).
local function add(points, time, row, share, side)
  local n = #points.time + 1
  points.time[n], points.row[n], points.share[n], points.side[n] = time, row, share, side or false
end

local function add_gap(points, time) add(points, time, 0, 0) end

local function add_jump(points, jumps, jump)
  if jumps.marks[jump] == log_columns.GAP and not points.after_gap then
    add_gap(points, jumps.time[jump])
    points.after_gap = true
  end
  add(points, jumps.time[jump], jump, 0, "before")
  add(points, jumps.time[jump], jump, 0, "after")
end

-- The part of the way from a row to the next one that is in the window, as shares.
local function shares_of(window, time, row, is_curve)
  if not window or not is_curve then return 0, 1 end
  local t, length = time[row], time[row + 1] - time[row]
  return math.max(0, (window.from - t) / length), math.min(1, (window.to - t) / length)
end

-- The row, and points between it and the next one where the values are known there. Curves end at the window.
local function add_row(points, log, row, pieces)
  local time, window, is_curve = log.time, points.window, points.inner.rec.is_curve
  if log.marks[row] == log_columns.GAP and not points.after_gap then add_gap(points, time[row]) end
  points.after_gap = false
  if window and time[row] > window.to and row > 1 and is_curve(row - 1) then return end
  local from, to = shares_of(window, time, row, is_curve(row))
  local function at(share) add(points, time[row] + share * (time[row + 1] - time[row]), row, share) end
  if from == 0 then add(points, time[row], row, 0) elseif from < 1 then at(from) end
  for k = 1, pieces > 1 and is_curve(row) and pieces - 1 or 0 do
    at(from + k / pieces * (to - from))
  end
  if to < 1 and to > from then at(to) end
end

local function is_same(a, b) return math.abs(a - b) <= SAME * math.max(math.abs(a), math.abs(b)) end

-- The rows to show, in their order. Of very many, those where a signal is lowest or highest in its stretch, and gaps.
local function rows_of(log, first, last, most)
  local rows, keep, all = {}, { [first] = true, [last] = true }, last - first < MANY * most
  for _, c in ipairs(all and {} or log_columns.flat(log)) do
    extremes.mark(c.source, first, last, STRETCHES * most, keep)
  end
  if not all then extremes.mark(log.marks, first, last, STRETCHES * most, keep) end
  for row = first, last do
    if all or keep[row] then rows[#rows + 1] = row end
  end
  return rows
end

-- The rows of a window of time, with one beyond each end.
local function span_of(time, window)
  if not window then return 1, #time end
  local before, after = bisection.count_to(time, window.from), bisection.count_to(time, window.to)
  while before > 1 and time[before] == window.from do before = before - 1 end
  return math.max(before, 1), math.min(after + 1, #time)
end

-- `most`: with fewer rows than this, curves between rows have more points; with far more, not all rows are points.
-- `window`, { from =, to = }: only what is near these times.
function picture_points.of(log, most, window)
  local inner = log_columns.inner_of(log)
  local first, last = span_of(log.time, window)
  local count = last - first + 1
  local points = setmetatable({ inner = inner, window = window, time = {}, row = {}, share = {}, side = {} }, Points)
  local jumps = inner.rec.jumps
  local pieces = math.max(1, math.min(FINEST, most // math.max(count, 1)))
  local jump, n = window and bisection.count_to(jumps.time, log.time[first]) + 1 or 1, #jumps.time
  if window then n = bisection.count_to(jumps.time, log.time[last]) end
  for _, row in ipairs(rows_of(log, first, last, most)) do
    local t = log.time[row]
    while jump <= n and jumps.time[jump] < t and not is_same(jumps.time[jump], t) do
      add_jump(points, jumps, jump)
      jump = jump + 1
    end
    -- A row at the time of a jump is its side before.
    if jump > n or not is_same(jumps.time[jump], t) then add_row(points, log, row, pieces) end
  end
  for k = jump, n do add_jump(points, jumps, k) end
  return points
end

function Points:values(c)
  local out, row, share, side = {}, self.row, self.share, self.side
  for i = 1, #row do
    if row[i] == 0 then
      out[i] = 0 / 0
    elseif side[i] then
      out[i] = log_columns.at_jump(c, row[i], side[i])
    else
      out[i] = log_columns.between(c, row[i], share[i])
    end
  end
  return out
end

return picture_points
