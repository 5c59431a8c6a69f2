-- The programs of one run. A closure that only computes numbers becomes a program. The core runs it without Lua, with
-- the same bits as results. Any other closure is called in Lua. docs/compiler.md has the rules.
local files = require "saltus.util.files"
local constants = require("saltus.core").constants
local bytecode = require "saltus.closure.compiler.bytecode"

local programs = {}

local cache -- loaded with the first program that is made

local is_enabled = files.environment "SALTUS_COMPILE" ~= "0"

-- The reason why a closure must not be compiled, or nil. `option`: the simulator's option.
local function forbidden(option, system)
  if option == false then return "the simulator has compile = false" end
  if option == nil and system.compile == false then return "the system has compile = false" end
  if option == nil and system.compile == nil and not is_enabled then return "SALTUS_COMPILE is 0" end
  return nil
end

local function are_same(functions, others)
  for i, value in pairs(functions) do if not rawequal(value, others[i]) then return false end end
  return true
end

-- Returns the core's program for a description whose upvalues contain these functions; false if it is too large.
local function program_of(core, made, functions, known)
  local last = known[made]
  if not (last and are_same(last.functions, functions)) then
    last = { functions = functions, program = core:program(made, functions) }
    known[made] = last
  end
  return last.program
end

-- If a closure with the same code was compiled before, runs closure `c` (see saltus.closure.adapter) as its program;
-- returns whether there was one. `known`: by description of a program, the core's program and the functions among the
-- upvalues.
local function run_cached(core, c, known)
  if not cache then return false end
  local made, functions = cache.find(c)
  if not made then return false end
  local program = program_of(core, made, functions, known)
  if program then
    core:run_program(c.k, program, c.fn)
    c.made, c.functions = made, functions
  else
    c.not_compiled_because = "it reads too many upvalues"
  end
  return true
end

local UNKNOWN = "the bytecode of this Lua is not that of Lua 5.4"
local was_said = false

-- Warns once in a Lua state, with the first closure that could have been compiled.
local function say_unknown(core, c)
  if was_said then return end
  was_said = true
  c.warnings[#c.warnings + 1] = { time = core:time(constants.context.run), kind = "not_compiled",
    system = c.model:part_name(c.part), message = UNKNOWN .. ", so closures run in Lua, with the same results" }
end

-- Compiles closure `c` at the core's request.
function programs.compile(core, c, known, option)
  c.not_compiled_because = forbidden(option, c.system) or not bytecode.is_known() and UNKNOWN or nil
  if c.not_compiled_because == UNKNOWN then say_unknown(core, c) end
  if c.not_compiled_because or run_cached(core, c, known) then return end
  local made, b = require("saltus.closure.compiler.translator").write(c)
  if made then
    cache = cache or require "saltus.closure.compiler.cache"
    cache.keep(c, made, b)
    run_cached(core, c, known)
  else
    c.not_compiled_because = b
    c.record.rejected = true
  end
end

function programs.compile_cached(core, c, known, option)
  if not forbidden(option, c.system) then run_cached(core, c, known) end
end

-- ---- programs attached by the identity of their functions ----
--
-- A system remembers the programs of its closures that agreed with them in TRIALS shadow runs, of one simulator or of
-- several short ones. Later simulators of the system, or of the same system with other defaults, attach them: they
-- need neither adapters nor trials. If an upvalue got a value for which the program was not written, the program gives
-- up, and the closure runs.
local TRIALS = constants.limit.trials
local residuals = { constraints = true, constraint_rates = true } -- their number may depend on the defaults

-- Counts shadow runs of closure c. `same`: the program and the closure had the same results.
function programs.judge(c, same)
  local record, made, functions = c.record, c.made, c.functions
  if record.made ~= made or not (record.functions and are_same(record.functions, functions)) then
    record.fn, record.made, record.functions, record.agreed = c.fn, made, functions, 0
  end
  record.agreed = same and not residuals[c.kind] and record.agreed + 1 or 0
end

function programs.attach(core, part, system, known, option)
  if forbidden(option, system) then return end
  for i, one in pairs(system.programs) do
    if one.agreed >= TRIALS then
      core:attach_program(part, i, program_of(core, one.made, one.functions, known), one.fn)
    end
  end
end

-- Ports are read for the first time by a program as well as by a closure.
local all_seen = setmetatable({}, { __index = function() return true end })

-- The program of closure `c` as it is before its first call; nil if it stays in Lua.
local function program_before_calls(core, c, known, writer)
  cache = cache or require "saltus.closure.compiler.cache"
  local made, functions = cache.find(c)
  if not made then
    local written, b = writer.write(c)
    if not written then return nil end
    cache.keep(c, written, b)
    made, functions = cache.find(c)
  end
  return made and program_of(core, made, functions, known) or nil
end

-- The program of a function of the ctx of a system that returns a number; nil if it stays in Lua.
function programs.of_margin(core, fn, system, known, option)
  if forbidden(option, system) then return nil end
  return program_before_calls(core, { kind = "witness", fn = fn, system = system, reads = {}, writes = {},
    seen = all_seen }, known, require "saltus.closure.compiler.translator")
end

-- The program that tells the phases of closure `c`; nil: they are unknown. Whether programs may run does not matter,
-- nor what `c` read so far.
function programs.of_phases(core, c, known)
  return program_before_calls(core, { kind = "phases", fn = c.fn, system = c.system, reads = {}, writes = {},
    seen = all_seen }, known, require "saltus.closure.compiler.phases")
end

-- Runs `slice` (see slicing.lua) as finder `n` of a part. If the upvalues of its function change, the slice finds
-- nothing.
function programs.run_slice(core, part, n, slice, known)
  local same = {}
  for i, node in ipairs(slice.nodes) do same[i] = node.as == "same" and node.value end
  known[slice.made] = known[slice.made] or { program = core:program(slice.made, same) }
  if known[slice.made].program then core:run_slice(part, n, known[slice.made].program, slice.fn) end
end

return programs
