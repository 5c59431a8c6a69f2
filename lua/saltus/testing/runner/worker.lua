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

-- Ends the process if a signal has come; the first process reports it.
function worker.end_if_caught()
  local caught = worker.caught()
  if caught then os.exit(caught.code, true) end
end

-- own: of worker.read. words: options of busted. caught() returns { code = } after a signal. Returns the exit status.
function worker.run(own, folder, file, words, caught)
  worker.caught = caught
  core.process.end_with_parent(own.parent)
  local list = { [0] = "saltus test", "--ignore-lua", "-C", folder, "-o", "saltus.testing.runner.reporter",
    "-Xoutput", own.mark }
  table.move(words, 1, #words, #list + 1, list)
  list[#list + 1] = file
  _G.arg = list
  local run = assert(load('require "busted.runner" { standalone = false }', "=saltus test"))
  run() -- ends the process when a test fails
  worker.end_if_caught()
  return 0
end

return worker
