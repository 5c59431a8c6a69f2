-- What a trajectory is compared with: a log, functions of time, or samples. A reference has
--   names              of its signals
--   value(name, t, side)   side: "before" or "after", at a jump
--   extent(name, from, to) the lowest and highest value in an interval; for words, a set of them
--   points             times and sides where it is known best: { time =, side = }; nil: everywhere
--   first, last        times; nil: no limits
local bisection = require "saltus.util.bisection"
local csv_table = require "saltus.blocks.csv_table"
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local picture_points = require "saltus.output.picture_points"

local reference = {}

local POINTS = 4000 -- with fewer rows, the curves between them are compared too

-- ---- the range of values in an interval ----

local function new_extent() return { low = math.huge, high = -math.huge, words = {} } end

local function widen(extent, value)
  if type(value) ~= "number" then
    extent.words[value] = true
  else
    extent.low, extent.high = math.min(extent.low, value), math.max(extent.high, value)
  end
end

-- ---- a log ----

local function side_of(time, i) return time[i + 1] == time[i] and "before" or "after" end

local function points_of(log)
  if log_columns.inner_of(log).every then return { time = log.time } end
  return { time = picture_points.of(log, POINTS).time }
end

local OfLog = {}
OfLog.__index = OfLog

-- The first row with the time of a row.
local function first_of(time, row)
  while row > 1 and time[row - 1] == time[row] do row = row - 1 end
  return row
end

function OfLog:value(name, t, side)
  local c, time = self.columns[name], self.log.time
  local row = bisection.count_to(time, t)
  if side == "before" and time[row] == t then row = first_of(time, row) end
  local share = row < #time and t > time[row] and (t - time[row]) / (time[row + 1] - time[row]) or 0
  return log_columns.between(c, row, share)
end

function OfLog:extent(name, from, to)
  local extent, time, values = new_extent(), self.log.time, self.columns[name].values
  from, to = math.max(from, self.first), math.min(to, self.last)
  for _, t in ipairs { from, (from + to) / 2, to } do
    widen(extent, self:value(name, t, "before"))
    widen(extent, self:value(name, t, "after"))
  end
  for row = bisection.count_to(time, from) + 1, bisection.count_to(time, to) do widen(extent, values[row]) end
  return extent
end

local function check_gaps(log)
  for row, mark in ipairs(log_columns.inner_of(log).marks) do
    names.fail_if(mark == log_columns.GAP, "near_trajectory: the log was stopped from %s to %s s",
      names.show(log.time[row - 1]), names.show(log.time[row]))
  end
end

-- The values of a log, without points.
function reference.values_of(log)
  local self = setmetatable({ log = log, columns = {}, names = {}, first = log.time[1], last = log.time[#log.time] },
    OfLog)
  for i, c in ipairs(log_columns.flat(log)) do
    self.columns[c.name], self.names[i] = c, c.name
  end
  return self
end

function reference.of_log(log)
  check_gaps(log)
  local self = reference.values_of(log)
  self.points = points_of(log)
  self.points.side = {}
  for i = 1, #self.points.time do self.points.side[i] = side_of(self.points.time, i) end
  return self
end

-- ---- functions of time ----

local OfFunctions = {}
OfFunctions.__index = OfFunctions

function OfFunctions:value(name, t)
  local value = self.functions[name](t)
  if type(value) ~= "number" and type(value) ~= "string" then
    names.fail("near_trajectory: the function of %q returned %s at %s s; it must return a number or a mode", name,
      names.show(value), names.show(t))
  end
  return value
end

function OfFunctions:extent(name, from, to)
  local extent = new_extent()
  for _, t in ipairs { from, (from + to) / 2, to } do widen(extent, self:value(name, t)) end
  return extent
end

local function of_functions(functions)
  return setmetatable({ functions = functions, names = names.sorted_keys(functions) }, OfFunctions)
end

-- ---- samples ----

local OfSamples = {}
OfSamples.__index = OfSamples

function OfSamples:value(name, t, side)
  local time = self.samples.time
  local row = math.max(1, bisection.count_to(time, t))
  return self.samples[name][side == "before" and time[row] == t and first_of(time, row) or row]
end

function OfSamples:extent(name, from, to)
  local extent, time = new_extent(), self.samples.time
  widen(extent, self:value(name, (from + to) / 2))
  for i = bisection.count_to(time, from) + 1, bisection.count_to(time, to) do widen(extent, self.samples[name][i]) end
  return extent
end

local function check_samples(samples)
  local time = samples.time
  names.fail_if(#time == 0, "near_trajectory: the samples have no times")
  for i = 1, #time do
    names.fail_if(not numerals.is_finite(time[i]) or i > 1 and time[i] < time[i - 1],
      "near_trajectory: the times of the samples must not decrease, got %s at [%d]", names.show(time[i]), i)
  end
  for _, name in ipairs(names.sorted_keys(samples)) do
    names.check(type(samples[name]) == "table" and #samples[name] == #time, samples[name],
      "near_trajectory: samples.%s must be a list of %d values, one for each time", name, #time)
  end
end

local function of_samples(samples)
  check_samples(samples)
  local self = setmetatable({ samples = samples, names = {}, first = samples.time[1],
    last = samples.time[#samples.time], is_sparse = true }, OfSamples)
  for _, name in ipairs(names.sorted_keys(samples)) do
    if name ~= "time" then self.names[#self.names + 1] = name end
  end
  self.points = { time = samples.time, side = {} }
  for i = 1, #samples.time do self.points.side[i] = side_of(samples.time, i) end
  return self
end

-- expected: of the assertion, a log already if it is a run. wanted: the names that are compared, or nil.
function reference.of(expected, wanted)
  if names.kind(expected) == "log" then return reference.of_log(expected) end
  if type(expected) == "string" then
    return of_samples(csv_table.samples(expected, wanted, "near_trajectory"))
  end
  names.check(type(expected) == "table" and next(expected) ~= nil, expected, "near_trajectory: the second argument is "
    .. "a run, functions { height = function(t) ... end }, samples { time = { ... }, height = { ... } } or a CSV file")
  if expected.time ~= nil then
    names.check(type(expected.time) == "table", expected.time, "near_trajectory: the times of samples are a list")
    return of_samples(expected)
  end
  for _, name in ipairs(names.sorted_keys(expected)) do
    names.check(type(name) == "string" and type(expected[name]) == "function", expected[name],
      "near_trajectory: %s must be a function of time; samples also have time = { ... }", names.show(name))
  end
  return of_functions(expected)
end

return reference
