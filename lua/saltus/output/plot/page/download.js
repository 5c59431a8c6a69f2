// Saving what the page shows; page.js has the data and the charts.
function download(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const fileName = ending => (data.title.replace(/[^\w.-]+/g, "-").replace(/^[.-]+/, "") || "plot") + ending;

// A text that a spreadsheet would read as a formula begins with an apostrophe.
const cell = v => {
  const text = v == null ? "" : String(v).replace(/^[=+@-](?![\d.])/, "'$&");
  return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
};

function saveData() {
  const rows = [[data.x || "time [s]", "signal", "value"]];
  for (const g of data.groups) for (const s of g.signals)
    s.values.forEach((v, i) => rows.push([g.time[i], s.name, g.modes && v != null ? g.modes[v - 1] : v]));
  download(fileName(".csv"), new Blob([rows.map(r => r.map(cell).join(",")).join("\r\n") + "\r\n"],
    { type: "text/csv" }));
}

function savePicture() {
  const px = devicePixelRatio, gap = 26 * px, canvases = plots.map(p => p.ctx.canvas);
  const all = element("canvas", { width: Math.max(...canvases.map(c => c.width)),
    height: gap + canvases.reduce((sum, c) => sum + c.height + gap, 0) });
  const c = all.getContext("2d");
  c.fillStyle = css("--page"); c.fillRect(0, 0, all.width, all.height);
  c.textBaseline = "middle"; c.font = `600 ${15 * px}px system-ui, sans-serif`; c.fillStyle = css("--ink");
  c.fillText(data.title, 10 * px, gap / 2);
  c.font = 12 * px + "px system-ui, sans-serif";
  let y = gap;
  data.groups.forEach((group, i) => {
    let x = 10 * px;
    for (const s of group.signals) {
      c.strokeStyle = colour(s)(); c.lineWidth = 2 * px; c.setLineDash(s.dash.map(d => d * px));
      if (!group.bands) { c.beginPath(); c.moveTo(x, y + gap / 2); c.lineTo(x + 24 * px, y + gap / 2); c.stroke(); }
      c.fillText(s.name, x + 30 * px, y + gap / 2);
      x += 48 * px + c.measureText(s.name).width;
    }
    c.drawImage(canvases[i], 0, y + gap);
    y += gap + canvases[i].height;
  });
  all.toBlob(blob => download(fileName(".png"), blob));
}
