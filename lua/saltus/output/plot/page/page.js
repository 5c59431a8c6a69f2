"use strict";
// The page of a plot: charts of uPlot that zoom and move together. The data is what panels.lua makes, as JSON.
const data = JSON.parse(document.getElementById("data").textContent);
data.groups.forEach((group, i) => { group.time ||= data.groups[i - 1].time; });
const charts = document.getElementById("charts"), root = document.documentElement;
const hidden = new Set(); // names of events that are not shown
const css = name => getComputedStyle(root).getPropertyValue(name).trim();
const colour = signal => () => css("--s" + signal.colour);
const sync = uPlot.sync("time");
const NAME_ROWS = 2; // rows of event names above the first chart
let plots = [], following = false;

function element(tag, properties, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}

// ---- texts ----

const timeText = t => (t * data.timeFactor).toPrecision(7) * 1 + " " + data.timeUnit;
const valueText = (group, v) => v == null ? "--" : group.modes ? group.modes[v - 1] : String(+v.toPrecision(6));

// Ticks so far apart that their texts do not touch.
function tickSpace(u, axis, low, high, room) {
  const k = data.x ? 1 : data.timeFactor, step = (high - low) * k / Math.max(2, room / 90);
  const largest = Math.max(Math.abs(low), Math.abs(high)) * k;
  const before = largest >= 1 ? Math.floor(Math.log10(largest)) + 1 : 1;
  const after = Math.max(0, -Math.floor(Math.log10(step)) + 1);
  return 30 + 7 * Math.min(before + after + 1, 18);
}

// ---- events and modes ----

function eventMarks(u) {
  const marks = [], { min, max } = u.scales.x;
  for (const e of data.events) {
    if (hidden.has(e.name)) continue;
    const shown = e.times.filter(t => t >= min && t <= max);
    for (const t of shown) marks.push({ x: Math.round(u.valToPos(t, "x", true)) + .5, name: e.name,
      many: shown.length > 60 });
  }
  return marks.sort((a, b) => a.x - b.x);
}

// Names stand above the chart, where no curve is; those that find no room there are left out.
function drawEventNames(c, marks, box, px) {
  const free = Array(NAME_ROWS).fill(box.left), right = box.left + box.width;
  c.font = 11 * px + "px system-ui, sans-serif"; c.textAlign = "left"; c.textBaseline = "bottom";
  for (const m of marks) {
    if (m.many) continue;
    const width = c.measureText(m.name).width, x = Math.max(box.left, Math.min(m.x, right - width));
    const row = free.findIndex(end => x >= end);
    if (row < 0) continue;
    c.fillText(m.name, x, box.top - (3 + 13 * row) * px);
    free[row] = x + width + 6 * px;
  }
}

function drawEvents(u) {
  const c = u.ctx, px = devicePixelRatio, box = u.bbox, bottom = box.top + box.height, marks = eventMarks(u);
  c.save();
  c.strokeStyle = c.fillStyle = css("--event"); c.lineWidth = px; c.globalAlpha = .7;
  for (const m of marks) {
    c.setLineDash(m.many ? [] : [3 * px, 3 * px]);
    c.beginPath(); c.moveTo(m.x, m.many ? bottom - 6 * px : box.top); c.lineTo(m.x, bottom); c.stroke();
  }
  c.globalAlpha = 1;
  if (u === plots[0] || !plots.length) drawEventNames(c, marks, box, px);
  c.restore();
}

function drawBands(u, group) {
  const c = u.ctx, px = devicePixelRatio, box = u.bbox, right = box.left + box.width;
  c.save();
  c.font = 12 * px + "px system-ui, sans-serif"; c.textAlign = "center"; c.textBaseline = "middle";
  for (const [from, to, mode] of group.bands) {
    const a = Math.max(box.left, u.valToPos(from, "x", true)), b = Math.min(right, u.valToPos(to, "x", true));
    if (b <= a) continue;
    const name = group.modes[mode - 1];
    c.fillStyle = c.strokeStyle = css("--s" + ((mode - 1) % 8 + 1));
    c.globalAlpha = .3; c.fillRect(a, box.top, b - a, box.height);
    c.globalAlpha = 1; c.lineWidth = px / 2; c.strokeRect(a, box.top, b - a, box.height);
    c.fillStyle = css("--ink");
    if (c.measureText(name).width + 8 * px < b - a) c.fillText(name, (a + b) / 2, box.top + box.height / 2);
  }
  c.restore();
}

// ---- charts ----

function range(u, low, high) {
  if (low == null) return [0, 1];
  const room = (high - low) * .08 || Math.abs(low) * .5 || 1;
  return [low - room, high + room];
}

function logRange(u, low, high) {
  if (low == null || !(low > 0)) return [.1, 1];
  const factor = high > low ? (high / low) ** .05 : 2;
  return [low / factor, high * factor];
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
    u.ctx.setLineDash(series.dash.map(d => d * devicePixelRatio));
    u.ctx.stroke(path);
    u.ctx.restore();
  });
  return null;
}

const mostLetters = Math.max(0, ...data.groups.map(g => g.bands ? g.label.length
  : g.modes ? Math.max(...g.modes.map(m => m.length)) : 0));

// The letters of the longest tick of an axis that shows all values.
function tickLetters(group) {
  let low = Infinity, high = -Infinity;
  for (const s of group.signals) {
    for (const v of s.values) if (v != null && (!group.log || v > 0)) { low = Math.min(low, v); high = Math.max(high, v); }
  }
  if (group.modes || group.bands || !(high > low)) return 0;
  const ticks = (group.log ? logTicks : roundTicks)(low, high, 5);
  const texts = group.log ? logTexts(ticks) : tickTexts(ticks, (high - low) / 5);
  return Math.max(0, ...texts.map(text => text.length));
}

// One width, so that all charts line up.
const axisSize = Math.max(64, Math.max(mostLetters, ...data.groups.map(tickLetters)) * 7 + 24);

// What an axis is given for about count(u) ticks on a logarithmic scale.
const logarithmic = count => ({ splits: (u, i, low, high) => logTicks(low, high, Math.max(2, Math.round(count(u)))),
  filter: (u, v) => v });

function axes(group, last) {
  const common = { stroke: () => css("--ink"), grid: { stroke: () => css("--grid"), width: 1 },
    ticks: { stroke: () => css("--frame"), width: 1 }, font: "12px system-ui, sans-serif",
    labelFont: "13px system-ui, sans-serif" };
  const k = data.x ? 1 : data.timeFactor;
  const x = { ...common, size: 34, labelSize: 22, space: tickSpace, ...(last ? { label: data.x || data.timeLabel } : {}),
    values: (u, v, i, space, step) => data.logX ? logTexts(v.map(t => t * k))
      : tickTexts(v.map(t => t * k), step * k) };
  if (data.logX) Object.assign(x, logarithmic(u => u.width / 90));
  if (group.bands && !last) Object.assign(x, { values: () => [], size: 10 });
  const y = { ...common, size: axisSize };
  if (group.bands) return [x, { ...y, label: " ", splits: () => [.5], values: () => [group.label], grid: { show: false },
    ticks: { show: false } }];
  y.label = group.label;
  y.values = group.log ? (u, v) => logTexts(v) : (u, v) => tickTexts(v, v.length > 1 ? v[1] - v[0] : 1);
  if (!group.log) Object.assign(y, { incrs: (u, i, low, high) => [Math.max(5, high - low)], // one that the library takes: else no axis
    splits: (u, i, low, high) => roundTicks(low, high, Math.max(2, Math.round(u.height / 45))) });
  if (group.log) Object.assign(y, logarithmic(u => u.height / 45));
  if (group.modes) Object.assign(y, { splits: group.modes.map((_, i) => i + 1), filter: (u, v) => v,
    values: (u, v) => v.map(mode => valueText(group, mode)) });
  return [x, y];
}

function series(group) {
  if (data.x) {
    const facets = [{ scale: "x", auto: true }, { scale: "y", auto: true }];
    return [{}].concat(group.signals.map(s => ({ label: s.name, facets, paths: curve, stroke: colour(s),
      dash: s.dash })));
  }
  return [{}].concat(group.signals.map(s => ({ label: s.name, width: 1.6, pxAlign: 0, stroke: colour(s), dash: s.dash,
    points: { show: !group.bands && group.time.length < 40 },
    paths: group.bands ? () => null : s.held ? uPlot.paths.stepped({ align: 1 }) : undefined })));
}

function scalesOf(group) {
  const y = group.bands ? { range: [0, 1] } : group.log ? { distr: 3, range: logRange }
    : group.modes ? { range: [.7, group.modes.length + .3] } : { range };
  return { x: { time: false, ...(data.logX ? { distr: 3, range: data.x ? logRange : (u, a, b) => [a, b] } : data.x ? { range } : {}) }, y };
}

function heightOf(group, i) {
  const last = i === data.groups.length - 1, names = i === 0 && data.events.length ? 13 * NAME_ROWS : 0;
  if (group.bands) return 40 + (last ? 56 : 10) + names;
  return (data.groups.length === 1 ? 460 : 260) + (last ? 30 : 0) + names;
}

function options(group, i, legend) {
  return {
    mode: data.x ? 2 : 1, width: charts.clientWidth, height: heightOf(group, i), scales: scalesOf(group),
    axes: axes(group, i === data.groups.length - 1), series: series(group), legend: { show: false },
    padding: [i === 0 && data.events.length ? 13 * NAME_ROWS + 8 : 12, 18, 0, 0],
    cursor: { sync: data.x ? undefined : { key: sync.key }, drag: { x: true, y: !!data.x },
      bind: { mousedown: (u, target, handler) => e => e.shiftKey ? startPan(u, e) : handler(e) } },
    hooks: { setScale: [follow], setCursor: [u => readOut(u, group, legend)],
      drawAxes: data.x ? [] : [group.bands ? u => drawBands(u, group) : drawEvents] },
  };
}

// ---- the legend of a chart ----

// A line in the colour and with the dashes of a signal, or a wide one for a mode.
function sample({ colour, dash = [], width = 2 }) {
  const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  line.setAttribute("aria-hidden", "true");
  line.innerHTML = '<line x1="0" y1="5" x2="26" y2="5"/>';
  line.firstChild.setAttribute("style", `stroke: var(--s${colour}); stroke-width: ${width}; opacity: ${width > 2 ? .4 : 1}`);
  line.firstChild.setAttribute("stroke-dasharray", dash.join(" "));
  return line;
}

function legendOfModes(group) {
  const value = element("output"), legend = element("div", { className: "legend" }, group.signals[0].name, value);
  legend.outputs = [value];
  group.modes.forEach((mode, i) =>
    legend.append(element("span", {}, sample({ colour: i % 8 + 1, width: 9 }), " " + mode)));
  return legend;
}

function legendOf(group) {
  if (group.bands) return legendOfModes(group);
  const legend = element("div", { className: "legend" });
  legend.outputs = group.signals.map((s, k) => {
    const value = element("output", { textContent: "" });
    const button = element("button", { type: "button", title: "show or hide " + s.name },
      sample(s), s.name);
    button.setAttribute("aria-pressed", "true");
    button.onclick = () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", shown);
      legend.plot.setSeries(k + 1, { show: shown });
    };
    legend.append(element("span", {}, button, value));
    return value;
  });
  return legend;
}

function readOut(u, group, legend) {
  const i = u.cursor.idx;
  if (data.x || i === undefined) return;
  legend.outputs.forEach((output, k) =>
    output.textContent = i == null ? "" : valueText(group, group.signals[k].values[i]));
  if (u === plots[0]) say(i == null ? null : "at " + timeText(group.time[i]));
}

// ---- moving and zooming ----

const where = document.querySelector(".toolbar p");

function say(text) {
  if (!plots.length) return;
  const { min, max } = plots[0].scales.x;
  where.textContent = text || (data.x ? "" : timeText(min) + " to " + timeText(max));
}

function follow(u, key) { // zooming one chart zooms all
  if (following || key !== "x" || data.x) return;
  following = true;
  const { min, max } = u.scales.x;
  for (const p of plots) if (p !== u) p.setScale("x", { min, max });
  if (plots.length) say();
  following = false;
}

// Moves by a share of what is seen, then changes its size around the middle.
function change(plot, scale, by, size) {
  const s = plot.scales[scale], isLog = s.distr === 3, to = isLog ? Math.log : v => v, back = isLog ? Math.exp : v => v;
  const low = to(s.min), high = to(s.max), middle = (low + high) / 2 + by * (high - low);
  const half = (high - low) / 2 * size;
  plot.setScale(scale, { min: back(middle - half), max: back(middle + half) });
}

function view(dx, dy, size) {
  if (!plots.length) return;
  if (!data.x) return change(plots[0], "x", dx, size);
  for (const p of plots) { change(p, "x", dx, size); change(p, "y", dy, size); }
}

function showAll() {
  plots.forEach(p => p.setData(p.data, true));
  say();
}

// Dragging with the shift key moves the chart.
function startPan(u, e) {
  let x = e.clientX, y = e.clientY;
  const move = now => {
    change(u, "x", -(now.clientX - x) / u.over.clientWidth, 1);
    if (data.x) change(u, "y", (now.clientY - y) / u.over.clientHeight, 1);
    x = now.clientX; y = now.clientY;
  };
  addEventListener("mousemove", move);
  addEventListener("mouseup", () => removeEventListener("mousemove", move), { once: true });
}

const keys = { ArrowLeft: () => view(-.1, 0, 1), ArrowRight: () => view(.1, 0, 1), ArrowUp: () => view(0, .1, 1),
  ArrowDown: () => view(0, -.1, 1), "+": () => view(0, 0, .5), "=": () => view(0, 0, .5), "-": () => view(0, 0, 2),
  "0": showAll, Home: showAll };
charts.addEventListener("keydown", e => {
  const vertical = e.key === "ArrowUp" || e.key === "ArrowDown";
  if (!keys[e.key] || e.target !== charts || e.ctrlKey || e.metaKey || vertical && !data.x) return;
  e.preventDefault();
  keys[e.key]();
});

// ---- the page ----

// What a reader who does not see the chart hears.
function describe(group) {
  const texts = group.signals.map(s => {
    const seen = s.values.filter(v => v != null);
    if (!seen.length) return s.name + " has no value";
    if (group.modes) return `${s.name} changes ${Math.max(0, (group.bands || []).length - 1)} times`;
    const low = seen.reduce((a, b) => Math.min(a, b)), high = seen.reduce((a, b) => Math.max(a, b));
    return `${s.name} from ${valueText(group, low)} to ${valueText(group, high)}`;
  });
  return `Chart of ${group.label || "signals"} over ${data.x || "time"}: ${texts.join("; ")}`;
}

function build() {
  plots.forEach(p => p.destroy());
  charts.replaceChildren();
  plots = [];
  data.groups.forEach((group, i) => {
    const legend = legendOf(group), figure = element("figure", {}, legend);
    charts.append(figure);
    const signals = group.signals.map(s => group.log ? s.values.map(v => v > 0 ? v : null) : s.values);
    const time = data.logX ? group.time.map(t => t > 0 ? t : null) : group.time;
    const plot = new uPlot(options(group, i, legend), data.x ? [null].concat(signals.map(s => [time, s]))
      : data.logX ? onlyPositive(time, signals) : [time].concat(signals), figure);
    plot.root.setAttribute("role", "img");
    plot.root.setAttribute("aria-label", describe(group));
    legend.plot = plot;
    plots.push(plot);
  });
  if (plots.length) plots[0].redraw(false); // true would reset a scale that is not yet known
  say();
}

// A logarithmic time axis has no rows before 0.
function onlyPositive(time, signals) {
  const from = time.findIndex(t => t != null);
  return [time.slice(from)].concat(signals.map(s => s.slice(from)));
}

document.querySelector(".toolbar").hidden = charts.hidden = data.groups.length === 0;
const events = document.querySelector("fieldset");
for (const e of data.events) {
  const box = element("input", { type: "checkbox", checked: e.times.length > 0, disabled: !e.times.length });
  box.onchange = () => { box.checked ? hidden.delete(e.name) : hidden.add(e.name); plots.forEach(p => p.redraw()); };
  events.append(element("label", {}, box, " " + e.label));
}
events.hidden = data.events.length === 0;

const actions = { left: keys.ArrowLeft, right: keys.ArrowRight, in: keys["+"], out: keys["-"], all: showAll,
  picture: savePicture, data: saveData };
for (const button of document.querySelectorAll(".toolbar button")) button.onclick = actions[button.name];

const resize = width => plots.forEach(p => p.setSize({ width, height: p.height }));
const paper = on => { root.classList.toggle("print", on); resize(on ? 680 : charts.clientWidth); };
addEventListener("beforeprint", () => paper(true));
addEventListener("afterprint", () => paper(false));
addEventListener("resize", () => resize(charts.clientWidth));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", build);
build();
