-- A plot as SVG: one panel for each group, axes, units, legend, events. Colours are in a style sheet, so that the file
-- suits light and dark pages.
local axis_ticks = require "saltus.output.plot.axis_ticks"

local svg = {}

local light = { "#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2", "#be185d", "#4d7c0f" }
local dark = { "#60a5fa", "#f87171", "#34d399", "#fbbf24", "#a78bfa", "#22d3ee", "#f472b6", "#a3e635" }
svg.light, svg.dark = light, dark

local MANY = 60 -- more firings of an event than this are marks at the foot, not lines

local escape = require("saltus.output.text_export").escape_html

-- A style rule for each colour.
function svg.rules(rule, colours, separator)
  local rules = {}
  for i, colour in ipairs(colours) do rules[i] = rule:format(i, colour) end
  return table.concat(rules, separator)
end

local function style()
  return table.concat {
    "<style>text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#374151}",
    ".title{font-size:15px;font-weight:600}.page{fill:#fff}.grid{stroke:#e5e7eb}.frame{stroke:#9ca3af;fill:none}",
    ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}.event{stroke:#9ca3af;stroke-dasharray:3 3}",
    ".eventname{font-size:11px;fill:#6b7280}", svg.rules(".s%d{stroke:%s}", light),
    "@media(prefers-color-scheme:dark){text{fill:#d1d5db}.page{fill:#111827}.grid{stroke:#273142}",
    ".frame{stroke:#6b7280}.event{stroke:#6b7280}.eventname{fill:#9ca3af}", svg.rules(".s%d{stroke:%s}", dark),
    "}</style>",
  }
end

local function text(x, y, content, attributes)
  return ('<text x="%.1f" y="%.1f" %s>%s</text>'):format(x, y, attributes or "", escape(content))
end

local function line(x1, y1, x2, y2, class)
  return ('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>'):format(x1, y1, x2, y2, class)
end

-- Coordinates of times and values in a panel.
local function scale(low, high, from, to)
  local k = (to - from) / (high - low)
  return function(value) return from + (value - low) * k end
end

-- Of the points in one column of pixels, the first, lowest, highest and last give the same picture as all.
local function thinned(xs, ys, emit)
  local column, first, low, high, last
  local function flush()
    if not column then return end
    local seen = {}
    for _, i in ipairs { first, math.min(low, high), math.max(low, high), last } do
      if not seen[i] then
        seen[i] = true
        emit(xs[i], ys[i])
      end
    end
  end
  for i = 1, #xs do
    local c = math.floor(xs[i])
    if c ~= column then
      flush()
      column, first, low, high = c, i, i, i
    end
    if ys[i] < ys[low] then low = i end
    if ys[i] > ys[high] then high = i end
    last = i
  end
  flush()
end

-- For a curve that may turn back: the points that are not too close to each other.
local function apart(xs, ys, emit)
  local x, y
  for i = 1, #xs do
    if not x or i == #xs or math.abs(xs[i] - x) + math.abs(ys[i] - y) >= 0.5 then
      x, y = xs[i], ys[i]
      emit(x, y)
    end
  end
end

-- One run of finite values as path data.
local function run_path(xs, ys, held, parametric)
  local out, last_y = {}, nil
  local pick = parametric and apart or thinned
  pick(xs, ys, function(x, y)
    if #out == 0 then
      out[1] = ("M%.1f %.1f"):format(x, y)
    else
      if held then out[#out + 1] = ("%.1f %.1f"):format(x, last_y) end
      out[#out + 1] = ("%.1f %.1f"):format(x, y)
    end
    last_y = y
  end)
  return table.concat(out, " ") -- points after the first are lines to them
end

local function signal_path(time, signal, sx, sy, parametric)
  local parts = {}
  for i, run in ipairs(axis_ticks.runs(time, signal.values, sx, sy)) do
    parts[i] = run_path(run.xs, run.ys, signal.held and not parametric, parametric)
  end
  return table.concat(parts)
end

-- All firings of all events in the panel, from left to right: { x, event number, many }.
local function marks_of(events, sx, box)
  local marks = {}
  for k, event in ipairs(events) do
    for _, t in ipairs(event.times) do
      local x = sx(t)
      if x >= box.left and x <= box.right then
        marks[#marks + 1] = { x = x, event = k, many = #event.times > MANY }
      end
    end
  end
  table.sort(marks, function(a, b) return a.x < b.x end)
  return marks
end

-- Lines, with names where no other line crosses them; many firings are marks at the foot.
local function draw_events(out, events, sx, box, with_names)
  local next_line = box.right
  local marks = marks_of(events, sx, box)
  for i = #marks, 1, -1 do
    local mark = marks[i]
    out[#out + 1] = line(mark.x, mark.many and box.bottom - 6 or box.top, mark.x, box.bottom, "event")
    if not mark.many then
      local name = events[mark.event].name
      if with_names and mark.x + 6.5 * #name + 5 < next_line then
        out[#out + 1] = text(mark.x + 3, box.top + 12, name, 'class="eventname"')
      end
      next_line = mark.x
    end
  end
end

local function legend(out, group, events, box)
  local x, y = box.left, box.top - 9
  local function entry(class, label)
    out[#out + 1] = line(x, y - 4, x + 18, y - 4, class)
    out[#out + 1] = text(x + 23, y, label)
    x = x + 23 + 7 * #label + 16
  end
  for i, s in ipairs(group.signals) do entry("line s" .. (i - 1) % #light + 1, s.name) end
  for _, e in ipairs(events) do entry("event", e.label) end
end

local function panel(out, picture, group, box, first, last)
  local time = group.time
  local t0, t1 = axis_ticks.span(picture, time)
  local low, high, marks = axis_ticks.axis(group, (box.bottom - box.top) // 45)
  local sx, sy = scale(t0, t1, box.left, box.right), scale(low, high, box.bottom, box.top)
  for _, tick in ipairs(marks) do
    out[#out + 1] = line(box.left, sy(tick.value), box.right, sy(tick.value), "grid")
    out[#out + 1] = text(box.left - 8, sy(tick.value) + 4, tick.text, 'text-anchor="end"')
  end
  for _, tick in ipairs(axis_ticks.of(t0, t1, (box.right - box.left) // 80)) do
    out[#out + 1] = line(sx(tick.value), box.top, sx(tick.value), box.bottom, "grid")
    if last then out[#out + 1] = text(sx(tick.value), box.bottom + 18, tick.text, 'text-anchor="middle"') end
  end
  draw_events(out, picture.events, sx, box, first)
  out[#out + 1] = ('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="frame"/>'):format(box.left, box.top,
    box.right - box.left, box.bottom - box.top)
  for i, s in ipairs(group.signals) do
    out[#out + 1] = ('<path class="line s%d" d="%s"/>'):format((i - 1) % #light + 1, signal_path(time, s, sx, sy,
      picture.x))
  end
  local middle = (box.top + box.bottom) / 2
  local upright = ('text-anchor="middle" transform="translate(16 %.1f) rotate(-90)"'):format(middle)
  out[#out + 1] = text(0, 0, group.label, upright)
  if last then
    local label = picture.x and picture.x.label or "time [s]"
    out[#out + 1] = text((box.left + box.right) / 2, box.bottom + 38, label, 'text-anchor="middle"')
  end
end

-- Heights of the panels, smaller for modes; if the height of the plot is given, fractions of it.
local function heights_of(picture, asked)
  local out, sum = {}, 0
  for i, group in ipairs(picture.groups) do
    out[i] = #picture.groups == 1 and 320 or group.modes and 24 + 26 * #group.modes or 180
    sum = sum + out[i]
  end
  local room = asked and math.max(asked - 86 - 34 * #out, 40 * #out) or sum
  for i, height in ipairs(out) do out[i] = height * room / sum end
  return out, room
end

function svg.draw(picture, options)
  local width = options.width or 800
  local heights, sum = heights_of(picture, options.height)
  local height = math.ceil(86 + sum + 34 * #heights)
  local left = 42 + 7.2 * axis_ticks.widest(picture.groups, heights, 45, string.len)
  local out = {
    ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">'):format(width,
      height, width, height),
    "<title>" .. escape(picture.title) .. "</title>",
    style(),
    '<rect class="page" width="100%" height="100%"/>',
    text(left, 26, picture.title, 'class="title"'),
  }
  local top = 66
  for i, group in ipairs(picture.groups) do
    local box = { left = left, right = width - 20, top = top, bottom = top + heights[i] }
    legend(out, group, i == 1 and picture.events or {}, box)
    panel(out, picture, group, box, i == 1, i == #heights)
    top = box.bottom + 34
  end
  out[#out + 1] = "</svg>\n"
  return table.concat(out, "\n")
end

return svg
