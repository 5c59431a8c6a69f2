-- An interactive plot: one HTML file that contains data, style and the chart library (uPlot, MIT, in vendor/ with its
-- licence). It needs no network. Its script and its style are in page/.
local palette = require "saltus.output.plot.palette"
local run_card = require "saltus.output.run_card"
local text_export = require "saltus.output.text_export"

local html = {}

local json, escape = text_export.json, text_export.escape_html

local folder = debug.getinfo(1, "S").source:match "^@(.*[/\\])[^/\\]*$" or ""

local function content(name)
  local file = assert(io.open(folder .. name, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- Text inside a script must not contain its end tag.
local function inside_script(text) return (text:gsub("<", "\\u003c")) end

local function list(values, conversion)
  local out = {}
  for i = 1, #values do
    local v = values[i]
    out[i] = v > -math.huge and v < math.huge and (conversion or "%.10g"):format(v) or "null"
  end
  return "[" .. table.concat(out, ",") .. "]"
end

-- Times have all their digits: both sides of a jump are at one of them.
local function times(values) return list(values, "%.17g") end

local function signal_json(s, i)
  local colour, dash = palette.of(i)
  return ('{"name":%s,"held":%s,"colour":%d,"dash":%s,"values":%s}'):format(json(s.name), tostring(s.held == true),
    colour, json(palette.dashes[dash]), list(s.values))
end

local function bands_json(bands)
  local out = {}
  for i, band in ipairs(bands) do out[i] = times(band) end
  return "[" .. table.concat(out, ",") .. "]"
end

local function group_json(group)
  local signals = {}
  for i, s in ipairs(group.signals) do signals[i] = signal_json(s, i) end
  local bands = group.bands and bands_json(group.bands) or "null"
  return ('{"label":%s,"log":%s,"time":%s,"modes":%s,"bands":%s,"signals":[%s]}'):format(json(group.label),
    tostring(group.log == true), times(group.time), json(group.modes), bands, table.concat(signals, ",\n"))
end

local function data_json(picture)
  local groups, events = {}, {}
  for i, group in ipairs(picture.groups) do groups[i] = group_json(group) end
  for i, e in ipairs(picture.events) do
    events[i] = ('{"name":%s,"times":%s,"label":%s}'):format(json(e.name), times(e.times), json(e.label))
  end
  return ('{"title":%s,"x":%s,"logX":%s,"timeUnit":%s,"timeFactor":%.0f,"timeLabel":%s,\n"groups":[%s],\n"events":[%s]}'
    ):format(json(picture.title), json(picture.x and picture.x.label), tostring(picture.log_x),
    json(picture.time_unit), picture.time_factor, json(picture.time_label), table.concat(groups, ",\n"),
    table.concat(events, ",\n"))
end

local function colours(list_of)
  return palette.rules("--s%d: %s", list_of, "; ")
end

local function style()
  return content "vendor/uPlot.min.css" .. content "page/page.css" .. run_card.style ..
    ":root { " .. colours(palette.light) .. " }\n@media screen and (prefers-color-scheme: dark) { :root:not(.print) { " ..
    colours(palette.dark) .. " } }"
end

local buttons = { { "left", "← Left" }, { "right", "Right →" }, { "in", "Zoom in" }, { "out", "Zoom out" },
  { "all", "Show all" }, { "picture", "Save picture" }, { "data", "Save data" } }

local function toolbar()
  local out = {}
  for i, b in ipairs(buttons) do out[i] = ('<button type="button" name="%s">%s</button>'):format(b[1], b[2]) end
  return '<div class="toolbar" role="toolbar" aria-label="View">' .. table.concat(out) ..
    '<p aria-live="off"></p></div>'
end

local HINT = "Drag to zoom, drag with Shift to move, double-click to see all. With the charts in focus: arrow keys, "
  .. "+, - and 0. Click a name to hide its curve."

function html.draw(picture)
  local title = escape(picture.title)
  return table.concat({
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>" .. title .. "</title>",
    "<style>" .. style() .. "</style>",
    "</head>\n<body>\n<main>\n<h1>" .. title .. "</h1>",
    "<fieldset><legend>Events</legend></fieldset>",
    toolbar(),
    '<div id="charts" tabindex="0" role="group" aria-label="Charts: arrow keys move, plus and minus zoom, 0 shows all">'
      .. "</div>",
    '<p class="hint">' .. HINT .. "</p>",
    run_card.html(picture.card),
    "</main>",
    '<script id="data" type="application/json">' .. inside_script(data_json(picture)) .. "</script>",
    "<!-- The chart library below:\n" .. content "vendor/uPlot.LICENSE" .. "-->",
    "<script>" .. content "vendor/uPlot.iife.min.js" .. "</script>",
    "<script>" .. content "page/page.js" .. content "page/download.js" .. "</script>\n</body>\n</html>\n",
  }, "\n")
end

return html
