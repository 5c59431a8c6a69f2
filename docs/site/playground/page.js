// The page of the playground: an editor, and a worker that runs the command saltus on its text.
"use strict";
const element = id => document.getElementById(id);
const MODEL = "/examples/model.lua";
const MOST_TEXT = 1e6; // characters that are shown

const state = { pack: null, worker: null, isReady: false, began: 0, clock: 0, shown: 0, mark: null };

const editor = CodeMirror(element("source"), { lineNumbers: true, mode: "lua", indentUnit: 2, tabSize: 2,
  extraKeys: { "Ctrl-Enter": run, "Cmd-Enter": run, Tab: cm => cm.execCommand("indentMore"),
    "Shift-Tab": cm => cm.execCommand("indentLess"), Esc: () => element("run").focus() } });
editor.getInputField().setAttribute("aria-label", "The model in Lua; Escape leaves the editor");
editor.getScrollerElement().tabIndex = 0;

// ---- the pack: a list of names and sizes as JSON, its length before it, then the files one after the other ----

async function unpack() {
  const bytes = Uint8Array.from(atob(element("pack").textContent), c => c.charCodeAt(0));
  element("pack").remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const all = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(all.buffer).getUint32(0, true), text = new TextDecoder();
  const index = JSON.parse(text.decode(all.subarray(4, 4 + length)));
  let at = 4 + length;
  const pack = { files: [], examples: index.examples };
  for (const { path, size } of index.files) {
    pack.files.push([path, all.slice(at, at + size)]);
    at += size;
  }
  const take = path => pack.files.splice(pack.files.findIndex(file => file[0] === path), 1)[0][1];
  pack.glue = text.decode(take("saltus.js"));
  pack.wasm = take("saltus.wasm");
  return pack;
}

// ---- the worker ----

function say(text) { element("state").value = text; }

const seconds = () => ((performance.now() - state.began) / 1000).toFixed(1);

function startWorker() {
  state.isReady = false;
  element("run").disabled = true;
  const url = URL.createObjectURL(new Blob([element("worker").textContent], { type: "text/javascript" }));
  state.worker = new Worker(url);
  URL.revokeObjectURL(url);
  state.worker.onmessage = ({ data }) => hear(data);
  state.worker.onerror = e => end("failed: " + e.message);
  state.worker.postMessage({ glue: state.pack.glue, wasm: state.pack.wasm, files: state.pack.files });
}

function hear(message) {
  if (message === "ready") {
    state.isReady = true;
    element("run").disabled = false;
    if (!/^(stopped|failed)/.test(element("state").value)) say("ready");
  } else if (message.ended) {
    show("saltus: " + message.ended + "\n", true);
    end("failed: " + message.ended);
  } else if (message.text !== undefined) {
    show(message.text, message.error);
  } else {
    finish(message);
  }
}

// Ends a run that does not end by itself: the worker stops wherever it is, and another one takes its place.
function end(why) {
  state.worker.terminate();
  rest();
  say(why);
  startWorker();
}

function rest() {
  clearInterval(state.clock);
  element("stop").disabled = true;
  element("run").disabled = !state.isReady;
}

// ---- a run ----

function show(text, error) {
  if (state.shown > MOST_TEXT) return;
  state.shown += text.length;
  if (state.shown > MOST_TEXT) text += "\n... the rest is not shown\n";
  const line = document.createElement("span");
  line.textContent = text;
  if (error) {
    line.className = "error";
    point(text);
  }
  element("text").append(line);
}

// Marks the line of the model that an error names.
function point(text) {
  const line = text.match(/model\.lua:(\d+):/);
  if (!line || state.mark !== null) return;
  state.mark = editor.addLineClass(Number(line[1]) - 1, "background", "wrong");
  editor.scrollIntoView({ line: Number(line[1]) - 1, ch: 0 }, 80);
}

// The words of a command line; quotes hold a word together.
const words = text => (text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) || [])
  .map(word => word.replace(/"([^"]*)"|'([^']*)'/g, (_, one, other) => one ?? other));

function run() {
  if (!state.isReady || !element("stop").disabled) return;
  element("text").replaceChildren();
  element("files").replaceChildren();
  state.shown = 0;
  if (state.mark) editor.removeLineClass(state.mark, "background", "wrong");
  state.mark = null;
  element("run").disabled = true;
  element("stop").disabled = false;
  state.began = performance.now();
  state.clock = setInterval(() => say(`running, ${seconds()} s`), 100);
  say("running");
  state.worker.postMessage({ run: ["run", MODEL, "--out", "/examples/out", "--force", ...words(element("options").value)],
    files: { [MODEL]: editor.getValue() } });
}

function frame(id, bytes) {
  element("tab-" + id).disabled = !bytes;
  element(id).srcdoc = bytes ? new TextDecoder().decode(bytes) : "";
  return Boolean(bytes);
}

function finish({ status, files }) {
  rest();
  say(status === 0 ? `finished in ${seconds()} s` : `failed with status ${status}`);
  const moves = frame("animation", files["animation.html"]), plots = frame("plot", files["run.html"]);
  choose(status !== 0 ? "text" : moves ? "animation" : plots ? "plot" : "text");
  for (const [name, bytes] of Object.entries(files)) {
    const link = document.createElement("a");
    link.textContent = link.download = name;
    link.href = URL.createObjectURL(new Blob([bytes]));
    element("files").append(link);
  }
}

// ---- controls ----

function choose(id) {
  for (const each of ["text", "plot", "animation"]) {
    element(each).hidden = each !== id;
    element("tab-" + each).setAttribute("aria-selected", each === id);
  }
}

function load(name) {
  const file = state.pack.files.find(file => file[0] === `/examples/${name}.lua`);
  if (!file) return;
  element("examples").value = name;
  editor.setValue(new TextDecoder().decode(file[1]));
  location.replace("#" + name);
}

for (const id of ["text", "plot", "animation"]) element("tab-" + id).onclick = () => choose(id);
element("run").onclick = run;
element("stop").onclick = () => end(`stopped after ${seconds()} s`);
element("examples").onchange = event => load(event.target.value);
element("options").onkeydown = event => { if (event.key === "Enter") run(); };

unpack().then(pack => {
  state.pack = pack;
  for (const { name, title } of pack.examples) element("examples").add(new Option(title, name));
  load(pack.examples.some(e => "#" + e.name === location.hash) ? location.hash.slice(1) : "02-bouncing-ball");
  startWorker();
}).catch(e => say("failed: " + e.message));
