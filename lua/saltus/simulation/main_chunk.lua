-- Whether a scenario's file is the program that the interpreter runs: `lua5.4 FILE` runs the scenario that it returns.
local files = require "saltus.util.files"
local names = require "saltus.util.names"
local main_chunk = {}

-- A host that loads the file in C, or in a coroutine, needs the scenario: only an interpreter sets `arg` and runs a
-- file on the main thread.
local function is_interpreter()
  local _, on_main = coroutine.running()
  return on_main and debug ~= nil and type(rawget(_G, "arg")) == "table"
end

-- Whether no Lua function and no `require` is on the stack from `level` on.
local function is_bottom(level)
  for i = level + 1, math.huge do
    local info = debug.getinfo(i, "Sf")
    if not info then return true end
    if info.what ~= "C" or info.func == require then return false end
  end
end

-- Whether the function at `level` was called by `return saltus.scenario { ... }` at the end of the program: the tail
-- call of the main chunk leaves none on the stack, but `require` and dofile do.
function main_chunk.is_tail_call(level)
  return is_interpreter() and debug.getinfo(level, "t").istailcall and is_bottom(level + 1)
end

-- "file:line" of the `return` that is this tail call; nil if it is none.
function main_chunk.final_call(level)
  if not main_chunk.is_tail_call(level + 1) then return nil end
  local text = files.read(arg[0])
  return text and names.last_return(arg[0], text)
end

-- Whether a source ends with `return NAME`, besides blanks and comments.
local function returns_name(source)
  local text = source:find "^@" and files.read(source:sub(2))
  if not text then return false end
  local last
  for line in text:gsub("%-%-%[(=*)%[.-%]%1%]", ""):gsub("%-%-[^\n]*", ""):gmatch "[^\n]+" do
    if line:find "%S" then last = line end
  end
  return last ~= nil and last:find "%f[%w_]return%s+[%a_][%w_]*%s*;?%s*$" ~= nil
end

-- Whether the function that the running hook saw return has `value` as its first result.
local function returns(value)
  local info = debug.getinfo(3, "r")
  if info.ntransfer < 1 then return false end
  local _, first = debug.getlocal(3, info.ftransfer)
  return rawequal(first, value)
end

-- Calls action() when the program, which has called the function at `level`, ends with `return NAME` of this value:
-- local sc = saltus.scenario { ... } ... return sc. Other programs, and those with a debugger, have no hook.
function main_chunk.on_return(level, value, action)
  if not is_interpreter() or debug.gethook() then return end
  local caller = debug.getinfo(level + 1, "Sf")
  if not caller or caller.what ~= "main" then return end
  if not is_bottom(level + 2) or not returns_name(caller.source) then return end
  debug.sethook(function()
    if debug.getinfo(2, "f").func ~= caller.func then return end
    debug.sethook()
    if returns(value) then action() end
  end, "r")
end

return main_chunk
