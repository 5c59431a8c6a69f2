// The player: frames, the clock that runs through them, the timeline, the cursor of the plots.
//
// How frames are given to it. A page that was written after a run has all of them in the script element "film", as
// encoding.lua describes. A page that is served during a run has a film without times, { "live": true, ... }, and a
// script that calls:
//   animation.add(frame)          appends { time, commands: [[op, style, [numbers], text], ...] }, as encoding.frame
//                                 writes it. Times never decrease; two frames at one time are both sides of a jump.
//   animation.mark(name, time)    marks an event on the timeline
//   animation.cut(time)           forgets frames and marks that are later: the run went back
//   animation.clear()             forgets all of them: another run
//   animation.show(time)          shows a time and stops following; animation.follow() shows each new frame at once
//   animation.onshow = time => {} is called after each picture
"use strict";
const animation = (() => {
  const film = JSON.parse(document.getElementById("film").textContent);
  const stage = document.getElementById("stage"), slider = document.getElementById("time");
  const playButton = document.getElementById("play"), speed = document.getElementById("speed");
  const clock = document.getElementById("clock"), latest = document.getElementById("latest");
  const charts = document.getElementById("charts"), marks = document.getElementById("marks");
  const FACTORS = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8], NAMES = ["1/8", "1/4", "1/2", "1", "2", "4", "8"];
  const self = { onshow: null };

  // ---- frames ----

  let frames = [], events = [], bounds = painter.nothing(), styles = {};

  // Equal styles are one object, so that a look tells whether two frames have the same commands.
  function shared(style) { return styles[JSON.stringify(style)] ||= style; }

  function append(time, commands) {
    for (const command of commands) command[1] = shared(command[1]);
    painter.widen(bounds, commands);
    frames.push({ time, commands, trails: commands.filter(c => c[0] === "trail").map(c => c[2]) });
  }

  // A column of a block: one value for all its frames, or the first and the differences.
  function values(column, count, unit, differences) {
    if (!Array.isArray(column)) return new Array(count).fill(column * unit);
    let sum = 0;
    return column.map(v => (differences ? sum += v : v) * unit);
  }

  function decodeCommand([op, style, columns, text], count) {
    const angle = k => op === "box" && k === 4;
    return { op, style, texts: text === undefined ? null : values(text, count, 1, false).map(i => film.texts[i]),
      numbers: columns.map((column, k) => values(column, count, angle(k) ? 1e-4 : film.unit, true)) };
  }

  function decode() {
    let at = 0;
    for (const block of film.blocks) {
      const commands = block.commands.map(command => decodeCommand(command, block.count));
      for (let i = 0; i < block.count; i++)
        append(film.times[at++], commands.map(c => [c.op, c.style, c.numbers.map(n => n[i]), c.texts && c.texts[i]]));
    }
  }

  // The last frame at or before a time: at a jump, the state after it.
  function indexAt(time) {
    let low = 0, high = frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (frames[middle].time <= time) low = middle; else high = middle - 1;
    }
    return low;
  }

  function alike(a, b) {
    return a.length === b.length
      && a.every((c, i) => c[0] === b[i][0] && c[1] === b[i][1] && c[2].length === b[i][2].length);
  }

  // The commands at a time between frame i and the next.
  function between(i, time) {
    const a = frames[i], b = frames[i + 1];
    if (!b || time <= a.time || !alike(a.commands, b.commands)) return a.commands;
    const share = (time - a.time) / (b.time - a.time);
    return a.commands.map((c, k) => [c[0], c[1], c[2].map((v, j) => v + share * (b.commands[k][2][j] - v)), c[3]]);
  }

  // ---- showing a time ----

  const start = film.start;
  let stop = film.stop, now = start, index = 0, playing = false, following = !!film.live, moved = 0;

  // Seconds in the unit that suits the run, with a thousandth of it as the last digit.
  const power = Math.max(0, Math.min(3, Math.ceil(-Math.log10(Math.max(Math.abs(stop), stop - start) || 1) / 3)));
  const digits = () => Math.max(0, 3 - Math.floor(Math.log10((stop - start) * 1000 ** power || 1)));
  function timeText(time) { return (time * 1000 ** power).toFixed(digits()) + " " + ["s", "ms", "us", "ns"][power]; }

  function wayOf(k, style, numbers) {
    const points = [], from = style.seconds ? now - style.seconds : -Infinity;
    for (let i = indexAt(from); i <= index; i++)
      if (frames[i].time >= from && frames[i].trails[k]) points.push(...frames[i].trails[k]);
    points.push(...numbers);
    return points;
  }

  function size() {
    const v = painter.view(film.view, bounds), px = devicePixelRatio || 1, width = stage.clientWidth;
    const most = Math.max(220, Math.min(520, innerHeight * 0.6));
    const height = Math.max(120, Math.min(most, width * (v.top - v.bottom) / (v.right - v.left)));
    stage.style.height = height + "px";
    if (stage.width !== Math.round(width * px)) stage.width = Math.round(width * px);
    if (stage.height !== Math.round(height * px)) stage.height = Math.round(height * px);
    return v;
  }

  function latestText() {
    let last = null;
    for (const e of events) if (e.time <= now && (!last || e.time >= last.time)) last = e;
    return last ? last.name + " at " + timeText(last.time) : "";
  }

  function tell() {
    const text = timeText(now);
    clock.textContent = text;
    slider.value = now;
    slider.setAttribute("aria-valuetext", text);
    const event = latestText();
    if (latest.textContent !== event) latest.textContent = event;
    if (!playing) stage.setAttribute("aria-label", "Animation of " + document.title + " at " + text
      + (event ? "; last event: " + event : ""));
  }

  function moveCursors() {
    if (typeof plots === "undefined" || typeof data !== "undefined" && data.x) return;
    charts.classList.add("driven");
    for (const p of plots) p.setCursor({ left: p.valToPos(now, "x"), top: 0 }, false, false);
  }

  function picture() {
    if (!frames.length) return;
    painter.paint(stage, size(), between(index, now), wayOf);
    tell();
  }

  function showFrame(i, time, driven) {
    index = i;
    now = time;
    picture();
    if (!driven) moveCursors();
    if (self.onshow) self.onshow(now);
  }

  const clamp = time => Math.max(start, Math.min(stop, time));
  function show(time, driven) { if (frames.length) showFrame(indexAt(clamp(time)), clamp(time), driven); }

  // ---- playing ----

  function tick(at) {
    if (!playing) return;
    const next = now + (at - moved) / 1000 * film.speed * FACTORS[speed.selectedIndex];
    moved = at;
    show(next);
    if (next >= stop) pause(); else requestAnimationFrame(tick);
  }

  function play() {
    if (playing || film.live) return;
    if (now >= stop) show(start);
    playing = true;
    moved = performance.now();
    playButton.textContent = "Pause";
    latest.setAttribute("aria-live", "off");
    requestAnimationFrame(tick);
  }

  function pause() {
    playing = false;
    playButton.textContent = "Play";
    latest.setAttribute("aria-live", "polite");
    tell();
  }

  function halt() { following = false; if (playing) pause(); }
  function jump(time, driven) { halt(); show(time, driven); }

  function stepFrame(by) {
    halt();
    const exact = frames[index].time === now;
    const to = Math.max(0, Math.min(frames.length - 1, index + (by < 0 && !exact ? 0 : by)));
    showFrame(to, frames[to].time);
  }

  function stepEvent(by) {
    const times = events.map(e => e.time).sort((a, b) => a - b);
    const to = by > 0 ? times.find(t => t > now) : times.reverse().find(t => t < now);
    jump(to === undefined ? by > 0 ? stop : start : to);
  }

  function changeSpeed(by) {
    speed.selectedIndex = Math.max(0, Math.min(FACTORS.length - 1, speed.selectedIndex + by));
  }

  // ---- the timeline ----

  function mark(name, time) {
    const line = document.createElement("i");
    line.title = name + " at " + timeText(time);
    marks.append(line);
    events.push({ name, time, line });
    place();
  }

  function place() {
    slider.min = start; slider.max = stop;
    for (const e of events) e.line.style.left = 100 * (e.time - start) / (stop - start || 1) + "%";
  }

  const keys = { " ": () => playing ? pause() : play(), ArrowLeft: () => stepFrame(-1), ArrowRight: () => stepFrame(1),
    p: () => stepEvent(-1), n: () => stepEvent(1), Home: () => jump(start), End: () => jump(stop),
    "+": () => changeSpeed(1), "-": () => changeSpeed(-1) };

  function onkey(e) {
    const at = e.target.tagName, key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if (!keys[key] || e.ctrlKey || e.metaKey || e.altKey || !frames.length) return;
    if (e.target !== slider && /^(INPUT|SELECT|TEXTAREA)$/.test(at) || key === " " && /^(BUTTON|SUMMARY|A)$/.test(at)) return;
    e.preventDefault();
    keys[key]();
  }

  // Pointing at a plot shows that time, unless the film is playing; a click does in any case.
  function onpoint(e) {
    const p = typeof plots !== "undefined" && plots.find(one => one.over.contains(e.target));
    if (!p || data.x || film.live || playing && e.type !== "click") return;
    charts.classList.remove("driven");
    jump(p.posToVal(e.clientX - p.over.getBoundingClientRect().left, "x"), true);
  }

  // ---- for the page, and for a run that is under way ----

  self.add = frame => {
    append(frame.time, frame.commands);
    if (frame.time > stop) { stop = frame.time; place(); }
    if (following) showFrame(frames.length - 1, frame.time);
  };
  self.cut = time => {
    frames = frames.filter(f => f.time <= time);
    events = events.filter(e => e.time <= time || e.line.remove());
    stop = Math.max(start, time);
    place();
    if (now > time) show(time);
  };
  self.clear = () => { self.cut(-Infinity); bounds = painter.nothing(); };
  self.follow = () => { following = true; if (frames.length) showFrame(frames.length - 1, frames[frames.length - 1].time); };
  Object.assign(self, { mark, play, pause, timeText, show: time => jump(time), time: () => now, count: () => frames.length });

  NAMES.forEach(name => speed.add(new Option(name + " ×")));
  speed.selectedIndex = FACTORS.indexOf(1);
  if (film.speed !== 1) speed.parentNode.title = "1 × is " + Number(film.speed.toPrecision(3)) + " s in each second";
  if (film.live) playButton.hidden = speed.parentNode.hidden = true; else decode();
  for (const e of film.events) for (const time of e.times) mark(e.name, time);
  place();
  playButton.onclick = () => playing ? pause() : play();
  document.getElementById("previous").onclick = () => stepEvent(-1);
  document.getElementById("next").onclick = () => stepEvent(1);
  slider.oninput = () => jump(+slider.value);
  addEventListener("keydown", onkey);
  charts.addEventListener("pointermove", onpoint);
  charts.addEventListener("click", onpoint);
  addEventListener("resize", picture);
  addEventListener("beforeprint", picture);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", picture);
  show(start);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
  return self;
})();
