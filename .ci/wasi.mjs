// node .ci/wasi.mjs PROGRAM: runs a program of wasm32-wasi; its exit status is the program's.
import { readFileSync } from 'node:fs'
import { argv, exit } from 'node:process'
import { WASI } from 'node:wasi'

const wasi = new WASI({ version: 'preview1', args: [argv[2]], preopens: { '.': '.' } })
const { instance } = await WebAssembly.instantiate(readFileSync(argv[2]), wasi.getImportObject())
exit(wasi.start(instance))
