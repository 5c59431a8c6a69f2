// node live.js SALTUS DIR: drives `saltus live` in Debian's chromium, on a copy of the bouncing ball. It fails unless a
// slider changes the run, a step back has the same hash, an edited function takes over, and a file that does not load
// leaves the run as it is. It writes screenshots to DIR. CHROMIUM is the browser's path.
"use strict";
const fs = require("fs"), path = require("path"), { spawn } = require("child_process");
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const [saltus, dir] = process.argv.slice(2);
const file = path.join(dir, "ball.lua");
let failed = 0, passed = 0;

function check(what, holds, seen) {
  console.log(`${holds ? "ok     " : "FAILED "} ${what}: ${seen}`);
  if (holds) passed++; else failed++;
}

// The address that the command prints.
function start() {
  const program = spawn(saltus, ["live", file], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "";
    program.stdout.on("data", data => {
      text += data;
      const address = text.match(/http:\S+/);
      if (address) resolve({ program, address: address[0] });
    });
    program.on("exit", code => reject(new Error("saltus live ended with status " + code)));
  });
}

function driver(tab) {
  const text = id => tab.textContent("#" + id);
  const until = (test, argument) => tab.waitForFunction(test, argument, { timeout: 20000 });
  return {
    state: async () => await text("clock") + ", " + await text("state"),
    hash: async () => (await text("state")).match(/hash (\w+)/)?.[1],
    row: () => tab.evaluate(() => charts.table().map(list => list[list.length - 1])), // time, height, speed
    until,
    // Presses a button and waits for the state that it makes.
    async press(id, state = "paused") {
      const before = await text("state");
      await tab.click("#" + id);
      await until(([was, wanted]) => {
        const now = document.getElementById("state").textContent;
        return now !== was && now.startsWith(wanted);
      }, [before, state]);
    },
    notice: part => until(p => [...document.querySelectorAll("#notices li")].some(n => n.textContent.includes(p)), part),
  };
}

async function runs(tab, d) {
  await d.until(() => charts.table()[0].length > 10);
  check("the run starts with the page", true, await d.state());
  const picture = () => tab.evaluate(() => document.getElementById("stage").toDataURL());
  const one = await picture();
  await tab.waitForTimeout(500);
  check("the picture moves", one !== await picture(), "two frames differ");
}

// The speed after the first touch: 0.8, then 0.5 of the speed before it.
async function slides(tab, d) {
  await d.press("restart");
  await d.press("event");
  const [time, , fast] = await d.row();
  await d.press("restart");
  await tab.locator("#c\\:restitution").evaluate(slider => {
    slider.value = 0.5;
    slider.dispatchEvent(new Event("input"));
  });
  await d.until(() => document.getElementById("state").textContent.includes("state 1"));
  await d.press("event");
  const [again, , slow] = await d.row();
  check("a slider changes the run", time === again && Math.abs(slow / fast - 0.5 / 0.8) < 1e-6,
    `after the touch at ${time} s the speed is ${fast} m/s with 0.8 and ${slow} m/s with 0.5`);
}

async function stepsBack(tab, d) {
  const hashes = [await d.hash()];
  for (let i = 0; i < 4; i++) {
    await d.press("step");
    hashes.push(await d.hash());
  }
  const back = [];
  for (let i = 0; i < 4; i++) {
    await d.press("back");
    back.unshift(await d.hash());
  }
  check("steps back have the same hashes", new Set(hashes).size === 5 && hashes.slice(0, 4).join() === back.join(),
    hashes.join(" "));
}

// Without gravity the speed stays.
async function edits(tab, d) {
  const [t0, , speed] = await d.row(), source = fs.readFileSync(file, "utf8");
  fs.writeFileSync(file, source.replace("and -ctx.gravity or 0", "and 0 * ctx.gravity or 0"));
  await d.notice("the edited file runs on from t = ");
  await d.press("step");
  const [t1, height, later] = await d.row();
  check("an edited function takes over", Math.abs(later - speed) < 1e-12 && height > 0 && t1 > t0,
    `the speed stays ${later} m/s from ${t0} to ${t1} s`);
  fs.writeFileSync(file, "return saltus.scenario {");
  await d.notice("the edited file does not load");
  const before = await d.row();
  await d.press("step", "");
  check("a file that does not load leaves the run going", (await d.row())[0] > before[0], await d.state());
}

async function main() {
  fs.mkdirSync(dir, { recursive: true });
  fs.copyFileSync("examples/02-bouncing-ball.lua", file);
  const { program, address } = await start();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox"] });
  const tab = await browser.newPage({ viewport: { width: 1200, height: 900 } }), faults = [];
  tab.on("console", m => faults.push("console: " + m.text()));
  tab.on("pageerror", e => faults.push("error: " + e.message));
  tab.on("request", r => { if (!r.url().startsWith(address) && !r.url().startsWith("data:")) faults.push(r.url()); });
  const d = driver(tab);
  try {
    await tab.goto(address);
    for (const part of [runs, slides, stepsBack, edits]) await part(tab, d);
    await tab.screenshot({ path: path.join(dir, "live.png"), fullPage: true });
    const shell = await browser.newContext({ bypassCSP: true, viewport: { width: 500, height: 900 },
      colorScheme: "dark", reducedMotion: "reduce" });
    const narrow = await shell.newPage();
    await narrow.goto(address);
    await narrow.waitForFunction(() => charts.table()[0].length > 10);
    check("a narrow page fits", await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "500 px");
    await narrow.screenshot({ path: path.join(dir, "live-narrow.png"), fullPage: true });
    await narrow.evaluate(axe);
    const grave = (await narrow.evaluate(() => axe.run())).violations.filter(v => /serious|critical/.test(v.impact));
    check("axe finds no serious fault", grave.length === 0, grave.map(v => v.id + " " + v.nodes[0].html).join("; "));
    check("no message on the console, no other request", faults.length === 0, faults.join("; "));
  } finally {
    await browser.close();
    program.removeAllListeners("exit");
    program.kill();
  }
  console.log(`${passed} passed, ${failed} failed; the screenshots are in ${dir}`);
  process.exitCode = failed ? 1 : 0;
}

main().catch(e => { console.error(e.message); process.exit(1); });
