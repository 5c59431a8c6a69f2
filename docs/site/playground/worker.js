// Runs the command saltus in the WebAssembly module. Messages in: the contents of the pack, then { run: arguments,
// files: texts by path }. Messages out: "ready", { text, error }, { status, files: bytes by name }, or { ended } where
// a script ends the whole module, which then needs another worker.
"use strict";
const OUT = "/examples/out";
let engine = null;

const say = error => text => postMessage({ text: text + "\n", error });

async function start({ glue, wasm, files }) {
  const create = new Function(glue + "; return createSaltus;")();
  engine = await create({ wasmBinary: wasm, print: say(false), printErr: say(true), stdin: () => null });
  for (const [path, bytes] of files) put(path, bytes);
  engine.FS.chdir("/examples");
  postMessage("ready");
}

function put(path, bytes) {
  engine.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")) || "/");
  engine.FS.writeFile(path, bytes);
}

const names = folder => engine.FS.analyzePath(folder).exists
  ? engine.FS.readdir(folder).filter(name => !/^\.\.?$/.test(name)) : [];

// What a program printed without the end of a line.
function flush() {
  for (const file of [1, 2]) {
    const tty = engine.FS.getStream(file).tty;
    if (tty) tty.ops.flush(tty);
  }
}

function run({ run, files }) {
  for (const name of names(OUT)) engine.FS.unlink(OUT + "/" + name);
  for (const [path, text] of Object.entries(files)) put(path, text);
  let status;
  try {
    status = engine.ccall("saltus_run", "number", ["string"], [run.join("\n")]);
  } catch (e) {
    postMessage({ ended: e.name === "ExitStatus" ? "the script ended the program" : String(e.message || e) });
    return;
  }
  flush();
  const out = {};
  for (const name of names(OUT)) out[name] = engine.FS.readFile(OUT + "/" + name);
  postMessage({ status, files: out });
}

onmessage = ({ data }) => data.run ? run(data) : start(data).catch(e => postMessage({ ended: String(e) }));
