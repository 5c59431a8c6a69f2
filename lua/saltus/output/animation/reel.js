"use strict";
// Reels: frames, and the picture at any time between them. A reel knows no clock and no controls, so that a page can
// also show a run that is under way:
//   const reel = makeReel(view);         view: { left, right, bottom, top }; sides that are missing are found
//   reel.add({ time, commands });        appends a frame, as encoding.frame of encoding.lua writes it. Times never
//                                        decrease; two frames at one time are both sides of a jump.
//   reel.cut(time);                      forgets later frames: the run went back; reel.cut(-Infinity) forgets all
//   reel.paint(canvas, time);            sets the height of the canvas and paints the picture at a time
//   reel.frames                          the frames so far: reel.frames.length, reel.frames[0].time
// A page that was written after a run has all its frames in one JSON text: reel.decode(film), see encoding.lua.
function makeReel(givenView) {
  const ANGLE = 1e-4; // rad
  const self = { frames: [], view: () => painter.view(givenView || {}, bounds) };
  let bounds = painter.nothing();
  const styles = {};

  // Equal styles are one object, so that a look tells whether two frames have the same commands.
  function shared(style) { return styles[JSON.stringify(style)] ||= style; }

  self.add = ({ time, commands }) => {
    for (const command of commands) command[1] = shared(command[1]);
    painter.widen(bounds, commands);
    self.frames.push({ time, commands, trails: commands.filter(c => c[0] === "trail").map(c => c[2]) });
  };

  self.cut = time => {
    self.frames = self.frames.filter(f => f.time <= time);
    if (!self.frames.length) bounds = painter.nothing();
  };

  // ---- from JSON ----

  // A column of a block: one value for all its frames, or the first and the differences.
  function values(column, count, unit, differences) {
    if (!Array.isArray(column)) return new Array(count).fill(column * unit);
    let sum = 0;
    return column.map(v => (differences ? sum += v : v) * unit);
  }

  function decodeCommand([op, style, columns, text], film, count) {
    const unit = k => op === "box" && k === 4 ? ANGLE : film.unit;
    return { op, style, texts: text === undefined ? null : values(text, count, 1, false).map(i => film.texts[i]),
      numbers: columns.map((column, k) => values(column, count, unit(k), true)) };
  }

  self.decode = film => {
    let at = 0;
    for (const block of film.blocks) {
      const commands = block.commands.map(command => decodeCommand(command, film, block.count));
      for (let i = 0; i < block.count; i++)
        self.add({ time: film.times[at++],
          commands: commands.map(c => [c.op, c.style, c.numbers.map(n => n[i]), c.texts && c.texts[i]]) });
    }
  };

  // ---- the picture at a time ----

  // The last frame at or before a time: at a jump, the state after it.
  self.indexAt = time => {
    let low = 0, high = self.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (self.frames[middle].time <= time) low = middle; else high = middle - 1;
    }
    return low;
  };

  function alike(a, b) {
    return a.length === b.length
      && a.every((c, i) => c[0] === b[i][0] && c[1] === b[i][1] && c[2].length === b[i][2].length);
  }

  // The commands at a time between frame i and the next.
  function between(i, time) {
    const a = self.frames[i], b = self.frames[i + 1];
    if (!b || time <= a.time || !alike(a.commands, b.commands)) return a.commands;
    const share = (time - a.time) / (b.time - a.time);
    return a.commands.map((c, k) => [c[0], c[1], c[2].map((v, j) => v + share * (b.commands[k][2][j] - v)), c[3]]);
  }

  // The points of the k-th trail up to a time.
  function way(k, style, numbers, index, time) {
    const points = [], from = style.seconds ? time - style.seconds : -Infinity;
    for (let i = self.indexAt(from); i <= index; i++) {
      const f = self.frames[i];
      if (f.time >= from && f.trails[k]) points.push(...f.trails[k]);
    }
    points.push(...numbers);
    return points;
  }

  // index: which frame, where two have this time. size: { width, height } in px; otherwise that of the page.
  self.paint = (canvas, time, index, size) => {
    if (!self.frames.length) return;
    const i = index === undefined ? self.indexAt(time) : index, view = self.view();
    const box = painter.fit(canvas, view, size);
    painter.paint(canvas, box, view, between(i, time), (k, style, numbers) => way(k, style, numbers, i, time));
  };

  return self;
}
