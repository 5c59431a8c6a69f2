"use strict";
// Paints the pen's commands on a canvas. A command is [op, style, numbers, text], in world units, y upwards:
//   line, spring  x1, y1, x2, y2        box      x, y, width, height, angle      text   x, y
//   circle        x, y, radius          polygon  x1, y1, x2, y2, ...             trail  x, y
// Colours are those of the style sheet where the canvas is: --s1 to --s8, --ink, --frame.
const painter = (() => {
  const LINE = 2, TEXT = 14, TURNS = 8, COIL = 7, TINT = 0.25; // px, px, coils, px to each side, opacity
  const MARGIN = 0.06, LEAST = 120, MOST = 520; // share of the view; height of a canvas in px
  const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]];

  function boxCorners([x, y, width, height, angle]) {
    const c = Math.cos(angle), s = Math.sin(angle);
    return corners.flatMap(([i, j]) => {
      const dx = i * width / 2, dy = j * height / 2;
      return [x + c * dx - s * dy, y + s * dx + c * dy];
    });
  }

  // ---- the rectangle of the world ----

  function nothing() { return { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity }; }

  // The points x1, y1, x2, y2, ... around what a command draws.
  function extent([op, , n]) {
    if (op === "circle") return [n[0] - n[2], n[1] - n[2], n[0] + n[2], n[1] + n[2]];
    return op === "box" ? boxCorners(n) : n;
  }

  // Widens bounds, { left, right, bottom, top }, to what the commands draw.
  function widen(bounds, commands) {
    for (const command of commands) {
      const points = extent(command);
      for (let i = 0; i < points.length; i += 2) {
        bounds.left = Math.min(bounds.left, points[i]); bounds.right = Math.max(bounds.right, points[i]);
        bounds.bottom = Math.min(bounds.bottom, points[i + 1]); bounds.top = Math.max(bounds.top, points[i + 1]);
      }
    }
  }

  // The rectangle to show: the given sides, and for the others the bounds with a margin.
  function view(given, bounds) {
    const known = bounds.left <= bounds.right ? bounds : { left: 0, right: 1, bottom: 0, top: 1 };
    const farthest = Math.max(...Object.values(known).map(Math.abs));
    const room = MARGIN * Math.max(known.right - known.left, known.top - known.bottom)
      || Math.max(0.5, 1e-9 * farthest);
    const v = { left: known.left - room, right: known.right + room, bottom: known.bottom - room, top: known.top + room,
      ...given };
    if (v.left >= v.right) given.left === undefined ? v.left = v.right - 1 : v.right = v.left + 1;
    if (v.bottom >= v.top) given.bottom === undefined ? v.bottom = v.top - 1 : v.top = v.bottom + 1;
    return v;
  }

  // Gives the canvas the shape of the view, and returns its size in px.
  function fit(canvas, v, size) {
    const width = size ? size.width : canvas.clientWidth, most = Math.max(220, Math.min(MOST, innerHeight * 0.6));
    const height = size ? size.height
      : Math.round(Math.max(LEAST, Math.min(most, width * (v.top - v.bottom) / (v.right - v.left))));
    const px = size ? 2 : devicePixelRatio || 1;
    if (!size) canvas.style.height = height + "px";
    if (canvas.width !== Math.round(width * px)) canvas.width = Math.round(width * px);
    if (canvas.height !== Math.round(height * px)) canvas.height = Math.round(height * px);
    return { width, height, px };
  }

  // Coordinates of the canvas: the view in its middle, with one scale for both axes.
  function scale(box, v) {
    const k = Math.min(box.width / (v.right - v.left), box.height / (v.top - v.bottom));
    const left = (box.width - k * (v.right - v.left)) / 2, top = (box.height - k * (v.top - v.bottom)) / 2;
    return { k, x: x => left + (x - v.left) * k, y: y => top + (v.top - y) * k };
  }

  // ---- commands ----

  function coloursOf(canvas) {
    const style = getComputedStyle(canvas), known = {};
    const variable = name => known[name] ||= style.getPropertyValue(name).trim();
    return value => {
      if (typeof value === "number") return variable("--s" + value);
      if (value === "soft") return variable("--frame");
      return value === undefined || value === "ink" ? variable("--ink") : value;
    };
  }

  function path(c, s, points) {
    c.beginPath();
    for (let i = 0; i < points.length; i += 2) c.lineTo(s.x(points[i]), s.y(points[i + 1]));
  }

  // The inside is a tint of the colour unless the style says otherwise.
  function shape(c, s, style) {
    if (style.fill !== false) {
      c.fillStyle = s.colour(style.fill === undefined || style.fill === true ? style.colour : style.fill);
      c.globalAlpha = style.fill === undefined ? TINT : 1;
      c.fill();
      c.globalAlpha = 1;
    }
    c.stroke();
  }

  function spring(c, s, [x1, y1, x2, y2], style) {
    const ax = s.x(x1), ay = s.y(y1), dx = s.x(x2) - ax, dy = s.y(y2) - ay, length = Math.hypot(dx, dy) || 1;
    const points = 2 * (style.turns || TURNS);
    const at = (along, aside) => c.lineTo(ax + along * dx - aside * COIL * dy / length,
      ay + along * dy + aside * COIL * dx / length);
    c.beginPath();
    at(0, 0); at(0.1, 0);
    for (let i = 0; i < points; i++) at(0.1 + 0.8 * (i + 0.5) / points, i % 2 ? -1 : 1);
    at(0.9, 0); at(1, 0);
    c.stroke();
  }

  const draw = {
    line(c, s, n) { path(c, s, n); c.stroke(); },
    circle(c, s, n, style) {
      c.beginPath();
      c.arc(s.x(n[0]), s.y(n[1]), n[2] * s.k, 0, 2 * Math.PI);
      shape(c, s, style);
    },
    box(c, s, n, style) { path(c, s, boxCorners(n)); c.closePath(); shape(c, s, style); },
    polygon(c, s, n, style) { path(c, s, n); c.closePath(); shape(c, s, style); },
    spring,
    text(c, s, n, style, text) {
      c.font = (style.size || TEXT) + "px " + FONT;
      c.textAlign = style.align === "centre" ? "center" : style.align || "left";
      c.fillStyle = c.strokeStyle;
      c.fillText(text, s.x(n[0]), s.y(n[1]));
    },
    trail(c, s, n, style, text, way) { path(c, s, way); c.stroke(); },
  };

  // Paints commands. box: from fit; wayOf(k, style, numbers): the points of their k-th trail.
  function paint(canvas, box, v, commands, wayOf) {
    const c = canvas.getContext("2d"), s = { ...scale(box, v), colour: coloursOf(canvas) };
    let trails = 0;
    c.setTransform(box.px, 0, 0, box.px, 0, 0);
    c.clearRect(0, 0, box.width, box.height);
    c.lineJoin = c.lineCap = "round";
    for (const [op, style, numbers, text] of commands) {
      c.strokeStyle = s.colour(style.colour);
      c.lineWidth = style.width || LINE;
      c.setLineDash(style.dashed ? [6, 5] : []);
      draw[op](c, s, numbers, style, text, op === "trail" ? wayOf(trails++, style, numbers) : undefined);
    }
  }

  return { nothing, widen, view, fit, paint };
})();
