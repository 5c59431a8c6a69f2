-- A process of `saltus test`: busted runs one file here, in this Lua, and reporter.lua tells the first process.
local core = require "saltus.core"

local worker = {}

-- The value of the hidden option --worker: the mark of the events, and the process that started this one.
function worker.option(mark) return ("--worker=%s/$PPID"):format(mark) end

-- text: a value of that option. words: options of busted. Returns the exit status.
function worker.run(text, folder, file, words)
  local mark, parent = text:match "^(.+)/(%d+)$"
  core.process.end_with_parent(math.tointeger(parent))
  local list = { [0] = "saltus test", "--ignore-lua", "-C", folder, "-o", "saltus.testing.runner.reporter",
    "-Xoutput", mark }
  table.move(words, 1, #words, #list + 1, list)
  list[#list + 1] = file
  _G.arg = list
  local run = assert(load('require "busted.runner" { standalone = false }', "=saltus test"))
  run() -- ends the process when a test fails
  return 0
end

return worker
