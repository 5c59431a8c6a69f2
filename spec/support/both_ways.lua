-- Runs of one system in Lua alone and with programs, which must not differ.
local assert = require "luassert"
local saltus = require "saltus"

local both_ways = { steps = { integrator = "runge_kutta4", max_step = 0.01, fixed_step = true } }

-- pcall while a hook is set: every instruction of Lua is wanted, and no program runs.
function both_ways.in_lua(fn, ...)
  debug.sethook(function() end, "", 1 << 30)
  local answers = table.pack(pcall(fn, ...))
  debug.sethook()
  return table.unpack(answers, 1, answers.n)
end

-- The line of sim:programs() about a closure.
function both_ways.line_of(sim, closure)
  for _, line in ipairs(sim:programs()) do if line.closure:find(closure, 1, true) then return line end end
end

-- The definition of a system z' = f, of vector u of 3 and scalar w, with what `changes` adds.
function both_ways.definition(derivatives, changes)
  local def = { name = "s", z = { { "u", { 0.5, -1.25, 2 } }, { "w", 0.75 } },
    params = { k = 1.5, { "m", { 2, 3 } } }, discrete = { { "mode", "on", values = { "on", "off" } }, { "n", 3 } },
    derivatives = derivatives }
  for key, value in pairs(changes or {}) do def[key] = value end
  return def
end

-- Runs what define() returns, anew each time, both ways; returns the simulator whose programs ran, and its error.
-- Errors have to be the same ones, of the same lines.
function both_ways.run(define, duration)
  local function system() return type(define) == "function" and saltus.system(define()) or define end
  local plain, quick = saltus.simulator(system(), both_ways.steps), saltus.simulator(system(), both_ways.steps)
  local ok, told = both_ways.in_lua(plain.advance_to, plain, duration or 1)
  local also_ok, also_told = pcall(quick.advance_to, quick, duration or 1)
  assert.equal(ok, also_ok, tostring(ok and also_told or told))
  if not ok then assert.equal(tostring(told), tostring(also_told)) end
  assert.equal(plain:hash(), quick:hash(), tostring(quick:programs()))
  return quick, not ok and also_told or nil
end

return both_ways
