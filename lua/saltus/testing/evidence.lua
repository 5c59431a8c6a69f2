-- What a failed assertion shows of a log around a time: values, the last events, and a plot for a terminal.
local log_columns = require "saltus.output.log_columns"
local numerals = require "saltus.util.numerals"
local panels = require "saltus.output.plot.panels"
local reference = require "saltus.testing.reference"
local terminal = require "saltus.output.plot.terminal"

local evidence = {}

local EVENTS = 4 -- are named
local WIDTH, HEIGHT = 76, 8 -- of the plot, in characters
local FINEST = 2000 -- windows in the span of a log
local PANELS = 3 -- of a formula with more comparisons

function evidence.number(value)
  if value ~= value then return "NaN" end
  return type(value) == "number" and numerals.format("%.9g", value) or tostring(value)
end

-- The value of a signal of a reference at a time; both values of a jump.
function evidence.value(of, name, t)
  local before, after = of:value(name, t, "before"), of:value(name, t, "after")
  if before == after or before ~= before and after ~= after then return evidence.number(after) end
  return ("%s before and %s after a jump"):format(evidence.number(before), evidence.number(after))
end

-- "height = 1.2, mode = falling": the values of these signals at t.
function evidence.values(log, signals, t)
  local of, items = reference.values_of(log), {}
  for i, name in ipairs(signals) do items[i] = ("%s = %s"):format(name, evidence.value(of, name, t)) end
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

-- A window of the log around t that shows the time since `since` well.
local function window_around(log, t, since)
  local first, last = log.time[1], log.time[#log.time]
  local span, length = last - first, math.abs(t - since)
  local width = length > 0 and math.max(math.min(16 * length, span), span / FINEST) or span / 4
  local from = math.max(first, math.min(t - 0.6 * width, last - width))
  return { from = from, to = from + width }
end

local function mark(t, label) return { name = "", times = { t }, count = 1, label = label } end

-- Draws what `list` says (panels.of) around t. how: label, of the mark at t; since, the first time that matters.
local function draw(log, list, t, how)
  local since = how.since or t
  list.window = window_around(log, t, since)
  local picture = panels.of(log, list)
  if since < t and since >= list.window.from then table.insert(picture.events, mark(since, "first fails")) end
  table.insert(picture.events, mark(t, how.label))
  return numerals.neutral(function()
    return terminal.draw(picture, { width = WIDTH, height = HEIGHT, joined = true })
  end)
end

-- A plot of signals around t, one panel each. how: also curves = { [signal] = { name =, value = function(t, side) } },
-- what is drawn with a signal.
function evidence.plot(log, signals, t, how)
  local list = { curves = how.curves }
  for i, name in ipairs(signals) do list[i] = { name } end
  return draw(log, list, t, how)
end

-- A plot of curves in one panel.
function evidence.plot_curves(log, curves, t, how) return draw(log, { panels = { curves } }, t, how) end

-- The unit of a path that is logged; nil without one.
function evidence.unit_of(log, path)
  local c = path and log_columns.find(log_columns.inner_of(log), path)
  return c and c.unit
end

-- A plot of the verdict of saltus.formula.check: each comparison with its bound, the one that decides first.
function evidence.plot_verdict(verdict)
  local log, list, curves = verdict.log, {}, {}
  local all = verdict.panels()
  for i = 1, math.min(#all, PANELS) do
    local one = all[i]
    for _, curve in ipairs(one) do curve.unit = evidence.unit_of(log, one[1].path) end
    if one.path then list[#list + 1] = { one.path } else curves[#curves + 1] = one end
  end
  if not all[1] then list = { table.unpack(evidence.plottable(log), 1, PANELS) } end
  list.panels = curves
  return draw(log, list, verdict.time, { since = verdict.first, label = "here: " .. verdict.term })
end

-- Names of numbers and modes that a plot can show: not vectors.
function evidence.plottable(log)
  local out = {}
  for _, c in ipairs(log_columns.flat(log)) do out[#out + 1] = c.name end
  return out
end

return evidence
