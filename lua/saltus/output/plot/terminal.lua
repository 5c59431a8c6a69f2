-- A plot as characters: braille dots, two columns and four rows in each cell.
local axis_ticks = require "saltus.output.plot.axis_ticks"
local scales = require "saltus.output.plot.scales"

local terminal = {}

local ansi = {}
for i, code in ipairs { 34, 31, 32, 33, 35, 36, 94, 91, 92, 93, 95, 96 } do ansi[i] = ("\27[%dm"):format(code) end
local reset = "\27[0m"

-- Bit of the dot at column x (0, 1) and row y (0 to 3) of a cell, from U+2800 on.
local bits = { [0] = { [0] = 0x01, 0x02, 0x04, 0x40 }, { [0] = 0x08, 0x10, 0x20, 0x80 } }

local function new_canvas(columns, rows)
  return { columns = columns, rows = rows, dots = {}, colour = {} }
end

local function set(canvas, x, y, colour)
  if x < 0 or y < 0 or x >= 2 * canvas.columns or y >= 4 * canvas.rows then return end
  local cell = (y // 4) * canvas.columns + x // 2
  canvas.dots[cell] = (canvas.dots[cell] or 0) | bits[x % 2][y % 4]
  canvas.colour[cell] = colour
end

-- Straight line of dots between two points.
local function stroke(canvas, x0, y0, x1, y1, colour)
  local steps = math.max(math.abs(x1 - x0), math.abs(y1 - y0), 1)
  for i = 0, steps do
    set(canvas, (x0 + (x1 - x0) * i / steps + 0.5) // 1 | 0, (y0 + (y1 - y0) * i / steps + 0.5) // 1 | 0, colour)
  end
end

local function row_text(canvas, row, coloured)
  local out, current = {}, nil
  for column = 0, canvas.columns - 1 do
    local cell = row * canvas.columns + column
    local colour = coloured and canvas.colour[cell] or nil
    if colour ~= current then
      out[#out + 1] = (current and reset or "") .. (colour or "")
      current = colour
    end
    out[#out + 1] = canvas.dots[cell] and utf8.char(0x2800 + canvas.dots[cell]) or " "
  end
  if current then out[#out + 1] = reset end
  return table.concat(out)
end

-- Characters, not bytes.
local function pad_left(text, width) return (" "):rep(width - utf8.len(text)) .. text end

local function draw_signal(canvas, time, signal, sx, sy, colour, parametric)
  for _, run in ipairs(scales.runs(time, signal.values, sx, sy)) do
    local x0, y0 = run.xs[1], run.ys[1]
    set(canvas, x0, y0, colour)
    for i = 2, #run.xs do
      local x, y = run.xs[i], run.ys[i]
      if signal.held and not parametric then
        stroke(canvas, x0, y0, x, y0, colour)
        stroke(canvas, x, y0, x, y, colour)
      else
        stroke(canvas, x0, y0, x, y, colour)
      end
      x0, y0 = x, y
    end
  end
end

-- The dot of a value; nil outside of a logarithmic scale.
local function dots(scale, last, down)
  return function(value)
    local share = scale.share(value)
    return share and ((down and 1 - share or share) * last + 0.5) // 1 | 0
  end
end

-- Texts at their columns, without those that would touch the one before.
local function place(width, items)
  local line, free = {}, 1
  for _, item in ipairs(items) do
    local length = utf8.len(item.text)
    local start = math.max(1, math.min(item.column - (item.centre and length // 2 or 0), width - length + 1))
    if start >= free then
      line[#line + 1] = (" "):rep(start - free + (#line > 0 and 1 or 0)) .. item.text
      free = start + length + 1
    end
  end
  return table.concat(line)
end

local function event_lines(out, picture, sx, margin, columns)
  for _, event in ipairs(picture.events) do
    local marked = {}
    for _, t in ipairs(event.times) do marked[(sx(t) or -2) // 2] = true end
    local cells = {}
    for c = 0, columns - 1 do cells[c + 1] = marked[c] and "▴" or " " end
    local row = table.concat(cells):gsub("%s+$", "")
    if #event.times > 0 then out[#out + 1] = (" "):rep(margin + 2) .. row end
    out[#out + 1] = (" "):rep(margin + 2) .. "▴ " .. event.label
  end
end

local function title_of(group, coloured)
  local list = {}
  for i, s in ipairs(group.signals) do
    list[i] = #group.signals > 1 and coloured and ansi[(i - 1) % #ansi + 1] .. s.name .. reset or s.name
  end
  local unit = group.unit and " [" .. group.unit .. "]" or ""
  return table.concat(list, ", ") .. unit
end

-- A line under a panel with the texts of the horizontal axis.
local function axis_line(picture, horizontal, sx, columns, last)
  local k, items = picture.x and 1 or picture.time_factor, {}
  local ticks = axis_ticks.fitting(horizontal.ticks, columns // 12, columns, function(s) return utf8.len(s) + 2 end)
  for _, tick in ipairs(ticks) do
    items[#items + 1] = { column = sx(tick.value / k) // 2 + 1, text = tick.text, centre = true }
  end
  return place(columns, items) .. (last and " " .. (picture.x and picture.x.label or picture.time_unit) or "")
end

-- Modes as one line of bands, each with its name where that fits: ├falling─────┼resting──
local function band_line(group, sx, columns)
  local cells = {}
  for c = 1, columns do cells[c] = " " end
  for _, band in ipairs(group.bands) do
    local from = math.max(1, (sx(band[1]) or 0) // 2 + 1)
    local to = math.min((sx(band[2]) or 0) // 2 + 1, columns)
    for c = from, to do cells[c] = "─" end
    if from <= columns then cells[from] = from > 1 and cells[from - 1] ~= " " and "┼" or "├" end
    local name, k = group.modes[band[3]], from
    for _, code in utf8.codes(utf8.len(name) <= to - from - 1 and name or "") do
      k = k + 1
      cells[k] = utf8.char(code)
    end
  end
  return (table.concat(cells):gsub("%s+$", ""))
end

local function curve_lines(out, picture, group, size, sx, columns)
  local vertical, canvas = scales.vertical(group), new_canvas(columns, size.rows)
  local sy, labels = dots(vertical, 4 * size.rows - 1, true), {}
  for i, s in ipairs(group.signals) do
    draw_signal(canvas, group.time, s, sx, sy, #group.signals > 1 and ansi[(i - 1) % #ansi + 1] or nil, picture.x)
  end
  for _, tick in ipairs(vertical.ticks(size.rows // 2)) do labels[sy(tick.value) // 4] = tick.text end
  for row = 0, size.rows - 1 do
    local line = pad_left(labels[row] or "", size.margin) .. (labels[row] and " ┤" or " │") ..
      row_text(canvas, row, size.coloured)
    out[#out + 1] = line:gsub("%s+$", "")
  end
end

local function panel(out, picture, group, size, last)
  local margin, columns = size.margin, size.width - size.margin - 2
  local horizontal = scales.horizontal(picture)
  local sx = dots(horizontal, 2 * columns - 1)
  out[#out + 1] = (" "):rep(margin + 2) .. title_of(group, size.coloured)
  if group.bands then
    out[#out + 1] = (" "):rep(margin + 2) .. band_line(group, sx, columns)
  else
    curve_lines(out, picture, group, size, sx, columns)
  end
  out[#out + 1] = (" "):rep(margin + 1) .. "└" .. ("─"):rep(columns)
  out[#out + 1] = (" "):rep(margin + 2) .. axis_line(picture, horizontal, sx, columns, last)
  if last then event_lines(out, picture, sx, margin, columns) end
end

-- Without colour, signals in one panel could not be distinguished, nor with it when there are more than the colours:
-- each gets a panel of its own, unless they belong together.
local function panels_of(picture, coloured, joined)
  local out = {}
  for _, group in ipairs(picture.groups) do
    local together = joined or coloured and #group.signals <= #ansi
    if together then out[#out + 1] = group end
    for _, s in ipairs(together and {} or group.signals) do
      out[#out + 1] = { time = group.time, signals = { s }, unit = s.unit, modes = s.modes, bands = group.bands,
        log = group.log, low = s.low, high = s.high }
      if s.low > s.high or s.modes then out[#out].low, out[#out].high = group.low, group.high end
    end
  end
  return out
end

-- options: width (80), height of one panel in rows (10), colour, most (panels), joined (signals of a panel stay in it
-- without colour too).
function terminal.draw(picture, options)
  local groups = panels_of(picture, options.colour, options.joined)
  local most = math.min(options.most or #groups, #groups)
  local size = { width = options.width or 80, coloured = options.colour }
  local out, rows = {}, {}
  for i, group in ipairs(groups) do
    rows[i] = group.modes and #group.modes or options.height or 10
  end
  size.margin = scales.widest(groups, function(i) return rows[i] // 2 end, utf8.len)
  for i = 1, most do
    size.rows = rows[i]
    panel(out, picture, groups[i], size, i == most)
  end
  if most < #groups then out[#out + 1] = ("  (and %d more; --plot shows all)"):format(#groups - most) end
  return table.concat(out, "\n") .. "\n"
end

return terminal
