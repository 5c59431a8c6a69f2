-- The content of a picture: groups of signals that share an axis, and the events. svg.lua, html.lua and terminal.lua
-- draw it. With `x`, a signal replaces the time.
--
--   picture = { title, card (run_card.lua), x = nil | { label, low, high },
--     events = { { name, times, count, label }, ... }, groups = { { label = "height [m]",
--     time = {...}, modes = nil | {...}, signals = { { name, values, held, low, high }, ... } }, ... } }
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"
local picture_points = require "saltus.output.picture_points"
local run_card = require "saltus.output.run_card"

local panels = {}

local MAX_ROWS, BINS = 4000, 1500 -- with more rows, each bin keeps those where a signal is lowest and highest
local MAX_MARKS = 150 -- an event that fired more often would be a solid bar

-- The numbers to draw: for a mode its index; NaN where the log was stopped.
local function numbers(points, c)
  local out, index = points:values(c), {}
  for i, value in ipairs(c.modes or {}) do index[value] = i end
  for i, value in ipairs(out) do
    if type(value) ~= "number" then out[i] = index[value] or 0 / 0 end
  end
  return out
end

local function range(values)
  local low, high = math.huge, -math.huge
  for i = 1, #values do
    local v = values[i]
    if v > -math.huge and v < math.huge then
      if v < low then low = v end
      if v > high then high = v end
    end
  end
  return low, high
end

local function signal(points, c)
  local values = numbers(points, c)
  local low, high = range(values)
  return { name = c.name, whole = c.whole and c.whole.name, unit = c.unit, modes = c.modes, held = c.held,
    values = values, low = low, high = high }
end

-- Signals with the same unit share a group; a mode has a group of its own.
local function by_unit(log, points)
  local groups, of = {}, {}
  for _, c in ipairs(log_columns.flat(log)) do
    local key = c.modes and "mode " .. c.name or c.unit or ""
    if not of[key] then
      of[key] = { modes = c.modes, unit = c.unit, signals = {} }
      groups[#groups + 1] = of[key]
    end
    table.insert(of[key].signals, signal(points, c))
  end
  return groups
end

-- { { "a", "b" }, { "c" } }: one group each; a bare name is a group of its own.
local function as_asked(log, points, asked)
  local groups = {}
  for i, list in ipairs(asked) do
    if type(list) == "string" then list = { list } end
    names.check(type(list) == "table" and #list > 0, list, "log:plot: subplot %d must be a list of logged names", i)
    local group = { signals = {} }
    for _, name in ipairs(list) do
      for _, c in ipairs(log_columns.elements(log, log_columns.column(log, name))) do
        table.insert(group.signals, signal(points, c))
      end
    end
    group.modes = #group.signals == 1 and group.signals[1].modes or nil
    group.unit = group.signals[1].unit
    for _, s in ipairs(group.signals) do
      if s.unit ~= group.unit then group.unit = nil end
    end
    groups[i] = group
  end
  return groups
end

local function keep_bin(values, first, last, keep)
  local low, high
  for i = first, last do
    local v = values[i]
    if v > -math.huge and v < math.huge then
      if not low or v < values[low] then low = i end
      if not high or v > values[high] then high = i end
    else
      keep[i] = true -- a gap remains a gap
    end
  end
  if low then keep[low], keep[high] = true, true end
end

-- Both sides of each jump, if they are few enough: jumps remain vertical.
local function keep_jumps(time, keep)
  local both = {}
  for i = 2, #time do
    if time[i] == time[i - 1] then both[#both + 1] = i end
  end
  if #both > BINS then return end
  for _, i in ipairs(both) do keep[i - 1], keep[i] = true, true end
end

local function picked(values, rows)
  local out = {}
  for i, row in ipairs(rows) do out[i] = values[row] end
  return out
end

-- The signals of a group share their rows, and so their times or the signal that replaces the time.
local function thin(group, time, x)
  group.time = time
  if #time <= MAX_ROWS then return end
  local keep, rows = { true, [#time] = true }, {}
  local function keep_extremes(values)
    for b = 0, BINS - 1 do keep_bin(values, b * #time // BINS + 1, (b + 1) * #time // BINS, keep) end
  end
  for _, s in ipairs(group.signals) do keep_extremes(s.values) end
  if x then keep_extremes(time) else keep_jumps(time, keep) end
  for i = 1, #time do
    if keep[i] then rows[#rows + 1] = i end
  end
  group.time = picked(time, rows)
  for _, s in ipairs(group.signals) do s.values = picked(s.values, rows) end
end

-- The name of the only signal, or of the only vector whose elements the signals are.
local function only_name(group)
  local first = group.signals[1]
  if #group.signals == 1 then return first.name end
  for _, s in ipairs(group.signals) do
    if not s.whole or s.whole ~= first.whole then return nil end
  end
  return first.whole
end

local function label(group)
  local only = only_name(group)
  if only then return group.unit and ("%s [%s]"):format(only, group.unit) or only end
  return group.unit and ("[%s]"):format(group.unit) or ""
end

local function extent(group)
  group.low, group.high = math.huge, -math.huge
  for _, s in ipairs(group.signals) do
    group.low, group.high = math.min(group.low, s.low), math.max(group.high, s.high)
  end
  if group.low > group.high then group.low, group.high = 0, 1 end -- nothing finite to show
  if group.modes then group.low, group.high = 1, #group.modes end
end

local function events_of(log)
  local list = log_columns.events(log)
  for _, event in ipairs(list) do
    event.count = #event.times
    event.label = ("%s ×%d"):format(event.name, event.count)
    if event.count > MAX_MARKS then event.label, event.times = event.label .. ", not drawn", {} end
  end
  return list
end

-- The signal that replaces the time: its axis and its numbers.
local function abscissa(log, points, name)
  local c = log_columns.column(log, name)
  if c.vector then names.fail("log:plot: x is %q, a vector; name an element, \"%s[1]\"", name, name) end
  local x = signal(points, c)
  if x.low > x.high then x.low, x.high = 0, 1 end
  return { label = c.unit and ("%s [%s]"):format(name, c.unit) or name, low = x.low, high = x.high }, x.values
end

function panels.of(log, options)
  local inner = log_columns.inner_of(log)
  if #log.time == 0 then names.fail "log:plot: nothing was logged yet" end
  local points = picture_points.of(log, MAX_ROWS)
  local groups = options[1] and as_asked(log, points, options) or by_unit(log, points)
  local x, time
  if options.x then
    x, time = abscissa(log, points, options.x)
  else
    time = points.time
  end
  for _, group in ipairs(groups) do
    group.label = label(group)
    extent(group)
    thin(group, time, x)
  end
  return { title = options.title or inner.model.name, card = run_card.of_log(log), groups = groups, x = x,
    events = (x or options.events == false) and {} or events_of(log) }
end

return panels
