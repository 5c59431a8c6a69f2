-- The programs of one run. The core gives each a number.
local compiler = require "saltus.closure.compiler"

local programs = {}

-- Why a closure must not be compiled; nil: it may be. `option`: the simulator's option.
local function forbidden(option, system)
  if option == false then return "the simulator has compile = false" end
  if option == nil and system.compile == false then return "the system has compile = false" end
  if option == nil and system.compile == nil and not compiler.is_enabled then return "SALTUS_COMPILE is 0" end
  return nil
end

local function are_same(functions, others)
  for i, value in pairs(functions) do if not rawequal(value, others[i]) then return false end end
  return true
end

-- Runs closure `c` (see saltus.closure.adapter) as `program`. `known`: by program, its number and its functions.
local function run(core, c, program, known)
  local last = known[program.made]
  if not (last and are_same(last.functions, program.functions)) then
    last = { functions = program.functions, number = core:program(program.made, program.functions) }
    known[program.made] = last
  end
  if last.number then
    core:run_program(c.k, last.number, c.fn)
  else
    c.not_compiled_because = "it reads too many upvalues"
  end
end

-- Compiles closure `c` at the core's request.
function programs.compile(core, c, known, option)
  c.not_compiled_because = forbidden(option, c.system)
  if c.not_compiled_because then return end
  local program, why = compiler.compile(c)
  c.not_compiled_because = why
  if program then run(core, c, program, known) end
end

-- Runs closure `c` as the program of a closure like it, if there is one.
function programs.compile_cached(core, c, known, option)
  local program = not forbidden(option, c.system) and compiler.compile_cached(c)
  if program then run(core, c, program, known) end
end

-- Runs `slice` (see slicing.lua) as finder `n` of a part. If the upvalues of its function change, it finds nothing.
function programs.run_slice(core, part, n, slice, known)
  local same = {}
  for i, node in ipairs(slice.nodes) do same[i] = node.as == "same" and node.value end
  known[slice.made] = known[slice.made] or { number = core:program(slice.made, same) }
  if known[slice.made].number then core:run_slice(part, n, known[slice.made].number, slice.fn) end
end

return programs
