-- An interactive plot: one HTML file that contains data, style and the chart library (uPlot, MIT, in vendor/ with its
-- licence). It needs no network. Its script and its style are in page/.
local asset = require "saltus.output.asset"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local palette = require "saltus.output.plot.palette"
local run_card = require "saltus.output.run_card"
local text_export = require "saltus.output.text_export"

local html = {}

local json, escape = text_export.json, text_export.escape_html

-- Text inside a script must not contain its end tag.
local function inside_script(text) return (text:gsub("<", "\\u003c")) end

-- Times are written exactly, because both sides of a jump have the same time. Values have as many digits as a picture
-- needs; zooming needs some more.
local function times(values) return json(values, numerals.shortest) end

-- How texts of these values are made: with eight digits of the range that they have.
local function format_of(values)
  local low, high = math.huge, -math.huge
  for _, value in pairs(values) do
    if numerals.is_finite(value) then low, high = math.min(low, value), math.max(high, value) end
  end
  local size = high > low and math.max(math.abs(low), math.abs(high)) / (high - low) or 1
  local digits = ("%%.%dg"):format(math.min(17, 8 + math.max(0, math.floor(math.log(size, 10)))))
  return function(value) return digits:format(value) end
end

local function signal_json(s, i)
  local colour, dash = palette.of(i)
  return ('{"name":%s,"held":%s,"colour":%d,"dash":%s,"values":%s}'):format(json(s.name), tostring(s.held == true),
    colour, json(palette.dashes[dash]), json(s.values, format_of(s.values)))
end

-- "time" is null for a group that has the times of the one before it.
local function group_json(group, time)
  return ('{"label":%s,"log":%s,"time":%s,"modes":%s,"bands":%s,"signals":[%s]}'):format(json(group.label),
    tostring(group.log == true), time, json(group.modes), times(group.bands),
    table.concat(names.map(group.signals, signal_json), ",\n"))
end

local data_format = '{"title":%s,"x":%s,"logX":%s,"timeUnit":%s,"timeFactor":%.0f,"timeLabel":%s,\n'
  .. '"groups":[%s],\n"events":[%s]}'

local function data_json(picture)
  local groups, before = {}, nil
  for i, group in ipairs(picture.groups) do
    local time = times(group.time)
    groups[i] = group_json(group, time ~= before and time or "null")
    before = time
  end
  local events = names.map(picture.events, function(e)
    return ('{"name":%s,"times":%s,"label":%s}'):format(json(e.name), times(e.times), json(e.label))
  end)
  return data_format:format(json(picture.title), json(picture.x and picture.x.label),
    tostring(picture.log_x == true), json(picture.time_unit or "s"), picture.time_factor or 1,
    json(picture.time_label or "time [s]"), table.concat(groups, ",\n"), table.concat(events, ",\n"))
end

local function colours(list_of)
  return palette.rules("--s%d: %s", list_of, "; ")
end

local function style()
  return table.concat { asset "plot/vendor/uPlot.min.css", asset "plot/page/page.css", run_card.style, ":root { ",
    colours(palette.light), " }\n@media screen and (prefers-color-scheme: dark) { :root:not(.print) { ",
    colours(palette.dark), " } }\n" }
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

local function more_scripts(more)
  local out = {}
  for _, id in ipairs(names.sorted_keys(more.data or {})) do
    out[#out + 1] = ('<script id="%s" type="application/json">%s</script>'):format(id, inside_script(more.data[id]))
  end
  out[#out + 1] = more.script and "<script>" .. more.script .. "</script>"
  return table.concat(out, "\n")
end

local CHARTS = '<div id="charts" tabindex="0" role="group" aria-label="Charts: arrow keys move, plus and minus zoom, '
  .. '0 shows all"></div>'

-- A page with more than plots: `more` is { style = css, body = html before the plots, data = { id = json }, script = }.
function html.page(picture, more)
  local title = escape(picture.title)
  return table.concat({
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>" .. title .. "</title>",
    "<style>" .. style() .. (more.style or "") .. "</style>",
    "</head>\n<body>\n<main>\n<h1>" .. title .. "</h1>",
    more.body or "",
    "<fieldset><legend>Events</legend></fieldset>",
    toolbar(),
    CHARTS,
    picture.groups[1] and '<p class="hint">' .. HINT .. "</p>" or "",
    picture.card and run_card.html(picture.card) or "",
    "</main>",
    '<script id="data" type="application/json">' .. inside_script(data_json(picture)) .. "</script>",
    "<!-- The chart library below:\n" .. asset "plot/vendor/uPlot.LICENSE" .. "-->",
    "<script>" .. asset "plot/vendor/uPlot.iife.min.js" .. "</script>",
    "<script>" .. asset "plot/page/ticks.js" .. asset "plot/page/page.js" .. asset "plot/page/download.js"
      .. "</script>",
    more_scripts(more),
    "</body>\n</html>\n",
  }, "\n")
end

function html.draw(picture) return html.page(picture, {}) end

return html
