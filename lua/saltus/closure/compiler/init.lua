-- The interface of the closure compiler. A closure that only computes numbers becomes a program, which the core runs
-- without Lua to the same bits. Any other closure stays in Lua. docs/compiler.md has the rules.
--
--   compiler.compile(closure)           a program, or nil and the reason
--   compiler.compile_cached(closure)    the program of a closure like this one, or nil
--   compiler.comparisons(system, fn)    programs that find where flow changes a condition, see slicing.lua
--   compiler.is_changed_by_flow(system, fn)
--   compiler.bytecode_of(fn)            the instructions of a function, see bytecode.lua
--   compiler.is_enabled                 false: SALTUS_COMPILE=0
local compiler = { is_enabled = true }

local cache -- loaded with the first program

local function program_of(made, functions) return made and { made = made, functions = functions } end

-- A program is { made = what core:program takes, functions = the functions among the closure's upvalues }.
function compiler.compile_cached(closure)
  if not cache then return nil end
  return program_of(cache.find(closure))
end

function compiler.compile(closure)
  cache = cache or require "saltus.closure.compiler.cache"
  local found = compiler.compile_cached(closure)
  if found then return found end
  local made, b = require("saltus.closure.compiler.translator").write(closure)
  if not made then return nil, b end
  cache.keep(closure, made, b)
  return compiler.compile_cached(closure)
end

function compiler.bytecode_of(fn) return require("saltus.closure.compiler.bytecode").of(fn) end

function compiler.comparisons(system, fn) return require("saltus.closure.compiler.slicing").of(system, fn) end

function compiler.is_changed_by_flow(system, fn)
  return require("saltus.closure.compiler.slicing").flows(system, fn)
end

return compiler
