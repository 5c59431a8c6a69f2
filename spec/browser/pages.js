// node pages.js DIR PAGE...: opens pages in Debian's chromium, and fails for a console message, a request that leaves
// the file, a serious or critical fault that axe-core finds, a page wider than the window, or a picture that does not
// move. It writes screenshots to DIR: light, dark, printed, 500 px wide. CHROMIUM is the browser's path.
"use strict";
const fs = require("fs"), path = require("path"), { pathToFileURL } = require("url");
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const looks = [
  { name: "light", colorScheme: "light", width: 1100 },
  { name: "dark", colorScheme: "dark", width: 1100 },
  { name: "narrow", colorScheme: "light", width: 500 },
];

// The faults of one page in one look.
async function examine(browser, page, look, dir) {
  const faults = [], name = path.basename(page, ".html") + "-" + look.name;
  const context = await browser.newContext({ colorScheme: look.colorScheme, viewport: { width: look.width, height: 900 },
    reducedMotion: "reduce" });
  const tab = await context.newPage();
  tab.on("console", m => faults.push("console: " + m.text()));
  tab.on("pageerror", e => faults.push("error: " + e.message));
  tab.on("request", r => { if (!r.url().startsWith("file:") && !r.url().startsWith("data:")) faults.push("request: " + r.url()); });
  await tab.goto(pathToFileURL(path.resolve(page)).href);
  await tab.waitForTimeout(300);
  if (await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth)) faults.push("wider than the window");
  if (await tab.evaluate(() => typeof animation !== "undefined")) faults.push(...await moves(tab));
  await tab.screenshot({ path: path.join(dir, name + ".png"), fullPage: true });
  await tab.evaluate(axe);
  const found = await tab.evaluate(() => axe.run());
  for (const v of found.violations)
    if (v.impact === "serious" || v.impact === "critical") faults.push(`axe: ${v.id}: ${v.nodes.map(n => n.html).join(" ")}`);
  if (look.name === "light") await tab.pdf({ path: path.join(dir, name.replace(/light$/, "print") + ".pdf"), format: "A4",
    printBackground: true });
  await context.close();
  return faults.map(fault => `${name}: ${fault}`);
}

// Faults of an animation: two times with equal pixels; keys and buttons that do nothing.
async function moves(tab) {
  const faults = [], pixels = () => tab.evaluate(() => document.getElementById("stage").toDataURL());
  const time = () => tab.evaluate(() => animation.time());
  const range = await tab.evaluate(() => [+document.getElementById("time").min, +document.getElementById("time").max]);
  const at = share => range[0] + share * (range[1] - range[0]);
  await tab.evaluate(t => animation.show(t), at(0.1));
  const one = await pixels();
  await tab.evaluate(t => animation.show(t), at(0.45));
  if (one === await pixels()) faults.push("the picture does not move");
  const before = await time();
  await tab.keyboard.press("ArrowRight");
  if (!(await time() > before)) faults.push("the arrow key does not move to the next frame");
  await tab.keyboard.press("Home");
  if (await time() !== range[0]) faults.push("Home does not move to the start");
  await tab.keyboard.press("Space");
  await tab.waitForTimeout(250);
  await tab.keyboard.press("Space");
  if (!(await time() > range[0])) faults.push("it does not play");
  const chart = await tab.$("#charts .u-over");
  if (chart) {
    await chart.scrollIntoViewIfNeeded();
    await chart.hover();
    if (Math.abs(await time() - at(0.5)) > 0.02 * (range[1] - range[0])) faults.push("the cursor of the plots does not scrub");
  }
  await tab.evaluate(t => animation.show(t), at(0.45));
  return faults;
}

async function main([dir, ...pages]) {
  fs.mkdirSync(dir, { recursive: true });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox"] });
  let failed = 0, passed = 0;
  for (const page of pages) for (const look of looks) {
    const faults = await examine(browser, page, look, dir);
    faults.forEach(fault => console.log("FAILED " + fault));
    if (faults.length) failed++; else passed++;
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed; the screenshots are in ${dir}`);
  process.exitCode = failed ? 1 : 0;
}

main(process.argv.slice(2));
