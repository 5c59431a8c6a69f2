-- What a failed assertion shows of a log around a time: values, the last events, and a plot for a terminal.
local log_columns = require "saltus.output.log_columns"
local numerals = require "saltus.util.numerals"
local panels = require "saltus.output.plot.panels"
local terminal = require "saltus.output.plot.terminal"

local evidence = {}

local EVENTS = 4 -- are named
local WIDTH, HEIGHT = 76, 8 -- of the plot, in characters

function evidence.number(value)
  return type(value) == "number" and numerals.format("%.9g", value) or tostring(value)
end

local function shown(value)
  return type(value) == "table" and numerals.list("%.9g", value) or evidence.number(value)
end

-- "height = 1.2, mode = falling": the values of these signals at t.
function evidence.values(log, signals, t)
  local at, items = log:at(t), {}
  for i, name in ipairs(signals) do
    local value = at[name]
    if value == nil then -- an element of a vector
      local whole, index = name:match "^(.*)%[(%d+)%]$"
      value = at[whole] and at[whole][tonumber(index)]
    end
    items[i] = ("%s = %s"):format(name, shown(value))
  end
  return table.concat(items, ", ")
end

-- "last events: full at 3.2 s, empty at 7 s", up to t; nil if there is none.
function evidence.last_events(log, t)
  local before = {}
  for _, event in ipairs(log.events) do
    if event.time <= t then before[#before + 1] = numerals.format("%s at %.9g s", event.name, event.time) end
  end
  if #before == 0 then return nil end
  return "last events: " .. table.concat(before, ", ", math.max(1, #before - EVENTS + 1))
end

-- A window of the log around t that shows an interval of `length` seconds well.
local function window_around(log, t, length)
  local first, last = log.time[1], log.time[#log.time]
  local span = last - first
  local width = math.min(span, math.max(8 * length, span / 4))
  local from = math.max(first, math.min(t - 0.6 * width, last - width))
  return { from = from, to = from + width }
end

-- A plot of signals around t, one panel each. length: of the interval that matters. curves: { [signal] = { name =,
-- value = function(t) } }, what is drawn with a signal. label: of the mark at t.
function evidence.plot(log, signals, t, how)
  local list, window = {}, window_around(log, t, how.length or 0)
  for i, name in ipairs(signals) do list[i] = { name } end
  list.window, list.curves = window, how.curves
  return numerals.neutral(function()
    local picture = panels.of(log, list)
    table.insert(picture.events, { name = "", times = { t }, count = 1, label = how.label })
    return terminal.draw(picture, { width = WIDTH, height = HEIGHT, joined = true })
  end)
end

-- Names of numbers and modes that a plot can show: not vectors.
function evidence.plottable(log)
  local out = {}
  for _, c in ipairs(log_columns.flat(log)) do out[#out + 1] = c.name end
  return out
end

return evidence
