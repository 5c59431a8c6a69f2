-- A plot as SVG: one panel for each group, axes, units, legend, events. Colours are in a style sheet, so that the file
-- suits light and dark pages.
local axis_ticks = require "saltus.output.plot.axis_ticks"
local names = require "saltus.util.names"
local palette = require "saltus.output.plot.palette"
local paths = require "saltus.output.plot.paths"
local run_card = require "saltus.output.run_card"
local scales = require "saltus.output.plot.scales"
local escape = require("saltus.output.text_export").escape_html

local svg = {}

local MANY = 60 -- more firings of an event than this are marks at the foot, not lines
local LETTER, LINE = 7.2, 17 -- width of a letter and height of a line of text, in pixels; both rather too large
local NAME_ROWS = 2 -- rows of event names above the first panel

local function dash_rules()
  return table.concat(names.map(palette.dashes, function(dash, i)
    return (".d%d{stroke-dasharray:%s}"):format(i, dash[1] and table.concat(dash, " ") or "none")
  end))
end

local function style()
  return table.concat {
    "<style>text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#374151}",
    ".title{font-size:15px;font-weight:600}.page{fill:", palette.light_page, "}.grid{stroke:#e5e7eb}",
    ".frame{stroke:#9ca3af;fill:none}",
    ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}.event{stroke:#9ca3af;stroke-dasharray:3 3}",
    ".eventname{font-size:11px;fill:#6b7280}.band{fill-opacity:.3;stroke-width:.5}", dash_rules(),
    palette.rules(".s%d{stroke:%s}", palette.light), palette.rules(".b%d{fill:%s}", palette.light),
    "@media(prefers-color-scheme:dark){text{fill:#d1d5db}.page{fill:", palette.dark_page, "}.grid{stroke:#273142}",
    ".frame{stroke:#6b7280}.event{stroke:#6b7280}.eventname{fill:#9ca3af}",
    palette.rules(".s%d{stroke:%s}", palette.dark), palette.rules(".b%d{fill:%s}", palette.dark), "}</style>",
  }
end

local function text(x, y, content, attributes)
  return ('<text x="%.1f" y="%.1f" %s>%s</text>'):format(x, y, attributes or "", escape(content))
end

local function line(x1, y1, x2, y2, class)
  return ('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>'):format(x1, y1, x2, y2, class)
end

local function length_of(content) return LETTER * (utf8.len(content) or #content) end

local function signal_class(i)
  local colour, dash = palette.of(i)
  return ("line s%d d%d"):format(colour, dash)
end

-- ---- the legend ----

-- The entries of a panel's legend: { class, text }.
local function legend_of(picture, i)
  local group = picture.groups[i]
  local out = names.map(group.bands and group.modes or group.signals, function(one, k)
    return group.bands and { class = "band", colour = palette.of(k), text = one }
      or { class = signal_class(k), text = one.name }
  end)
  for _, e in ipairs(i == 1 and picture.events or {}) do out[#out + 1] = { class = "event", text = e.label } end
  return out
end

-- Sets dx and row of each entry, and returns the number of rows that fit into `width`.
local function wrap(entries, width)
  local x, row = 0, 1
  for _, entry in ipairs(entries) do
    local w = 23 + length_of(entry.text) + 16
    if x > 0 and x + w - 16 > width then x, row = 0, row + 1 end
    entry.dx, entry.row = x, row
    x = x + w
  end
  return row
end

local function draw_legend(out, entries, left, top)
  for _, entry in ipairs(entries) do
    local x, y = left + entry.dx, top + LINE * entry.row - 5
    if entry.class == "band" then
      out[#out + 1] = ('<rect x="%.1f" y="%.1f" width="18" height="10" class="band b%d"/>'):format(x, y - 9,
        entry.colour)
    else
      out[#out + 1] = line(x, y - 4, x + 18, y - 4, entry.class)
    end
    out[#out + 1] = text(x + 23, y, entry.text)
  end
end

-- ---- events ----

-- All firings of all events in the panel, from left to right: { x, event number, many }.
local function marks_of(events, sx, box)
  local marks = {}
  for k, event in ipairs(events) do
    for _, t in ipairs(event.times) do
      local x = sx(t)
      if x and x >= box.left and x <= box.right then
        marks[#marks + 1] = { x = x, event = k, many = #event.times > MANY }
      end
    end
  end
  table.sort(marks, function(a, b) return a.x < b.x end)
  return marks
end

-- The names stand above the panel, where no curve is; those that find no room there are left out.
local function draw_names(out, events, marks, box)
  local free = {}
  for row = 1, NAME_ROWS do free[row] = box.left end
  for _, mark in ipairs(marks) do
    local name = events[mark.event].name
    local x = math.max(box.left, math.min(mark.x, box.right - length_of(name)))
    for row = 1, mark.many and 0 or NAME_ROWS do
      if x >= free[row] then
        out[#out + 1] = text(x, box.top - 5 - 13 * (row - 1), name, 'class="eventname"')
        free[row] = x + length_of(name) + 4
        break
      end
    end
  end
end

local function has_names(picture)
  for _, event in ipairs(picture.events) do
    if #event.times > 0 and #event.times <= MANY then return true end
  end
  return false
end

-- Lines; many firings are marks at the foot.
local function draw_events(out, picture, sx, box, with_names)
  local marks = marks_of(picture.events, sx, box)
  for _, mark in ipairs(marks) do
    out[#out + 1] = line(mark.x, mark.many and box.bottom - 6 or box.top, mark.x, box.bottom, "event")
  end
  if with_names then draw_names(out, picture.events, marks, box) end
end

-- ---- panels ----

-- Modes as bands with their names, where these fit.
local function draw_bands(out, group, sx, box)
  for _, band in ipairs(group.bands) do
    local x0 = math.max(box.left, sx(band[1]) or box.left)
    local x1 = math.min(box.right, sx(band[2]) or box.left)
    local mode = group.modes[band[3]]
    if x1 > x0 then
      local colour = palette.of(band[3])
      out[#out + 1] = ('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="band b%d s%d"/>'):format(x0, box.top,
        math.max(x1 - x0, 0.5), box.bottom - box.top, colour, colour)
    end
    if x1 - x0 > length_of(mode) + 4 then
      out[#out + 1] = text((x0 + x1) / 2, (box.top + box.bottom) / 2 + 4, mode, 'text-anchor="middle"')
    end
  end
end

local function draw_curves(out, picture, group, sx, sy)
  for i, s in ipairs(group.signals) do
    out[#out + 1] = ('<path class="%s" d="%s"/>'):format(signal_class(i),
      paths.of(scales.runs(group.time, s.values, sx, sy), s.held and not picture.x, picture.x))
  end
end

local function on_axis(scale, from, to)
  return function(value)
    local share = scale.share(value)
    return share and from + share * (to - from)
  end
end

local function draw_grid(out, box, horizontal, sx, vertical, sy, last)
  for _, tick in ipairs(vertical and vertical.ticks(box.y_ticks) or {}) do
    local y = sy(tick.value)
    out[#out + 1] = line(box.left, y, box.right, y, "grid")
    out[#out + 1] = text(box.left - 8, y + 4, tick.text, 'text-anchor="end"')
  end
  local room = box.right - box.left
  local ticks = axis_ticks.fitting(horizontal.ticks, room // 80, room, function(s) return length_of(s) + 14 end)
  for _, tick in ipairs(ticks) do
    local x = sx(tick.value)
    out[#out + 1] = line(x, box.top, x, box.bottom, "grid")
    if last then out[#out + 1] = text(x, box.bottom + 18, tick.text, 'text-anchor="middle"') end
  end
end

local function panel(out, picture, i, box)
  local group, last = picture.groups[i], i == #picture.groups
  local horizontal, vertical = scales.horizontal(picture), not group.bands and scales.vertical(group) or nil
  local k = picture.x and 1 or picture.time_factor
  local sx = on_axis(horizontal, box.left, box.right)
  local sy = vertical and on_axis(vertical, box.bottom, box.top)
  draw_grid(out, box, horizontal, function(value) return sx(value / k) end, vertical, sy, last)
  if not group.bands then draw_events(out, picture, sx, box, i == 1) end
  if group.bands then draw_bands(out, group, sx, box) end
  out[#out + 1] = ('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="frame"/>'):format(box.left, box.top,
    box.right - box.left, box.bottom - box.top)
  if not group.bands then draw_curves(out, picture, group, sx, sy) end
  local middle = (box.top + box.bottom) / 2
  if group.bands then
    out[#out + 1] = text(box.left - 8, middle + 4, group.label, 'text-anchor="end"')
  else
    local upright = ('text-anchor="middle" transform="translate(16 %.1f) rotate(-90)"'):format(middle)
    out[#out + 1] = text(0, 0, group.label, upright)
  end
  if last then
    local label = picture.x and picture.x.label or picture.time_label
    out[#out + 1] = text((box.left + box.right) / 2, box.bottom + 38, label, 'text-anchor="middle"')
  end
end

-- Heights of the panels, smaller for modes; if the height of the plot is given, fractions of what `around` leaves.
local function heights_of(picture, asked, around)
  local out, sum = {}, 0
  for i, group in ipairs(picture.groups) do
    out[i] = group.bands and 28 or #picture.groups == 1 and 320 or 180
    sum = sum + out[i]
  end
  local room = asked and math.max(asked - around, 40 * #out) or sum
  for i, height in ipairs(out) do out[i] = height * room / sum end
  return out, room
end

-- The places of all panels, their legends, and the height of the picture.
local function layout(picture, options, width)
  local left, boxes, around = 42, {}, 32 + 52
  local longest = scales.widest(picture.groups, function() return 7 end, length_of)
  for _, group in ipairs(picture.groups) do
    if group.bands then longest = math.max(longest, length_of(group.label) - 28) end
  end
  left = left + longest
  for i in ipairs(picture.groups) do
    local names_above = i == 1 and has_names(picture) and 13 * NAME_ROWS + 4 or 0
    boxes[i] = { left = left, right = width - 20, legend = legend_of(picture, i) }
    boxes[i].above = LINE * wrap(boxes[i].legend, width - 20 - left) + 6 + names_above
    around = around + boxes[i].above + 8
  end
  local heights, sum = heights_of(picture, options.height, around)
  local y = 32
  for i, box in ipairs(boxes) do
    box.legend_top, box.top = y + 4, y + 4 + box.above
    box.bottom = box.top + heights[i]
    box.y_ticks = math.max(2, heights[i] // 45)
    y = box.bottom + 4
  end
  return boxes, math.ceil(around + sum)
end

function svg.draw(picture, options)
  local width = options.width or 800
  local boxes, height = layout(picture, options, width)
  local described = names.map(run_card.rows(picture.card), function(row) return row[1] .. ": " .. row[2] end)
  local out = {
    ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">'):format(width,
      height, width, height),
    "<title>" .. escape(picture.title) .. "</title>",
    "<desc>" .. escape(table.concat(described, "\n")) .. "</desc>",
    style(),
    '<rect class="page" width="100%" height="100%"/>',
    text(boxes[1] and boxes[1].left or 20, 24, picture.title, 'class="title"'),
  }
  for i, box in ipairs(boxes) do
    draw_legend(out, box.legend, box.left, box.legend_top)
    panel(out, picture, i, box)
  end
  out[#out + 1] = "</svg>\n"
  return table.concat(out, "\n")
end

return svg
