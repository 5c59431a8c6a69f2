"use strict";
// The plots of a live run. A row is [time, value, value, ...]; a panel shows some of its values.
//   charts.build(box, setup)     makes one plot for each panel of the setup, without data
//   charts.reset()               forgets all rows and events
//   charts.add(rows, head, events)   appends what is new; `head` is the row of the present time
const charts = (() => {
  const MOST = 30000; // rows; with more, every second one of the older half goes
  const ROLLING = 20; // s of the show: the width of the picture of a run without a duration
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let box, setup, plots = [], table = [[]], events = [], hasHead = false, zoomed = false, span = [0, 1], width = 0;

  const words = (panel, v) => panel.modes[v - 1] !== undefined ? panel.modes[v - 1] : "";

  function range(u, low, high) {
    if (low == null || !isFinite(low) || !isFinite(high)) return [0, 1];
    const room = (high - low) * .08 || Math.abs(low) * .5 || 1;
    return [low - room, high + room];
  }

  function drawEvents(u) {
    const c = u.ctx, px = devicePixelRatio, area = u.bbox, bottom = area.top + area.height;
    const shown = events.filter(e => e[1] >= u.scales.x.min && e[1] <= u.scales.x.max);
    c.save();
    c.beginPath(); c.rect(area.left, area.top, area.width, area.height); c.clip();
    c.strokeStyle = css("--event"); c.lineWidth = px; c.globalAlpha = .6;
    c.setLineDash(shown.length > 60 ? [] : [3 * px, 3 * px]);
    c.beginPath();
    for (const e of shown) {
      const x = Math.round(u.valToPos(e[1], "x", true)) + .5;
      c.moveTo(x, shown.length > 60 ? bottom - 6 * px : area.top); c.lineTo(x, bottom);
    }
    c.stroke();
    c.restore();
  }

  function options(panel, last) {
    const axis = more => Object.assign({ stroke: () => css("--ink"), grid: { stroke: () => css("--grid"), width: 1 },
      ticks: { stroke: () => css("--frame"), width: 1 }, font: "12px system-ui, sans-serif",
      labelFont: "13px system-ui, sans-serif", values: (u, v, i, space, step) => tickTexts(v, step) }, more);
    const modes = panel.modes.length > 0, unit = panel.unit ? ` [${panel.unit}]` : "";
    const name = panel.signals.length === 1 ? panel.signals[0].name + unit : unit;
    const longest = Math.max(0, ...setup.panels.map(p => Math.max(0, ...p.modes.map(m => m.length))));
    const latest = (u, v, i, k) => k == null ? u.data[i][u.data[i].length - 1] : v; // without a cursor: of now
    const text = v => v == null ? "--" : modes ? words(panel, v) : v.toPrecision(6);
    const value = (u, v, i, k) => text(latest(u, v, i, k));
    const time = (u, v, i, k) => { const t = latest(u, v, i, k); return t == null ? "--" : t.toPrecision(6) + " s"; };
    return {
      width: box.clientWidth, height: (modes ? 120 : 220) + (last ? 30 : 0),
      scales: { x: { time: false, range: (u, low, high) => zoomed ? [low, high] : span },
        y: modes ? { range: [.7, panel.modes.length + .3] } : { range } },
      axes: [axis(last ? { label: "time [s]" } : {}), axis(Object.assign({ label: name,
        size: Math.max(64, longest * 7 + 24) }, modes ? { splits: panel.modes.map((_, i) => i + 1),
        values: (u, v) => v.map(x => words(panel, x)), filter: (u, v) => v } : {}))],
      series: [{ label: "time", value: time }].concat(
        panel.signals.map(s => ({ label: s.name, width: 1.6, pxAlign: 0, points: { show: false }, value,
          stroke: () => css("--s" + s.colour), dash: s.dash, paths: s.held ? uPlot.paths.stepped({ align: 1 }) : undefined }))),
      cursor: { sync: { key: "live" }, drag: { x: true, y: false },
        bind: { dblclick: () => () => { zoomed = false; draw(); } } },
      hooks: { drawAxes: [drawEvents], setSelect: [u => { if (u.select.width > 0) zoomed = true; }], setScale: [follow] },
    };
  }

  let following = false;
  function follow(u, key) { // zooming one plot zooms all
    if (following || key !== "x" || !zoomed) return;
    following = true;
    for (const p of plots) if (p !== u) p.setScale("x", { min: u.scales.x.min, max: u.scales.x.max });
    following = false;
  }

  function picture(panel) { return [table[0]].concat(panel.signals.map(s => table[s.place])); }

  function draw() {
    const t = table[0].length ? table[0][table[0].length - 1] : setup.start;
    const speed = typeof setup.speed === "number" ? setup.speed : 1;
    span = setup.duration ? [setup.start, Math.max(setup.start + setup.duration, t)]
      : [Math.max(setup.start, t - ROLLING * speed), Math.max(t, setup.start + speed)];
    plots.forEach((p, i) => {
      p.setData(picture(setup.panels[i]), !zoomed);
      if (zoomed) p.redraw();
    });
  }

  function build(place, given) {
    plots.forEach(p => p.destroy());
    box = place; setup = given; zoomed = false;
    const count = setup.panels.reduce((n, p) => n + p.signals.length, 0);
    table = Array.from({ length: count + 1 }, () => []);
    events = []; hasHead = false; width = box.clientWidth;
    plots = setup.panels.map((p, i) => new uPlot(options(p, i === setup.panels.length - 1), picture(p), box));
  }

  function push(row) { table.forEach((list, i) => list.push(row[i] === undefined ? null : row[i])); }

  function thin() {
    const half = table[0].length >> 1;
    table = table.map(list => list.filter((_, i) => i >= half || i % 2 === 0));
  }

  function add(rows, head, fired) {
    if (hasHead) table.forEach(list => list.pop());
    rows.forEach(push);
    if (table[0].length > MOST) thin();
    hasHead = head.length > 0;
    if (hasHead) push(head);
    events = events.concat(fired).slice(-500);
    draw();
  }

  addEventListener("resize", () => {
    if (!box || box.clientWidth === width) return;
    width = box.clientWidth;
    plots.forEach(p => p.setSize({ width, height: p.height }));
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plots.forEach(p => p.redraw()));
  return { build, add, table: () => table };
})();
