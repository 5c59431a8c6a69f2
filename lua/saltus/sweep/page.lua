-- The page of a sweep: what was measured against what was varied, as scatter plots; histograms where nothing was
-- varied; statistics, errors and the card. One file, which needs no network and no script.
local axis_ticks = require "saltus.output.plot.axis_ticks"
local core = require "saltus.core"
local numerals = require "saltus.util.numerals"
local run_card = require "saltus.output.run_card"
local statistics = require "saltus.sweep.statistics"
local summary = require "saltus.sweep.summary"
local text_export = require "saltus.output.text_export"
local whole_file = require "saltus.util.whole_file"

local page = {}

local escape = text_export.escape_html

local MOST_PANELS, MOST_POINTS, BARS, MOST_WORDS = 24, 3000, 30, 12
local FEW = 100 -- points that are drawn larger
local THICKEST = 28 -- bar of a word
local WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 260, 66, 12, 14, 44

local style = [[
:root { color-scheme: light dark; --page: #fff; --ink: #1f2937; --grid: #e5e7eb; --mark: #1d4ed8; --soft: #4b5563 }
@media (prefers-color-scheme: dark) {
  :root { --page: #111827; --ink: #d1d5db; --grid: #273142; --mark: #60a5fa; --soft: #9ca3af } }
body { margin: 0 auto; padding: 16px 20px; max-width: 1340px; background: var(--page); color: var(--ink);
  font: 14px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif }
h1 { font-size: 18px; margin: 4px 0 12px } h2 { font-size: 15px; margin: 20px 0 6px }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(380px, 100%), 1fr)); gap: 12px }
figure { margin: 0; break-inside: avoid } figcaption { font-weight: 600; padding-left: 66px }
svg { width: 100%; height: auto } svg text { font-size: 12px; fill: var(--ink) }
.grid { stroke: var(--grid) } .points { stroke: var(--mark); stroke-width: 4; stroke-linecap: round; fill: none;
  stroke-opacity: .5 } .few { stroke-width: 8; stroke-opacity: .8 } .bar { fill: var(--mark) }
table { border-collapse: collapse } .statistics td, .statistics th { padding: 2px 12px 2px 0; text-align: right }
.statistics th:first-child { text-align: left } .wide { overflow-x: auto }
]]

-- ---- panels ----

-- The smallest and the largest number, as floats: differences of integers can overflow.
local function finite(values, count)
  local low, high = math.huge, -math.huge
  for i = 1, count do
    local v = values[i]
    if numerals.is_finite(v) then low, high = math.min(low, v), math.max(high, v) end
  end
  return low + 0.0, high + 0.0
end

-- A range with a margin; nil if there is no number.
local function range(values, count)
  local low, high = finite(values, count)
  if low > high then return nil end
  local room = (high - low) * 0.04
  if room <= 1e-12 * math.max(math.abs(low), math.abs(high)) then room = low == 0 and 1 or math.abs(low) * 0.5 end
  room = math.max(room, 1e-300) -- axes have no ticks at smaller distances
  return low - room, high + room
end

local function scale(low, high, from, to)
  return function(v) return from + (v - low) / (high - low) * (to - from) end
end

local function text(x, y, anchor, content, more)
  return numerals.format('<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>', x, y, anchor, more or "",
    escape(content))
end

local function line(x1, y1, x2, y2)
  return numerals.format('<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>', x1, y1, x2, y2)
end

-- Grid, ticks and labels of both axes; returns the lines and the two scales.
local function frame(x0, x1, y0, y1, label)
  local sx, sy = scale(x0, x1, LEFT, WIDTH - RIGHT), scale(y0, y1, HEIGHT - BOTTOM, TOP)
  local out = {}
  for _, tick in ipairs(axis_ticks.of(x0, x1, 5)) do
    local x = sx(tick.value)
    out[#out + 1] = line(x, TOP, x, HEIGHT - BOTTOM) .. text(x, HEIGHT - BOTTOM + 16, "middle", tick.text)
  end
  for _, tick in ipairs(axis_ticks.of(y0, y1, 5)) do
    local y = sy(tick.value)
    out[#out + 1] = line(LEFT, y, WIDTH - RIGHT, y) .. text(LEFT - 6, y + 4, "end", tick.text)
  end
  out[#out + 1] = text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "middle", label)
  return out, sx, sy
end

local function figure(title, about, marks)
  return ('<figure><figcaption>%s</figcaption><svg viewBox="0 0 %d %d" role="img" aria-label="%s">%s</svg></figure>')
    :format(escape(title), WIDTH, HEIGHT, escape(about), table.concat(marks, "\n"))
end

local function scatter(sweep, measured, varied)
  local xs, ys, count = sweep.data[varied], sweep.data[measured], sweep.count
  local x0, x1 = range(xs, count)
  local y0, y1 = range(ys, count)
  if not x0 or not y0 then return nil end
  local marks, sx, sy = frame(x0, x1, y0, y1, varied)
  local stride, points = math.max(1, math.ceil(count / MOST_POINTS)), {}
  for i = 1, count, stride do
    if numerals.is_finite(xs[i]) and numerals.is_finite(ys[i]) then
      points[#points + 1] = numerals.format("M%.1f %.1fh0", sx(xs[i]), sy(ys[i]))
    end
  end
  marks[#marks + 1] = ('<path class="points%s" d="%s"/>'):format(#points <= FEW and " few" or "",
    table.concat(points))
  return figure(measured, ("%s against %s, %d points"):format(measured, varied, #points), marks)
end

local function histogram(sweep, measured)
  local values, count = sweep.data[measured], sweep.count
  local low, high = range(values, count)
  if not low then return nil end
  local bins, most = {}, 0
  for i = 1, BARS do bins[i] = 0 end
  for i = 1, count do
    if numerals.is_finite(values[i]) then
      local at = math.min(BARS, 1 + math.floor((values[i] - low) / (high - low) * BARS))
      bins[at] = bins[at] + 1
      most = math.max(most, bins[at])
    end
  end
  local marks, sx, sy = frame(low, high, 0, most * 1.05, measured)
  for i, n in ipairs(bins) do
    local from, to = sx(low + (i - 1) * (high - low) / BARS), sx(low + i * (high - low) / BARS)
    marks[#marks + 1] = n > 0 and numerals.format('<rect class="bar" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>',
      from + 0.5, sy(n), to - from - 1, HEIGHT - BOTTOM - sy(n)) or nil
  end
  return figure(measured .. ", number of runs", ("histogram of %s"):format(measured), marks)
end

-- How often each word occurs, as bars.
local function words(sweep, measured)
  local list = statistics.counts(sweep.data[measured], sweep.count)
  if #list == 0 then return nil end
  local marks, shown = {}, math.min(#list, MOST_WORDS)
  local step = math.min((HEIGHT - TOP - 8) / shown, THICKEST / 0.7)
  for i = 1, shown do
    local y = TOP + (i - 1) * step
    local width = (WIDTH - 180) * list[i].count / list[1].count
    marks[#marks + 1] = numerals.format('<rect class="bar" x="120" y="%.1f" width="%.1f" height="%.1f"/>', y, width,
      step * 0.7) .. text(114, y + step * 0.35 + 4, "end", numerals.text(list[i].text))
      .. text(126 + width, y + step * 0.35 + 4, "start", tostring(list[i].count))
  end
  return figure(measured .. ", number of runs", ("how often %s had each value"):format(measured), marks)
end

local function has_numbers(sweep, name) return (range(sweep.data[name], sweep.count)) ~= nil end

-- The numeric parameters with more than one value.
local function varied(sweep)
  local out = {}
  for _, name in ipairs(sweep.design.names) do
    local low, high = finite(sweep.data[name], sweep.count)
    if low < high then out[#out + 1] = name end
  end
  return out
end

local function panels(sweep)
  local out, axes = {}, varied(sweep)
  for _, measured in ipairs(sweep.measured) do
    if not has_numbers(sweep, measured) then
      out[#out + 1] = words(sweep, measured)
    elseif #axes == 0 then
      out[#out + 1] = histogram(sweep, measured)
    end
    for _, name in ipairs(has_numbers(sweep, measured) and axes or {}) do
      out[#out + 1] = scatter(sweep, measured, name)
    end
  end
  local more = #out > MOST_PANELS and ("<p>The first %d of %d panels.</p>"):format(MOST_PANELS, #out) or ""
  return '<div class="panels">' .. table.concat(out, "\n", 1, math.min(#out, MOST_PANELS)) .. "</div>" .. more
end

-- ---- tables ----

local columns = { "count", "mean", "sd", "min", "p05", "median", "p95", "max" }

local function statistics_table(sweep)
  local out = {}
  for _, name in ipairs(sweep.measured) do
    local of, none = statistics.of(sweep.data[name], sweep.count)
    local others, cells = of and of.not_finite or none, {}
    for i, what in ipairs(columns) do
      cells[i] = "<td>" .. (of and numerals.format(what == "count" and "%d" or "%.6g", of[what]) or "") .. "</td>"
    end
    if others > 0 then cells[#cells + 1] = ("<td>%d not finite</td>"):format(others) end
    if of or others > 0 then
      out[#out + 1] = ('<tr><th scope="row">%s</th>%s</tr>'):format(escape(name), table.concat(cells))
    end
  end
  if #out == 0 then return "" end
  return '<h2>Statistics</h2><div class="wide"><table class="statistics"><tr><td></td><th scope="col">'
    .. table.concat(columns, '</th><th scope="col">') .. "</th></tr>" .. table.concat(out, "\n") .. "</table></div>"
end

local function errors(sweep)
  if sweep.failures == 0 then return "" end
  local items = {}
  for i, one in ipairs(statistics.counts(sweep.data.error, sweep.count)) do
    if i <= MOST_WORDS then items[i] = ("<li>%d × %s</li>"):format(one.count, escape(one.text)) end
  end
  return ("<h2>%d of %d runs failed</h2><ul>%s</ul>"):format(sweep.failures, sweep.count, table.concat(items, "\n"))
end

local function card_of(sweep)
  local def, design = sweep.def, sweep.design
  local more = { { "runs", ("%d of %d"):format(sweep.count, design.count) }, { "seed", tostring(design.seed) } }
  table.move(design:texts(), 1, #design.names, #more + 1, more)
  if design.is_random then more[#more + 1] = { "sampling", (design.sampling:gsub("_", " ")) } end
  more[#more + 1] = { "shard", summary.shard_text(sweep.shard) }
  return { scenario = def.scenario.model.name, file = def.scenario.file, version = core.version, set = def.set or {},
    events = {}, more = more, command = sweep.command }
end

function page.html(sweep)
  local title = ("%s: %d runs"):format(sweep.def.scenario.model.name, sweep.count)
  return table.concat({ '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>' .. escape(title) .. "</title>",
    "<style>" .. style .. run_card.style .. "</style></head><body><main>", "<h1>" .. escape(title) .. "</h1>",
    panels(sweep), statistics_table(sweep), errors(sweep), run_card.html(card_of(sweep)),
    "</main></body></html>\n" }, "\n")
end

function page.write(sweep, path)
  whole_file.write(path, "sweep:page", function(put) put(page.html(sweep)) end)
end

return page
