// node pages.js DIR PAGE...: opens each page in chromium: light, dark, 500 px wide, and printed. It fails for a message
// on the console, a request that leaves the file, a serious or critical fault that axe-core finds, a page wider
// than its window, and a picture, key or button that does nothing. DIR gets the screenshots and PDFs. The environment
// variable CHROMIUM may name another browser.
"use strict";
const fs = require("fs"), path = require("path"), { pathToFileURL } = require("url");
const { chromium } = require("playwright-core");
const charts = require("./charts.js");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const looks = [
  { name: "light", colorScheme: "light", width: 1100 },
  { name: "dark", colorScheme: "dark", width: 1100 },
  { name: "narrow", colorScheme: "light", width: 500 },
];

// A tab that writes down what a page must not do.
async function open(browser, page, look, faults) {
  const context = await browser.newContext({ colorScheme: look.colorScheme, reducedMotion: "reduce",
    viewport: { width: look.width, height: 900 } });
  const tab = await context.newPage();
  tab.on("console", m => faults.push("console: " + m.text()));
  tab.on("pageerror", e => faults.push("error: " + e.message));
  tab.on("request", r => { if (!/^(file|data|blob):/.test(r.url())) faults.push("request: " + r.url()); });
  await tab.goto(pathToFileURL(path.resolve(page)).href);
  await tab.waitForTimeout(300);
  return tab;
}

async function accessibility(tab) {
  await tab.evaluate(axe);
  const found = await tab.evaluate(() => axe.run());
  return found.violations.filter(v => v.impact === "serious" || v.impact === "critical")
    .map(v => `axe: ${v.id}: ${v.nodes.map(n => n.html.slice(0, 100)).join(" ")}`);
}

// The pictures that a page shows on paper.
async function paper(tab, file) {
  const moving = await tab.evaluate(() => typeof animation !== "undefined");
  await tab.pdf({ path: file, format: "A4", printBackground: true });
  if (!moving) return [];
  const drawn = await tab.evaluate(() => new Set([...document.querySelectorAll("#strip canvas")]
    .map(c => c.toDataURL())).size);
  return drawn > 1 ? [] : ["the pictures on paper are one"];
}

async function examine(browser, page, look, dir) {
  const faults = [], name = path.join(dir, path.basename(page, ".html") + "-" + look.name);
  const tab = await open(browser, page, look, faults);
  if (await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth)) faults.push("wider than the window");
  if (await tab.evaluate(() => typeof animation !== "undefined")) faults.push(...await moves(tab));
  faults.push(...await accessibility(tab));
  await tab.screenshot({ path: name + ".png", fullPage: true });
  if (look.name === "light") faults.push(...await paper(tab, name.replace(/light$/, "print.pdf")));
  if (look.name !== "dark") faults.push(...await charts(tab)); // last: it leaves its marks
  await tab.context().close();
  return faults.map(fault => `${path.basename(name)}: ${fault}`);
}

// ---- an animation ----

// Moves a page by its keys, buttons and plots; returns what did not work.
async function moves(tab) {
  const faults = [], must = (holds, fault) => { if (!holds) faults.push(fault); };
  const pixels = () => tab.evaluate(() => document.getElementById("stage").toDataURL());
  const time = () => tab.evaluate(() => animation.time());
  const show = t => tab.evaluate(at => animation.show(at), t);
  const [start, stop] = await tab.evaluate(() => ["min", "max"].map(side => +document.getElementById("time")[side]));
  const at = share => start + share * (stop - start);
  await show(at(0.1));
  const one = await pixels();
  await show(at(0.45));
  must(one !== await pixels(), "two times have one picture");
  must(Math.abs(+await tab.inputValue("#time") - at(0.45)) < 1e-9 * (stop - start), "the slider does not follow");
  await tab.keyboard.press("ArrowRight");
  must(await time() > at(0.45), "the arrow key does not move to the next frame");
  await tab.keyboard.press("ArrowLeft");
  await tab.keyboard.press("ArrowLeft");
  must(await time() < at(0.45), "the arrow key does not move to the frame before");
  await tab.keyboard.press("End");
  must(await time() === stop, "End does not move to the end");
  await tab.keyboard.press("Home");
  must(await time() === start, "Home does not move to the start");
  must(await plays(tab, start), "Space does not play and pause");
  must(await plots(tab, at), "the cursor of the plots and the picture do not move together");
  await show(at(0.45));
  return faults;
}

async function plays(tab, start) {
  const time = () => tab.evaluate(() => animation.time());
  await tab.keyboard.press("Home");
  await tab.keyboard.press("Space");
  await tab.waitForTimeout(300);
  await tab.keyboard.press("Space");
  const paused = await time();
  await tab.waitForTimeout(100);
  return paused > start && await time() === paused;
}

async function plots(tab, at) {
  const chart = await tab.$("#charts .u-over");
  if (!chart) return true;
  await chart.scrollIntoViewIfNeeded();
  await chart.hover(); // in its middle
  const reached = await tab.evaluate(() => animation.time());
  await tab.mouse.move(2, 2);
  await tab.evaluate(t => animation.show(t), at(0.25));
  const shown = await tab.evaluate(() => plots[0].posToVal(plots[0].cursor.left, "x"));
  return Math.abs(reached - at(0.5)) < 0.01 * (at(1) - at(0)) && Math.abs(shown - at(0.25)) < 0.01 * (at(1) - at(0));
}

// Frames in the page, and pictures in a second of play.
async function speed(browser, page) {
  const tab = await open(browser, page, { width: 1100 }, []);
  const told = await tab.evaluate(() => typeof animation === "undefined" ? null : new Promise(done => {
    let pictures = 0;
    const began = performance.now();
    const count = now => { pictures++; now - began < 1000 ? requestAnimationFrame(count) : done(
      `${animation.reel.frames.length} frames, ${pictures} pictures in a second of play`); };
    animation.play();
    requestAnimationFrame(count);
  }));
  await tab.context().close();
  return told || "plots";
}

async function main([dir, ...pages]) {
  fs.mkdirSync(dir, { recursive: true });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox"] });
  let failed = 0, passed = 0;
  for (const page of pages) {
    console.log(`${path.basename(page)}: ${fs.statSync(page).size} bytes, ${await speed(browser, page)}`);
    for (const look of looks) {
      const faults = await examine(browser, page, look, dir);
      faults.forEach(fault => console.log("FAILED " + fault));
      if (faults.length) failed++; else passed++;
    }
  }
  await browser.close();
  console.log(`the pictures are in ${dir}\n${passed} passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}

main(process.argv.slice(2));
