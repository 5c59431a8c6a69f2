"use strict";
// The page of `saltus live`: it shows what the server says (messages.lua) and asks it for actions by POST act/NAME.
const $ = id => document.getElementById(id);
const number = v => typeof v === "number" ? String(+v.toPrecision(6)) : String(v);

function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

let setup = null, mode = "paused", lastNotice = 0, fired = {}, begun = false;

function notice(kind, text) {
  $("notices").prepend(make("li", { className: kind, textContent: text }));
  while ($("notices").children.length > 20) $("notices").lastChild.remove();
}

async function act(name, fields) {
  try {
    const answer = await fetch("act/" + name, { method: "POST", body: new URLSearchParams(fields || {}) });
    if (!answer.ok) notice("error", await answer.text());
  } catch (e) {
    notice("error", "saltus live does not answer; is it still running?");
  }
}

// Sends the last value only, one request at a time.
function sender(name) {
  let waiting = null, busy = false;
  return async fields => {
    waiting = fields;
    if (busy) return;
    busy = true;
    while (waiting) { const next = waiting; waiting = null; await act(name, next); }
    busy = false;
  };
}

// ---- parameters and inputs ----

let shown = []; // functions that show the present value of a control

function modeControl(control, send) {
  const select = make("select", { id: "c:" + control.path });
  for (const word of control.modes) select.append(make("option", { value: word, textContent: word }));
  select.onchange = () => send({ name: control.path, value: select.value });
  shown.push(v => { if (v !== false) select.value = v; });
  return [select];
}

function numberControl(control, send) {
  const slider = make("input", { type: "range", min: control.low, max: control.high, step: "any",
    id: "c:" + control.path });
  const field = make("input", { type: "text", inputMode: "decimal", autocomplete: "off" });
  field.setAttribute("aria-label", control.path + " as a number");
  slider.oninput = () => { field.value = number(+slider.value); send({ name: control.path, value: field.value }); };
  field.onchange = () => send({ name: control.path, value: field.value.trim() });
  let held = false; // while it is dragged, the server's older values do not move it
  slider.onpointerdown = () => { held = true; };
  slider.onpointerup = slider.onpointercancel = () => { held = false; };
  shown.push(v => {
    if (v === false || held) return;
    if (v < +slider.min) slider.min = v;
    if (v > +slider.max) slider.max = v;
    slider.value = v;
    if (document.activeElement !== field) field.value = number(v);
  });
  return [slider, field];
}

function buildControls() {
  shown = [];
  const groups = new Map();
  for (const control of setup.controls) {
    const send = sender("set");
    const parts = control.kind === "mode" ? modeControl(control, send) : numberControl(control, send);
    const label = make("label", { htmlFor: "c:" + control.path },
      control.name + (control.unit ? ` [${control.unit}]` : ""));
    const item = make("div", { className: "control" }, label, make("div", { className: "line" }, ...parts));
    if (control.doc) item.append(make("div", { className: "doc" }, control.doc));
    if (!groups.has(control.part)) groups.set(control.part, []);
    groups.get(control.part).push(item);
  }
  $("controls").replaceChildren(...[...groups].map(([part, items]) =>
    make("fieldset", {}, ...(part ? [make("legend", {}, part)] : []), ...items)));
  $("settings").hidden = setup.controls.length === 0;
}

// ---- events ----

function buildEvents() {
  fired = {};
  const rows = setup.events.map(event => {
    const count = make("td", { className: "count" }, "0"), last = make("td", {}, "");
    fired[event.name] = { count, last, times: 0 };
    const name = make("td", {}, event.name);
    if (event.trigger === "demand")
      name.append(" ", make("button", { type: "button", textContent: "Fire", onclick: () => act("demand", { name: event.name }) }));
    return make("tr", {}, name, count, last);
  });
  $("events").replaceChildren(...rows);
  $("happenings").hidden = rows.length === 0;
}

function showEvents(message) {
  for (const [name, time] of message.events) if (fired[name]) fired[name].last.textContent = number(time) + " s";
  for (const event of setup.events) fired[event.name].count.textContent = message.counts[event.name] || 0;
}

// ---- the picture ----

const MOST_FRAMES = 6000;
let reel = null;

function buildStage() {
  const stage = $("stage");
  stage.hidden = !setup.moves;
  stage.setAttribute("aria-label", "Picture of " + setup.title);
  const view = Array.isArray(setup.view) ? {} : setup.view;
  const before = reel ? reel.frames : [];
  reel = makeReel(view);
  before.forEach(reel.add);
}

function showFrame(message) {
  if (!message.frame) return;
  if (message.setup) reel.cut(message.time);
  const last = reel.frames[reel.frames.length - 1];
  if (last && last.time >= message.time) reel.frames.pop();
  if (reel.frames.length > MOST_FRAMES) reel.frames.splice(0, MOST_FRAMES / 2);
  reel.add(message.frame);
  reel.paint($("stage"), message.time);
}

// ---- what the server says ----

function build(given) {
  setup = given;
  document.title = setup.title + " - saltus live";
  $("title").textContent = setup.title;
  $("about").textContent = [setup.file, "seed " + setup.seed, "saltus " + setup.version].filter(s => s).join(" · ");
  $("speed").replaceChildren(...setup.speeds.map(s => make("option", { value: s, textContent: number(s) + " ×" })),
    make("option", { value: "max", textContent: "as fast as possible" }));
  buildControls();
  buildEvents();
  buildStage();
  charts.build($("charts"), setup);
}

const words = { running: "running", paused: "paused", seeking: "looking for an event", ended: "ended", failed: "failed" };

function show(message) {
  if (message.setup) build(message.setup);
  mode = message.mode;
  setup.speed = message.speed;
  charts.add(message.rows, message.head, message.events);
  showEvents(message);
  showFrame(message);
  shown.forEach((set, i) => set(message.values[i]));
  if (document.activeElement !== $("speed")) $("speed").value = message.speed;
  const busy = mode === "running" || mode === "seeking";
  $("play").textContent = busy ? "Pause" : "Play";
  $("clock").textContent = "t = " + number(message.time) + " s";
  $("state").textContent = `${words[mode]}, state ${message.number}` + (message.hash ? `, hash ${message.hash}` : "");
  $("back").disabled = message.number === 0;
  const timeline = $("timeline");
  timeline.min = message.first; timeline.max = Math.max(message.time, message.first);
  if (!timeline.matches(":active")) timeline.value = message.time;
  for (const n of message.notices) {
    if (n.number > lastNotice) notice(n.kind, n.text);
    lastNotice = Math.max(lastNotice, n.number);
  }
}

const actions = { play: () => act(mode === "running" || mode === "seeking" ? "pause" : "play"), back: () => act("back"),
  step: () => act("step"), event: () => act("event"), restart: () => act("restart") };
for (const name of Object.keys(actions)) $(name).onclick = actions[name];
$("speed").onchange = () => act("speed", { value: $("speed").value });
const goTo = sender("to");
$("timeline").oninput = () => goTo({ time: $("timeline").value });

const keys = { " ": "play", ArrowLeft: "back", ArrowRight: "step", e: "event", r: "restart" };
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|BUTTON)$/.test(e.target.tagName) || !keys[e.key]) return;
  e.preventDefault();
  actions[keys[e.key]]();
});

const source = new EventSource("events");
source.onmessage = e => {
  const message = JSON.parse(e.data);
  show(message);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!begun && !still && message.number === 0 && mode === "paused") act("play");
  begun = true;
};
source.onopen = () => { $("offline").hidden = true; };
source.onerror = () => { $("offline").hidden = false; };
