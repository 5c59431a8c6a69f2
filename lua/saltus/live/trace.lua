-- The points of the plots of a live run: rows of numbers in the order of time, with both sides of each jump. Each row
-- has a serial number, so that a step back removes exactly the rows that came after.
local bisection = require "saltus.util.bisection"
local extremes = require "saltus.output.extremes"

local trace = { MOST = 20000 } -- rows; with more, the older half is thinned

local Trace = {}
Trace.__index = Trace

-- columns: { { name =, held =, ... }, ... }
function trace.new(columns)
  local values = {}
  for i = 1, #columns do values[i] = {} end
  return setmetatable({ columns = columns, serial = {}, time = {}, values = values, last = 0 }, Trace)
end

-- Removes rows among those from `first` to `last` so that about `wanted` of them remain: of equal stretches, the
-- first row and the extremes.
local function thin(self, first, last, wanted)
  local keep, bins, count = {}, math.max(1, wanted // (2 * #self.columns + 1)), last - first + 1
  for b = 0, bins - 1 do keep[first + b * count // bins] = true end
  for _, values in ipairs(self.values) do extremes.mark(values, first, last, bins, keep) end
  for _, list in ipairs { self.serial, self.time, table.unpack(self.values) } do
    local at = first - 1
    for i = first, #list do
      if i > last or keep[i] then at, list[at + 1] = at + 1, list[i] end
    end
    for i = #list, at + 1, -1 do list[i] = nil end
  end
end

-- Appends a row: its time, and a number for each column.
function Trace:append(t, row)
  local at = #self.time + 1
  self.last = self.last + 1
  self.serial[at], self.time[at] = self.last, t
  for i, values in ipairs(self.values) do values[at] = row[i] end
  if at >= trace.MOST then thin(self, 1, at // 2, at // 4) end
end

-- Removes the rows after the one with this serial number.
function Trace:cut(serial)
  local rows = bisection.count_to(self.serial, serial)
  for _, list in ipairs { self.serial, self.time, table.unpack(self.values) } do
    for i = #list, rows + 1, -1 do list[i] = nil end
  end
end

-- Returns the same rows with other columns: those of the same name keep their values, new ones have none.
function Trace:with_columns(columns)
  local by_name, other = {}, trace.new(columns)
  for i, c in ipairs(self.columns) do by_name[c.name] = self.values[i] end
  other.serial, other.time, other.last = self.serial, self.time, self.last
  for i, c in ipairs(columns) do
    for row = 1, #self.time do other.values[i][row] = by_name[c.name] and by_name[c.name][row] or 0 / 0 end
  end
  return other
end

-- Returns rows { t, value, ... } after that serial number and up to time t, and the serial number of the last one. More
-- than `most` rows are thinned first.
function Trace:rows(after, t, most)
  local first, last = bisection.count_to(self.serial, after) + 1, bisection.count_to(self.time, t)
  if last - first >= most then
    thin(self, first, last, most)
    last = bisection.count_to(self.time, t)
  end
  local rows = {}
  for i = first, last do
    local row = { self.time[i] }
    for k, values in ipairs(self.values) do row[k + 1] = values[i] end
    rows[#rows + 1], after = row, self.serial[i]
  end
  return rows, after
end

-- Returns the row { t, value, ... } at time t, interpolated between two rows; nil before the first one.
function Trace:at(t)
  local i = bisection.count_to(self.time, t)
  if i == 0 then return nil end
  local row, t0, t1 = { t }, self.time[i], self.time[i + 1]
  local share = t1 and t1 > t0 and (t - t0) / (t1 - t0) or 0
  for k, values in ipairs(self.values) do
    local v = values[i]
    row[k + 1] = (share == 0 or self.columns[k].held) and v or v + share * (values[i + 1] - v)
  end
  return row
end

return trace
