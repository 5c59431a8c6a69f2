"use strict";
// Paints the pen's commands on a canvas. A command is [op, style, numbers, text], in world units, y upwards:
//   line, spring  x1, y1, x2, y2        box      x, y, width, height, angle      text   x, y
//   circle        x, y, radius          polygon  x1, y1, x2, y2, ...             trail  x, y
const painter = (() => {
  const LINE = 2, TEXT = 14, TURNS = 8, MARGIN = 0.06; // px, px, coils, share of the view
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]];

  const variable = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function colour(value) {
    if (typeof value === "number") return variable("--s" + value);
    if (value === "soft") return variable("--frame");
    return typeof value === "string" && value !== "ink" ? value : variable("--ink");
  }

  function boxCorners([x, y, width, height, angle]) {
    const c = Math.cos(angle), s = Math.sin(angle);
    return corners.flatMap(([i, j]) => {
      const dx = i * width / 2, dy = j * height / 2;
      return [x + c * dx - s * dy, y + s * dx + c * dy];
    });
  }

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
    const room = MARGIN * Math.max(known.right - known.left, known.top - known.bottom) || 0.5;
    return Object.assign({ left: known.left - room, right: known.right + room, bottom: known.bottom - room,
      top: known.top + room }, given);
  }

  // Coordinates of the canvas: the view in its middle, with one scale for both axes.
  function scale(width, height, v) {
    const k = Math.min(width / (v.right - v.left), height / (v.top - v.bottom));
    const left = (width - k * (v.right - v.left)) / 2, top = (height - k * (v.top - v.bottom)) / 2;
    return { k, x: x => left + (x - v.left) * k, y: y => top + (v.top - y) * k };
  }

  function path(c, s, points) {
    c.beginPath();
    for (let i = 0; i < points.length; i += 2) c.lineTo(s.x(points[i]), s.y(points[i + 1]));
  }

  // The inside is a tint of the colour unless the style says otherwise.
  function shape(c, style) {
    const fill = style.fill === undefined ? 0.25 : 1;
    if (style.fill !== false) {
      c.fillStyle = colour(typeof style.fill === "boolean" || style.fill === undefined ? style.colour : style.fill);
      c.globalAlpha = fill;
      c.fill();
      c.globalAlpha = 1;
    }
    c.stroke();
  }

  function spring(c, s, [x1, y1, x2, y2], style) {
    const ax = s.x(x1), ay = s.y(y1), dx = s.x(x2) - ax, dy = s.y(y2) - ay, length = Math.hypot(dx, dy) || 1;
    const half = 7, points = 2 * (style.turns || TURNS); // px to each side
    const at = (along, aside) => c.lineTo(ax + along * dx - aside * half * dy / length,
      ay + along * dy + aside * half * dx / length);
    c.beginPath();
    at(0, 0); at(0.1, 0);
    for (let i = 0; i < points; i++) at(0.1 + 0.8 * (i + 0.5) / points, i % 2 ? -1 : 1);
    at(0.9, 0); at(1, 0);
    c.stroke();
  }

  const draw = {
    line(c, s, n) { path(c, s, n); c.stroke(); },
    circle(c, s, n, style) { c.beginPath(); c.arc(s.x(n[0]), s.y(n[1]), n[2] * s.k, 0, 2 * Math.PI); shape(c, style); },
    box(c, s, n, style) { path(c, s, boxCorners(n)); c.closePath(); shape(c, style); },
    polygon(c, s, n, style) { path(c, s, n); c.closePath(); shape(c, style); },
    spring,
    text(c, s, n, style, text) {
      c.font = (style.size || TEXT) + "px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
      c.textAlign = style.align === "centre" ? "center" : style.align || "left";
      c.fillStyle = c.strokeStyle;
      c.fillText(text, s.x(n[0]), s.y(n[1]));
    },
    trail(c, s, n, style, text, way) { path(c, s, way); c.stroke(); },
  };

  // Paints a picture. wayOf(k, style, numbers): the points of its k-th trail.
  function paint(canvas, v, commands, wayOf) {
    const c = canvas.getContext("2d"), px = canvas.width / canvas.clientWidth || 1;
    const s = scale(canvas.width / px, canvas.height / px, v);
    let trails = 0;
    c.setTransform(px, 0, 0, px, 0, 0);
    c.clearRect(0, 0, canvas.width, canvas.height);
    c.lineJoin = c.lineCap = "round";
    for (const [op, style, numbers, text] of commands) {
      c.strokeStyle = colour(style.colour);
      c.lineWidth = style.width || LINE;
      c.setLineDash(style.dashed ? [6, 5] : []);
      draw[op](c, s, numbers, style, text, op === "trail" ? wayOf(trails++, style, numbers) : undefined);
    }
  }

  return { view, widen, paint, nothing: () => ({ left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity }) };
})();
