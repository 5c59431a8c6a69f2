-- same_run: whether two runs are the same to the bit.
local evidence = require "saltus.testing.evidence"
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local subject = require "saltus.testing.subject"

local same_run = {}

local LISTED = 5 -- signals that a message names

-- A number with the digits that distinguish it.
local function exact(value) return type(value) == "number" and numerals.format("%.17g", value) or tostring(value) end

local function is_same(a, b) return a == b and (a ~= 0 or 1 / a == 1 / b) or a ~= a and b ~= b end

local function column_names(log) return table.concat(names.of(log_columns.flat(log)), ", ") end

-- The first row that differs, and the signals that differ in it; nil if all rows are the same.
local function first_difference(a, b)
  local of_a, of_b = log_columns.flat(a), log_columns.flat(b)
  local times_a, times_b = a.time, b.time
  for row = 1, math.min(#times_a, #times_b) do
    local list = {}
    if not is_same(times_a[row], times_b[row]) then
      list[1] = ("time = %s; the other has %s"):format(exact(times_a[row]), exact(times_b[row]))
    end
    for i, c in ipairs(of_a) do
      local x, y = c.values[row], of_b[i].values[row]
      if not is_same(x, y) then list[#list + 1] = ("%s = %s; the other has %s"):format(c.name, exact(x), exact(y)) end
    end
    if list[1] then return row, list end
  end
  return nil
end

-- The number of the first event that differs; nil if all are the same.
local function first_event(a, b)
  for i = 1, math.max(#a.events, #b.events) do
    local x, y = a.events[i], b.events[i]
    if not x or not y or x.name ~= y.name or not is_same(x.time, y.time) then return i end
  end
  return nil
end

local function event_text(log, i)
  local event = log.events[i]
  return event and ("%s at %s s"):format(event.name, exact(event.time)) or "none"
end

local function row_text(a, row, list)
  local shown = table.concat(list, "\n  ", 1, math.min(#list, LISTED))
  if #list > LISTED then shown = ("%s\n  and %d more"):format(shown, #list - LISTED) end
  return ("the runs differ from row %d on, at t = %s s:\n  %s"):format(row, exact(a.time[row]), shown)
end

local function log_difference(a, b)
  if column_names(a) ~= column_names(b) then
    return ("the logs have other signals: %s and %s"):format(column_names(a), column_names(b))
  end
  local lines, row, list = {}, first_difference(a, b)
  if row then lines[1] = row_text(a, row, list) end
  if #a.time ~= #b.time then
    lines[#lines + 1] = ("the logs have %d and %d rows"):format(#a.time, #b.time)
  end
  local i = first_event(a, b)
  if i then
    lines[#lines + 1] = ("event %d is %s; in the other run it is %s"):format(i, event_text(a, i), event_text(b, i))
  end
  if not lines[1] then return nil end
  if row then lines[#lines + 1] = evidence.last_events(a, a.time[row]) end
  return table.concat(lines, "\n")
end

local function run_of(value) return subject.run(value, "same_run") end

-- Returns whether two runs are the same, and a text for each side.
function same_run.compare(first, second)
  local a, b = run_of(first), run_of(second)
  local difference = a.log and b.log and log_difference(a.log, b.log)
  local hash_a, hash_b = a.sim:hash(), b.sim:hash()
  if not difference and hash_a ~= hash_b then
    difference = ("the runs end in other states, with the hashes %s and %s; what is logged is the same"):format(hash_a,
      hash_b)
  end
  if difference then return false, function() return difference end end
  return true, function()
    return ("the runs are the same to the bit: %s, and the hash %s"):format(a.log and b.log
      and ("%d rows, %d events"):format(#a.log.time, #a.log.events) or "no log", hash_a)
  end
end

return same_run
