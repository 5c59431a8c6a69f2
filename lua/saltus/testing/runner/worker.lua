-- A process of `saltus test`: busted runs one file here, in this Lua, and reporter.lua tells the first process.
local core = require "saltus.core"

local worker = {}

-- The value of the hidden option --worker: the mark of the events, and the process that started this one.
function worker.option(mark) return ("--worker=%s/$PPID"):format(mark) end

-- Returns the mark and the process; nil for another text.
function worker.read(text)
  local mark, parent = text:match "^(.+)/(%d+)$"
  if mark then return { mark = mark, parent = math.tointeger(parent) } end
  return nil, "--worker is for processes that saltus test starts"
end

-- own: of worker.read. words: options of busted. Returns the exit status.
function worker.run(own, folder, file, words)
  core.process.end_with_parent(own.parent)
  local list = { [0] = "saltus test", "--ignore-lua", "-C", folder, "-o", "saltus.testing.runner.reporter",
    "-Xoutput", own.mark }
  table.move(words, 1, #words, #list + 1, list)
  list[#list + 1] = file
  _G.arg = list
  local run = assert(load('require "busted.runner" { standalone = false }', "=saltus test"))
  run() -- ends the process when a test fails
  return 0
end

return worker
