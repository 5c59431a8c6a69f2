-- The content of a picture: groups of signals that share an axis, and the events. svg.lua, html.lua and terminal.lua
-- draw it. With `x`, a signal replaces the time. Times are in seconds; `time_factor` of them are one `time_unit`.
--
--   picture = { title, card (run_card.lua), start, stop, time_unit = "ms", time_factor = 1000, time_label, log_x,
--     x = nil | { label, low, high }, events = { { name, times, count, label }, ... },
--     groups = { { label = "height [m]", low, high, log, time = {...}, signals = { { name, values, held, low, high } },
--       modes = nil | { "falling", ... }, bands = nil | { { from, to, mode (an index) }, ... } }, ... } }
local axis_ticks = require "saltus.output.plot.axis_ticks"
local extremes = require "saltus.output.extremes"
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"
local picture_points = require "saltus.output.picture_points"
local run_card = require "saltus.output.run_card"

local panels = {}

-- With more rows, each bin keeps those where a signal is lowest and highest. From four points in a pixel on, uPlot
-- draws a vertical line for each pixel, and a curve gets stairs.
local MAX_ROWS, BINS = 3000, 1500
local MAX_MARKS = 150 -- an event that fired more often would be a solid bar
local MAX_BANDS = 1000 -- of more bands, those shorter than the width of a line are joined to the one before

-- The numbers to draw: for a mode its index; NaN where the log was stopped.
local function numbers(points, c)
  local out, index = points:values(c), {}
  for i, value in ipairs(c.modes or {}) do index[value] = i end
  for i, value in ipairs(out) do
    if type(value) ~= "number" then out[i] = index[value] or 0 / 0 end
  end
  return out
end

-- The lowest and highest finite value; on a logarithmic scale, of those greater than 0.
local function range(values, is_log)
  local low, high = math.huge, -math.huge
  for i = 1, #values do
    local v = values[i]
    if v > -math.huge and v < math.huge and not (is_log and v <= 0) then
      if v < low then low = v end
      if v > high then high = v end
    end
  end
  return low, high
end

local function signal(points, c)
  return { name = c.name, whole = c.whole and c.whole.name, unit = c.unit, modes = c.modes, held = c.held,
    values = numbers(points, c) }
end

-- Signals with the same unit share a group; a mode has a group of its own. Against a signal `x`, no modes are drawn.
local function by_unit(log, points, x)
  local groups, of = {}, {}
  for _, c in ipairs(log_columns.flat(log)) do
    local key = c.modes and "mode " .. c.name or c.unit or ""
    if not (x and (c.modes or c.name == x)) then
      if not of[key] then
        of[key] = { modes = c.modes, unit = c.unit, signals = {} }
        groups[#groups + 1] = of[key]
      end
      table.insert(of[key].signals, signal(points, c))
    end
  end
  if x and #groups == 0 then names.fail("log:plot: there is nothing to draw against %q; log another signal", x) end
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

-- The extremes of each bin, and all that is not finite: a gap remains a gap.
local function keep_extremes(values, keep)
  extremes.mark(values, 1, #values, BINS, keep)
  for i = 1, #values do
    local v = values[i]
    if not (v > -math.huge and v < math.huge) then keep[i] = true end
  end
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

local function picked(values, rows) return names.map(rows, function(row) return values[row] end) end

-- The signals of a group share their rows, and so their times or the signal that replaces the time.
local function thin(group, time, x)
  group.time = time
  if #time <= MAX_ROWS then return end
  local keep, rows = { true, [#time] = true }, {}
  for _, s in ipairs(group.signals) do keep_extremes(s.values, keep) end
  if x then keep_extremes(time, keep) else keep_jumps(time, keep) end
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

local function extent(group, is_log)
  group.log = is_log and not group.modes
  group.low, group.high = math.huge, -math.huge
  for _, s in ipairs(group.signals) do
    s.low, s.high = range(s.values, group.log)
    group.low, group.high = math.min(group.low, s.low), math.max(group.high, s.high)
  end
  if group.low > group.high then group.low, group.high = group.log and 0.1 or 0, 1 end -- nothing finite to show
  if group.modes then group.low, group.high = 1, #group.modes end
end

-- The modes of a group over time: { from, to, index }.
local function bands_of(group, time)
  local values, bands, last = group.signals[1].values, {}, nil
  local shortest = #time > MAX_BANDS and (time[#time] - time[1]) / MAX_BANDS or 0
  for i = 1, #time do
    local mode = values[i]
    if last then last[2] = time[i] end
    if mode ~= mode then
      last = nil
    elseif not last or last[3] ~= mode then
      if last and last[2] - last[1] < shortest then
        last[3] = mode
      else
        last = { time[i], time[i], mode }
        bands[#bands + 1] = last
      end
    end
  end
  return bands
end

-- The times of an event in a window.
local function within(times, window)
  return names.filter(times, function(t) return t >= window.from and t <= window.to end)
end

local function events_of(log, window)
  local list = {}
  for _, event in ipairs(log_columns.events(log)) do
    if window then event.times = within(event.times, window) end
    if event.times[1] then list[#list + 1] = event end
  end
  for _, event in ipairs(list) do
    event.count = #event.times
    event.label = ("%s ×%d"):format(event.name, event.count)
    if event.count > MAX_MARKS then event.label, event.times = event.label .. ", not drawn", {} end
  end
  return list
end

-- The signal that replaces the time: its axis and its numbers.
local function abscissa(log, points, name, is_log)
  local c = log_columns.column(log, name)
  if c.vector then names.fail("log:plot: x is %q, a vector; name an element, \"%s[1]\"", name, name) end
  local values = numbers(points, c)
  local low, high = range(values, is_log)
  if low > high then low, high = is_log and 0.1 or 0, 1 end
  return { label = c.unit and ("%s [%s]"):format(name, c.unit) or name, low = low, high = high }, values
end

-- The times of a picture: those logged; on a logarithmic axis, those after 0.
local function add_times(picture, time, window)
  picture.start, picture.stop = time[1], time[#time]
  if window then
    picture.start, picture.stop = math.max(time[1], window.from), math.min(time[#time], window.to)
  end
  if picture.log_x then
    picture.start, picture.stop = range(time, true)
    names.fail_if(not (picture.start < picture.stop), "log:plot: a logarithmic time axis needs times after 0")
  end
  picture.time_unit, picture.time_factor = axis_ticks.time_unit(math.max(math.abs(time[1]), math.abs(time[#time])))
  picture.time_label = ("time [%s]"):format(picture.time_unit)
end

-- A curve that is no column: { name =, unit =, value = function(t, side) }, with -1 for the side before a jump.
local function sampled(curve, time)
  local values = names.map(time, function(t, i) return curve.value(t, time[i + 1] == t and -1 or 0) end)
  return { name = curve.name, unit = curve.unit, values = values }
end

-- A group of curves alone.
local function group_of_curves(list, time)
  local group = { unit = list[1].unit, signals = {} }
  for i, curve in ipairs(list) do group.signals[i] = sampled(curve, time) end
  return group
end

-- A curve in the panel of a signal.
local function add_curve(groups, of, curve, time)
  for _, group in ipairs(groups) do
    if names.index_of(names.of(group.signals), of) then table.insert(group.signals, sampled(curve, time)) end
  end
end

-- options: those of log:plot; window = { from =, to = }; curves = { height = CURVE }, drawn with a signal;
-- panels = { { CURVE, ... }, ... }, which come first, with CURVE = { name =, unit =, value = function(t, side) }
function panels.of(log, options)
  local inner = log_columns.inner_of(log)
  if #log.time == 0 then names.fail "log:plot: nothing was logged yet" end
  local points = picture_points.of(log, MAX_ROWS, options.window)
  local log_axes = options.log or ""
  local picture = { title = options.title or inner.model.name, card = run_card.of_log(log),
    log_x = log_axes:find "x" ~= nil,
    groups = (options[1] or options.panels) and as_asked(log, points, options) or by_unit(log, points, options.x),
    events = (options.x or options.events == false) and {} or events_of(log, options.window) }
  for i, list in ipairs(options.panels or {}) do table.insert(picture.groups, i, group_of_curves(list, points.time)) end
  for of, curve in pairs(options.curves or {}) do add_curve(picture.groups, of, curve, points.time) end
  add_times(picture, points.time, options.window)
  local time = points.time
  if options.x then picture.x, time = abscissa(log, points, options.x, picture.log_x) end
  for _, group in ipairs(picture.groups) do
    group.label = label(group)
    extent(group, log_axes:find "y" ~= nil)
    if group.modes and not options.x then group.bands = bands_of(group, time) end
    thin(group, time, picture.x)
  end
  return picture
end

-- Raises an error for options that name what the log does not have.
function panels.check(log, options)
  for _, list in ipairs(options) do
    for _, name in ipairs(type(list) == "table" and list or { list }) do log_columns.column(log, name) end
  end
  if options.x then log_columns.column(log, options.x) end
end

return panels
