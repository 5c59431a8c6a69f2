-- near_trajectory: whether a run is near an expected one, at all times.
local evidence = require "saltus.testing.evidence"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local reference = require "saltus.testing.reference"
local subject = require "saltus.testing.subject"

local trajectory = {}

local LISTED = 5 -- other signals that a message names
local SMALL = 0.05 -- of the range of a signal: a smaller difference is drawn alone

-- The distance of a value from the values of the other side in an interval around t.
local function distance(value, other, name, t, side, slack)
  local b = other:value(name, t, side)
  if value == b or value ~= value and b ~= b then return 0 end
  local near = type(value) == "number" and type(b) == "number" and math.abs(value - b) or math.huge
  if slack == 0 or near == 0 then return near end
  local extent = other:extent(name, t - slack, t + slack)
  if type(value) ~= "number" then return extent.words[value] and 0 or math.huge end
  return math.min(near, math.max(extent.low - value, value - extent.high, 0))
end

-- ---- comparing one signal ----

local Comparison = {}
Comparison.__index = Comparison

-- What counts the points beyond the tolerance, in the order of time.
function Comparison:look(t, deviation)
  self.count = self.count + 1
  local beyond = not (deviation <= self.tolerance)
  if beyond then
    self.beyond = self.beyond + 1
    self.first = math.min(self.first, t)
  end
  if not self.worst or not (deviation <= self.worst) then self.worst, self.time = deviation, t end
end

-- Compares at the points of `of`, from both sides.
local function compare_at(comparison, of, points, other, range, slack)
  local name = comparison.name
  for i = 1, #points.time do
    local t, side = points.time[i], points.side[i]
    if t >= range.first and t <= range.last then
      comparison:look(t, distance(of:value(name, t, side), other, name, t, side, slack))
    end
  end
end

local function compared(own, other, name, tolerance, range, slack)
  local self = setmetatable({ name = name, tolerance = tolerance, count = 0, beyond = 0, first = math.huge },
    Comparison)
  if not other.is_sparse then compare_at(self, own, own.points, other, range, slack) end
  if other.points and not own.is_sparse then compare_at(self, other, other.points, own, range, slack) end
  return self
end

-- ---- arguments ----

-- The tolerance of each signal that is compared: a list of { name, tolerance }.
local function tolerances_of(given, own, other)
  local list = {}
  if type(given) == "table" then
    for _, name in ipairs(names.sorted_keys(given)) do
      names.check(numerals.is_finite(given[name]) and given[name] >= 0, given[name],
        "near_trajectory: the tolerance of %s must be a number, not negative", names.show(name))
      list[#list + 1] = { name, given[name] }
    end
  else
    names.check(numerals.is_finite(given) and given >= 0, given,
      "near_trajectory: the third argument is a tolerance, a number, or one for each signal: { height = 1e-3 }")
    for _, name in ipairs(other.names) do
      local is_shared = names.index_of(own.names, name)
      if is_shared or not other.log then list[#list + 1] = { name, given } end
    end
  end
  for _, item in ipairs(list) do
    for _, of in ipairs { own, other } do
      if not names.index_of(of.names, item[1]) then
        names.fail_unknown("signal %s", item[1], of.names, "near_trajectory")
      end
    end
  end
  names.fail_if(not list[1], "near_trajectory: the runs have no logged signal in common")
  return list
end

-- A log with a period is known at its rows only.
local function mark_sparse(of)
  if of.log and of.points.time == of.log.time then of.is_sparse = true end
end

local function check_sparse(own, other)
  if not (own.is_sparse and other.is_sparse) then return end
  for i = 1, #own.points.time do
    if own.points.time[i] ~= other.points.time[i] then
      names.fail("near_trajectory: both are known at their rows only, and the times differ at row %d (%s s and %s s); "
        .. "log one of them without every", i, names.show(own.points.time[i]), names.show(other.points.time[i]))
    end
  end
  other.is_sparse = nil -- the same rows: either side serves
end

-- ---- messages ----

local function length_text(own, other, slack)
  local function differ(a, b) return math.abs(a - b) > slack + 2 ^ -40 * math.max(math.abs(a), math.abs(b)) end
  if not other.log or not (differ(own.first, other.first) or differ(own.last, other.last)) then return nil end
  return numerals.format("the runs do not last equally long: this one from %.9g to %.9g s, the expected one from %.9g "
    .. "to %.9g s", own.first, own.last, other.first, other.last)
end

local function is_jump(of, name, t) return of:value(name, t, "before") ~= of:value(name, t, "after") end

local function deviation_text(c)
  if c.worst ~= c.worst then
    return numerals.format("%q or the expected is NaN, first at t = %.9g s", c.name, c.first)
  end
  if c.worst == math.huge then return numerals.format("%q differs at t = %.9g s", c.name, c.time) end
  return numerals.format("%q is %.6g from the expected at t = %.9g s; the tolerance is %.6g", c.name, c.worst, c.time,
    c.tolerance)
end

-- A reference as a curve; a gap where it has no values.
local function curve_of(of, name)
  return { name = "expected", value = function(t, side)
    if of.first and (t < of.first or t > of.last) then return 0 / 0 end
    return of:value(name, t, side == -1 and "before" or "after")
  end }
end

-- The difference with the tolerance on both of its sides.
local function plot_difference(own, other, c, how)
  local unit, expected = evidence.unit_of(own.log, c.name), curve_of(other, c.name).value
  return evidence.plot_curves(own.log, {
    { name = c.name .. " - expected", unit = unit, value = function(t, side)
      return own:value(c.name, t, side == -1 and "before" or "after") - expected(t, side)
    end },
    { name = "the tolerance", unit = unit, value = function() return c.tolerance end },
    { name = "its negative", unit = unit, value = function() return -c.tolerance end } }, c.time, how)
end

local function plot_of(own, other, c)
  local log, how = own.log, { label = "here: " .. c.name, since = c.first }
  if type(own:value(c.name, c.time, "after")) ~= "number" then return evidence.plot(log, { c.name }, c.time, how) end
  local extent = own:extent(c.name, log.time[1], log.time[#log.time])
  if c.worst < SMALL * (extent.high - extent.low) then return plot_difference(own, other, c, how) end
  how.curves = { [c.name] = curve_of(other, c.name) }
  return evidence.plot(log, { c.name }, c.time, how)
end

local function failure_text(own, other, list, slack)
  local c = list[1]
  local t = c.time
  local lines = {
    deviation_text(c),
    ("there %s, expected %s"):format(evidence.value(own, c.name, t), evidence.value(other, c.name, t)),
    numerals.format("beyond the tolerance first at t = %.9g s, and at %d of %d points compared", c.first, c.beyond,
      c.count) }
  for i = 2, math.min(#list, LISTED) do
    lines[#lines + 1] = numerals.format("also %s, first beyond it at t = %.9g s", deviation_text(list[i]),
      list[i].first)
  end
  lines[#lines + 1] = evidence.last_events(own.log, t)
  if slack == 0 and (is_jump(own, c.name, t) or is_jump(other, c.name, t)) then
    lines[#lines + 1] = "there is a jump; a fourth argument, in seconds, allows its time to differ"
  end
  return table.concat(lines, "\n") .. "\n\n" .. plot_of(own, other, c)
end

-- A weight that sorts the worst signals first.
local function severity(c) return c.tolerance > 0 and c.worst / c.tolerance or c.worst * math.huge end

-- Returns whether all signals are near, and a text for each side.
function trajectory.near(run, expected, tolerance, slack)
  local own_log = subject.log(run, "near_trajectory")
  slack = slack == nil and 0 or slack
  names.check(numerals.is_finite(slack) and slack >= 0, slack,
    "near_trajectory: the fourth argument is a tolerance of times in seconds, not negative")
  local kind = names.kind(expected)
  if kind == "scenario" or kind == "log" or type(expected) == "table" and rawget(expected, "sim") then
    expected = subject.log(expected, "near_trajectory")
  end
  local own = reference.of_log(own_log)
  local other = reference.of(expected, type(tolerance) == "table" and names.sorted_keys(tolerance) or nil)
  local list = tolerances_of(tolerance, own, other)
  mark_sparse(own)
  mark_sparse(other)
  check_sparse(own, other)
  local unequal = length_text(own, other, slack)
  if unequal then return false, function() return unequal end end
  local range = { first = math.max(own.first, other.first or own.first),
    last = math.min(own.last, other.last or own.last) }
  names.fail_if(range.first > range.last, "near_trajectory: the samples and the run have no time in common")
  local failed, points = {}, 0
  for _, item in ipairs(list) do
    local c = compared(own, other, item[1], item[2], range, slack)
    points = points + c.count
    if c.beyond > 0 then failed[#failed + 1] = c end
  end
  table.sort(failed, function(a, b) return severity(a) > severity(b) end)
  if failed[1] then return false, function() return failure_text(own, other, failed, slack) end end
  return true, function() return ("all %d points are within the tolerance"):format(points) end
end

return trajectory
