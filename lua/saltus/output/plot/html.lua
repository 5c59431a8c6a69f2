-- An interactive plot: one HTML file that contains data, style and the chart library (uPlot, MIT, in vendor/ with its
-- licence). It needs no network.
local svg = require "saltus.output.plot.svg"
local text_export = require "saltus.output.text_export"
local run_card = require "saltus.output.run_card"

local html = {}

local json = text_export.json

local folder = debug.getinfo(1, "S").source:match "^@(.*[/\\])[^/\\]*$" or ""

local function vendor(name)
  local file = assert(io.open(folder .. "vendor/" .. name, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- Text inside a script must not contain its end tag.
local function inside_script(text) return (text:gsub("<", "\\u003c")) end

local function list(values)
  local out = {}
  for i = 1, #values do
    local v = values[i]
    out[i] = v > -math.huge and v < math.huge and ("%.10g"):format(v) or "null"
  end
  return "[" .. table.concat(out, ",") .. "]"
end

local function group_json(group)
  local signals = {}
  for i, s in ipairs(group.signals) do
    signals[i] = ('{"name":%s,"held":%s,"values":%s}'):format(json(s.name), tostring(s.held == true), list(s.values))
  end
  return ('{"label":%s,"time":%s,"modes":%s,"signals":[%s]}'):format(json(group.label), list(group.time),
    group.modes and json(group.modes) or "null", table.concat(signals, ",\n"))
end

local function data_json(picture)
  local groups, events = {}, {}
  for i, group in ipairs(picture.groups) do groups[i] = group_json(group) end
  for i, e in ipairs(picture.events) do
    events[i] = ('{"name":%s,"times":%s,"label":%s}'):format(json(e.name), list(e.times), json(e.label))
  end
  return ('{"title":%s,"x":%s,\n"groups":[%s],\n"events":[%s]}'):format(json(picture.title),
    picture.x and json(picture.x.label) or "null", table.concat(groups, ",\n"), table.concat(events, ",\n"))
end

local style = [[
:root { color-scheme: light dark; --page: #fff; --ink: #374151; --grid: #e5e7eb; --frame: #9ca3af; --event: #6b7280 }
@media (prefers-color-scheme: dark) {
  :root { --page: #111827; --ink: #d1d5db; --grid: #273142; --frame: #6b7280; --event: #9ca3af } }
body { margin: 0 auto; padding: 16px 20px; max-width: 1200px; background: var(--page); color: var(--ink);
  font: 14px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif }
h1 { font-size: 18px; margin: 4px 0 12px }
.events label { margin-right: 14px; white-space: nowrap; cursor: pointer }
.hint { opacity: .7; font-size: 12px }
.uplot { margin-bottom: 8px; font-family: inherit }
.u-legend { text-align: left; font-size: 13px } .u-legend th { font-weight: 500 }
.u-select { background: rgba(100, 116, 139, .2) }
]]

local script = [[
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const charts = document.getElementById("charts");
const hidden = new Set();
const dark = matchMedia("(prefers-color-scheme: dark)");
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const sync = uPlot.sync("time");
let plots = [], zooming = false;

function drawEvents(u) {
  const c = u.ctx, px = devicePixelRatio, box = u.bbox;
  c.save();
  c.beginPath(); c.rect(box.left, box.top, box.width, box.height); c.clip();
  c.strokeStyle = css("--event"); c.fillStyle = css("--event"); c.lineWidth = px;
  c.font = 11 * px + "px system-ui, sans-serif"; c.textAlign = "left"; c.textBaseline = "top";
  const marks = [];
  for (const e of data.events) {
    if (hidden.has(e.name)) continue;
    const shown = e.times.filter(t => t >= u.scales.x.min && t <= u.scales.x.max);
    for (const t of shown)
      marks.push({ x: Math.round(u.valToPos(t, "x", true)) + .5, name: e.name, many: shown.length > 60 });
  }
  marks.sort((a, b) => b.x - a.x); // from the right: a name stands where no line would cross it
  const bottom = box.top + box.height;
  let nextLine = box.left + box.width;
  for (const m of marks) {
    c.setLineDash(m.many ? [] : [3 * px, 3 * px]);
    c.globalAlpha = .6;
    c.beginPath(); c.moveTo(m.x, m.many ? bottom - 6 * px : box.top); c.lineTo(m.x, bottom); c.stroke();
    c.globalAlpha = 1;
    if (m.many) continue;
    if (u === plots[0] || !plots.length)
      if (m.x + c.measureText(m.name).width + 6 * px < nextLine) c.fillText(m.name, m.x + 4 * px, box.top + 3 * px);
    nextLine = m.x;
  }
  c.restore();
}

function follow(u, key) { // zooming one chart zooms all
  if (zooming || key !== "x") return;
  zooming = true;
  const { min, max } = u.scales.x;
  for (const p of plots) if (p !== u) p.setScale("x", { min, max });
  zooming = false;
}

function range(u, low, high) {
  if (low == null) return [0, 1];
  const room = (high - low) * .08 || Math.abs(low) * .5 || 1;
  return [low - room, high + room];
}

const mostLetters = Math.max(0, ...data.groups.map(g => g.modes ? Math.max(...g.modes.map(m => m.length)) : 0));
const axisSize = Math.max(64, mostLetters * 7 + 24); // one width, so that all charts line up

// As many decimals as tell a tick from its neighbour: the library itself stops at three.
function tickTexts(splits, step) {
  const largest = Math.max(...splits.map(Math.abs)), whole = v => Math.abs(v - Math.round(v)) < 1e-6 * Math.abs(v);
  let places = -Math.floor(Math.log10(step) + 1e-9);
  if (!whole(step * 10 ** places)) places++; // 0.25 needs one more than 0.2
  if (largest >= 1e-4 && (largest < 1e6 || places > 0)) return splits.map(v => v.toFixed(Math.max(0, places)));
  const digits = Math.max(4, Math.floor(Math.log10(largest)) + places + 1);
  return splits.map(v => v ? Number(v.toPrecision(digits)).toExponential().replace("e+", "e") : "0");
}

function curve(u, i) { // one signal against another: the points in their order, whichever way they go
  uPlot.orient(u, i, (series, xs, ys, sx, sy, posX, posY, left, top, width, height) => {
    const [x, y] = u.data[i], path = new Path2D();
    let drawing = false;
    for (let k = 0; k < x.length; k++) {
      if (x[k] == null || y[k] == null) { drawing = false; continue; }
      const at = [posX(x[k], sx, width, left), posY(y[k], sy, height, top)];
      drawing ? path.lineTo(...at) : path.moveTo(...at);
      drawing = true;
    }
    u.ctx.save();
    u.ctx.beginPath(); u.ctx.rect(left, top, width, height); u.ctx.clip();
    u.ctx.strokeStyle = series.stroke(); u.ctx.lineWidth = 1.6 * devicePixelRatio;
    u.ctx.stroke(path);
    u.ctx.restore();
  });
  return null;
}

// What is different when a signal stands in the place of the time.
function parametric(group, o) {
  const facets = [{ scale: "x", auto: true }, { scale: "y", auto: true }];
  o.mode = 2;
  o.scales.x.range = range;
  o.legend = { live: false };
  o.cursor = { drag: { x: true, y: true } };
  o.hooks = {};
  o.series = [{}].concat(group.signals.map((s, i) =>
    ({ label: s.name, facets, paths: curve, stroke: () => css("--s" + (i % 8 + 1)) })));
  return o;
}

function options(group, alone, last) {
  const axis = more => Object.assign({ stroke: () => css("--ink"), grid: { stroke: () => css("--grid"), width: 1 },
    ticks: { stroke: () => css("--frame"), width: 1 }, font: "12px system-ui, sans-serif",
    labelFont: "13px system-ui, sans-serif", values: (u, v, i, space, step) => tickTexts(v, step) }, more);
  const modes = group.modes;
  const name = v => modes && modes[v - 1] !== undefined ? modes[v - 1] : v;
  const o = {
    width: charts.clientWidth, height: alone ? 460 : (modes ? 130 : 260) + (last ? 30 : 0),
    scales: { x: { time: false }, y: modes ? { range: [.7, modes.length + .3] } : { range } },
    axes: [axis(last ? { label: data.x || "time [s]" } : {}), axis(Object.assign({ label: group.label, size: axisSize },
      modes ? { splits: modes.map((_, i) => i + 1), values: (u, v) => v.map(name), filter: (u, v) => v } : {}))],
    series: [{ label: "time", value: (u, v) => v == null ? "--" : v.toPrecision(7) + " s" }].concat(
      group.signals.map((s, i) => ({ label: s.name, width: 1.6, pxAlign: 0, points: { show: group.time.length < 40 },
        stroke: () => css("--s" + (i % 8 + 1)), value: (u, v) => v == null ? "--" : modes ? name(v) : v.toPrecision(7),
        paths: s.held ? uPlot.paths.stepped({ align: 1 }) : undefined }))),
    cursor: { sync: { key: sync.key }, drag: { x: true, y: false } },
    hooks: { drawAxes: [drawEvents], setScale: [follow] },
  };
  return data.x ? parametric(group, o) : o;
}

function build() {
  plots.forEach(p => p.destroy());
  plots = [];
  const n = data.groups.length;
  data.groups.forEach((g, i) => plots.push(new uPlot(options(g, n === 1, i === n - 1),
    data.x ? [null].concat(g.signals.map(s => [g.time, s.values])) : [g.time].concat(g.signals.map(s => s.values)),
    charts)));
}

const events = document.querySelector(".events");
for (const e of data.events) {
  const label = document.createElement("label"), box = document.createElement("input");
  box.type = "checkbox"; box.checked = e.times.length > 0; box.disabled = !e.times.length;
  box.onchange = () => { box.checked ? hidden.delete(e.name) : hidden.add(e.name); plots.forEach(p => p.redraw()); };
  label.append(box, " " + e.label);
  events.append(label);
}
build();
dark.addEventListener("change", build);
addEventListener("resize", () => plots.forEach(p => p.setSize({ width: charts.clientWidth, height: p.height })));
]]

local function palette(colours) return ":root { " .. svg.rules("--s%d: %s", colours, "; ") .. " }" end

function html.draw(picture)
  local title = text_export.escape_html(picture.title)
  return table.concat({
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>" .. title .. "</title>",
    "<style>" .. vendor "uPlot.min.css" .. style .. run_card.style .. palette(svg.light),
    "@media (prefers-color-scheme: dark) { " .. palette(svg.dark) .. " }</style>",
    "</head>\n<body>\n<h1>" .. title .. "</h1>",
    '<p class="events"></p>\n<div id="charts"></div>',
    '<p class="hint">Drag to zoom, double-click to see all; click a name in a legend to hide its curve.</p>',
    picture.card and run_card.html(picture.card) or "",
    '<script id="data" type="application/json">' .. inside_script(data_json(picture)) .. "</script>",
    "<!-- The chart library below:\n" .. vendor "uPlot.LICENSE" .. "-->",
    "<script>" .. vendor "uPlot.iife.min.js" .. "</script>",
    "<script>" .. script .. "</script>\n</body>\n</html>\n",
  }, "\n")
end

return html
