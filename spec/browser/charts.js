// The charts of a page, used by mouse and keyboard: returns the faults of what zooms, moves, hides, saves and prints.
"use strict";
const fs = require("fs");

const ranges = tab => tab.evaluate(() => plots.map(p => [p.scales.x.min, p.scales.x.max]));
const near = (a, b, size) => Math.abs(a - b) < 1e-6 * size;

// Looks at the range of time before and after an action, on a page of charts over time.
async function moves(tab, faults, all, what, action, wanted) {
  await tab.click('button[name="all"]');
  await action();
  await tab.waitForTimeout(50);
  const now = await ranges(tab), size = all[1] - all[0];
  if (!now.every(r => near(r[0], now[0][0], size) && near(r[1], now[0][1], size)))
    faults.push(`${what}: the charts do not move together`);
  const [low, high] = [(now[0][0] - all[0]) / size, (now[0][1] - all[0]) / size];
  if (!wanted(low, high)) faults.push(`${what}: shows ${low.toFixed(3)} to ${high.toFixed(3)} of the range`);
}

async function drag(tab, from, to, shift) {
  const box = await (await tab.$("#charts .u-over")).boundingBox(), y = box.y + box.height / 2;
  if (shift) await tab.keyboard.down("Shift");
  await tab.mouse.move(box.x + from * box.width, y);
  await tab.mouse.down();
  await tab.mouse.move(box.x + (from + to) / 2 * box.width, y);
  await tab.mouse.move(box.x + to * box.width, y);
  await tab.mouse.up();
  if (shift) await tab.keyboard.up("Shift");
}

const is = (low, high, tolerance = 0.01) => (a, b) => Math.abs(a - low) < tolerance && Math.abs(b - high) < tolerance;

async function movesOverTime(tab, faults) {
  await tab.click('button[name="all"]');
  const all = (await ranges(tab))[0], check = (...rest) => moves(tab, faults, all, ...rest);
  const button = name => () => tab.click(`button[name="${name}"]`);
  const key = name => async () => { await tab.focus("#charts"); await tab.keyboard.press(name); };
  await check("zoom in", button("in"), is(.25, .75));
  await check("zoom out", button("out"), is(-.5, 1.5));
  await check("right", button("right"), is(.1, 1.1));
  await check("the arrow key", key("ArrowLeft"), is(-.1, .9));
  await check("the key +", key("+"), is(.25, .75));
  await check("drag with Shift", () => drag(tab, .6, .4, true), is(.2, 1.2));
  await check("drag", () => drag(tab, .2, .7, false), is(.2, .7));
  await check("double click", async () => {
    await drag(tab, .2, .7, false);
    await tab.dblclick("#charts .u-over");
  }, is(0, 1));
  await check("the key 0", async () => { await button("in")(); await key("0")(); }, is(0, 1));
}

async function hides(tab, faults) {
  const name = await tab.$(".legend button");
  const shown = () => tab.evaluate(() => plots.map(p => p.series.slice(1).map(s => s.show)).flat());
  if (!name) return;
  await name.click();
  if (!(await shown()).includes(false)) faults.push("a name in the legend hides nothing");
  if (await name.getAttribute("aria-pressed") !== "false") faults.push("a hidden curve is still pressed");
  await name.focus();
  await tab.keyboard.press("Enter");
  if ((await shown()).includes(false)) faults.push("the key Enter does not show the curve again");
}

async function saves(tab, faults) {
  const save = async name => {
    const [download] = await Promise.all([tab.waitForEvent("download"), tab.click(`button[name="${name}"]`)]);
    return fs.readFileSync(await download.path());
  };
  const rows = (await save("data")).toString().split("\r\n");
  const points = await tab.evaluate(() => data.groups.reduce((n, g) => n + g.time.length * g.signals.length, 0));
  if (rows.length !== points + 2) faults.push(`the saved data has ${rows.length - 2} rows of ${points}`);
  if ((await save("picture")).subarray(1, 4).toString() !== "PNG") faults.push("the saved picture is no PNG");
}

async function prints(tab, faults) {
  await tab.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const widths = await tab.evaluate(() => plots.map(p => p.width));
  if (widths.some(w => w > 718)) faults.push("charts are wider than paper: " + widths);
  await tab.evaluate(() => dispatchEvent(new Event("afterprint")));
}

module.exports = async function charts(tab) {
  const faults = [];
  if (await tab.evaluate(() => plots.length === 0)) return faults;
  if (await tab.evaluate(() => !data.x && !data.logX)) await movesOverTime(tab, faults);
  await hides(tab, faults);
  await saves(tab, faults);
  await prints(tab, faults);
  await tab.click('button[name="all"]');
  return faults;
};
