"use strict";
// The player of a page that was written after a run: the clock that runs through its reel, the timeline, the cursor of
// the plots, the pictures for paper. animation.show(time) moves it; animation.time() says where it is.
const animation = (() => {
  const FACTORS = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8], NAMES = ["1/8", "1/4", "1/2", "1", "2", "4", "8"];
  const PICTURES = 6; // on paper
  const $ = id => document.getElementById(id);
  const film = JSON.parse($("film").textContent), { start, stop } = film, reel = makeReel(film.view);
  const stage = $("stage"), slider = $("time"), speed = $("speed"), marks = $("marks"), charts = $("charts");
  let now = start, index = 0, playing = false, moved = 0, events = [];

  // Seconds in the unit that suits the run, with a thousandth of the run or less as the last digit.
  const power = Math.max(0, Math.min(3, Math.ceil(-Math.log10(Math.max(Math.abs(stop), stop - start) || 1) / 3)));
  const digits = Math.max(0, 3 - Math.floor(Math.log10((stop - start) * 1000 ** power || 1)));
  function timeText(time) { return (time * 1000 ** power).toFixed(digits) + " " + ["s", "ms", "us", "ns"][power]; }

  // ---- showing a time ----

  function latestText() {
    let last = null;
    for (const e of events) if (e.time <= now && (!last || e.time >= last.time)) last = e;
    return last ? last.name + " at " + timeText(last.time) : "";
  }

  function tell() {
    const text = timeText(now), event = latestText();
    $("clock").textContent = text;
    slider.value = now;
    slider.setAttribute("aria-valuetext", text);
    if ($("latest").textContent !== event) $("latest").textContent = event;
    if (!playing) stage.setAttribute("aria-label", "Animation of " + document.title + " at " + text
      + (event ? "; last event: " + event : ""));
  }

  const plotsOfTime = () => typeof plots === "undefined" || data.x ? [] : plots;

  function moveCursors() {
    charts.classList.add("driven");
    for (const p of plotsOfTime()) p.setCursor({ left: p.valToPos(now, "x"), top: 0 }, true, false);
  }

  function picture() {
    reel.paint(stage, now, index);
    tell();
  }

  // byPlot: the cursor of a plot is there already.
  function showFrame(i, time, byPlot) {
    index = i;
    now = time;
    picture();
    if (!byPlot) moveCursors();
  }

  function show(time, byPlot) {
    const at = Math.max(start, Math.min(stop, time));
    showFrame(reel.indexAt(at), at, byPlot);
  }

  // ---- playing ----

  function tick(at) {
    if (!playing) return;
    const next = now + (at - moved) / 1000 * film.speed * FACTORS[speed.selectedIndex];
    moved = at;
    show(next);
    if (next >= stop) pause(); else requestAnimationFrame(tick);
  }

  function setPlaying(on) {
    playing = on;
    $("play").textContent = on ? "Pause" : "Play";
    $("latest").setAttribute("aria-live", on ? "off" : "polite");
    tell();
  }

  function play() {
    if (playing) return;
    if (now >= stop) show(start);
    moved = performance.now();
    setPlaying(true);
    requestAnimationFrame(tick);
  }

  function pause() { if (playing) setPlaying(false); }
  function toggle() { if (playing) pause(); else play(); }
  function jump(time, byPlot) { pause(); show(time, byPlot); }

  function stepFrame(by) {
    pause();
    const inside = by < 0 && reel.frames[index].time !== now; // back to the frame before
    const to = Math.max(0, Math.min(reel.frames.length - 1, index + (inside ? 0 : by)));
    showFrame(to, reel.frames[to].time);
  }

  function stepEvent(by) {
    const times = events.map(e => e.time).sort((a, b) => a - b);
    const to = by > 0 ? times.find(t => t > now) : times.reverse().find(t => t < now);
    jump(to === undefined ? by > 0 ? stop : start : to);
  }

  function changeSpeed(by) {
    speed.selectedIndex = Math.max(0, Math.min(FACTORS.length - 1, speed.selectedIndex + by));
  }

  // ---- the timeline, keys, plots ----

  function mark(name, time, colour) {
    const line = document.createElement("i");
    line.title = name + " at " + timeText(time);
    line.style.left = 100 * (time - start) / (stop - start || 1) + "%";
    line.style.background = `var(--s${colour})`;
    line.onclick = () => jump(time);
    marks.append(line);
    events.push({ name, time });
  }

  const keys = { " ": toggle, ArrowLeft: () => stepFrame(-1), ArrowRight: () => stepFrame(1),
    p: () => stepEvent(-1), n: () => stepEvent(1), Home: () => jump(start), End: () => jump(stop),
    "+": () => changeSpeed(1), "-": () => changeSpeed(-1) };

  function onkey(e) {
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key, at = e.target;
    if (!keys[key] || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return;
    if (charts.contains(at) || at !== slider && /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName)) return;
    if (key === " " && /^(BUTTON|SUMMARY|A)$/.test(at.tagName)) return;
    e.preventDefault();
    keys[key]();
  }

  // Pointing at a plot shows that time, unless the film is playing; a click does in any case.
  function onpoint(e) {
    const p = plotsOfTime().find(one => one.over.contains(e.target));
    if (!p || playing && e.type !== "click") return;
    charts.classList.remove("driven");
    jump(p.posToVal(e.clientX - p.over.getBoundingClientRect().left, "x"), true);
  }

  // ---- on paper: pictures at regular times instead of the controls ----

  function figureAt(time) {
    const figure = document.createElement("figure"), canvas = document.createElement("canvas");
    const caption = document.createElement("figcaption");
    caption.textContent = timeText(time);
    figure.append(canvas, caption);
    return { figure, canvas, time };
  }

  function fillStrip() {
    const v = reel.view(), width = 340;
    const height = Math.max(80, Math.min(300, width * (v.top - v.bottom) / (v.right - v.left)));
    const figures = Array.from({ length: PICTURES }, (_, k) => figureAt(start + (stop - start) * k / (PICTURES - 1)));
    $("strip").replaceChildren(...figures.map(f => f.figure));
    for (const f of figures) reel.paint(f.canvas, f.time, undefined, { width, height });
  }

  reel.decode(film);
  NAMES.forEach(name => speed.add(new Option(name + " ×")));
  speed.selectedIndex = FACTORS.indexOf(1);
  if (film.speed !== 1) $("pace").textContent = "1 × is " + Number(film.speed.toPrecision(3)) + " s in each second";
  film.events.forEach((e, k) => e.times.forEach(time => mark(e.name, time, 1 + (k + 1) % 8)));
  slider.min = start; slider.max = stop;
  slider.oninput = () => jump(+slider.value);
  $("play").onclick = toggle;
  $("previous").onclick = () => stepEvent(-1);
  $("next").onclick = () => stepEvent(1);
  addEventListener("keydown", onkey);
  addEventListener("resize", () => { picture(); setTimeout(moveCursors); });
  addEventListener("beforeprint", fillStrip);
  charts.addEventListener("pointermove", onpoint);
  charts.addEventListener("click", onpoint);
  charts.addEventListener("mouseout", () => setTimeout(moveCursors)); // after the plot has removed its cursor
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", picture);
  show(start);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
  return { reel, show: time => jump(time), time: () => now, play, pause };
})();
