-- saltus.sandbox: a Lua state inside of this one, for scripts that are not trusted. docs/sandbox.md
local core = require "saltus.core"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local sandbox = {}

local options = { "memory", "budget", "seconds", "print" }
local engine_of = setmetatable({}, { __mode = "k" }) -- of each sandbox

local methods = {}
local Sandbox = { __name = "saltus.sandbox", __index = methods }

local function check_number(given, name, unit)
  local value = given[name]
  local fits = value == nil or numerals.is_finite(value) and value >= 0 and value <= 1e15
  names.check(fits, value, "saltus.sandbox: %s must be a number of %s", name, unit)
end

-- saltus.sandbox { memory = bytes, budget = instructions, seconds = of processor time, print = function(text) }
function sandbox.new(given)
  given = given == nil and {} or given
  names.check(type(given) == "table", given, "saltus.sandbox takes a table of options")
  names.check_keys(given, options, "option %s", "saltus.sandbox")
  check_number(given, "memory", "bytes")
  check_number(given, "budget", "instructions")
  check_number(given, "seconds", "seconds")
  names.check_type(given.print, "function", "saltus.sandbox: print must be a function of a text")
  local self = setmetatable({}, Sandbox)
  engine_of[self] = core.sandbox(given, package.path, given.print)
  return self
end

-- box:run(text, name, budget): runs a script. Returns true and its result, if that is a text, a number or a boolean; or
-- false and why it was stopped. `budget` replaces what is left.
function methods:run(text, name, budget)
  names.check(type(text) == "string", text, "sandbox:run takes the text of a script")
  names.check_type(name, "string", "sandbox:run: the name of the script must be a string")
  names.check(budget == nil or math.type(budget) and math.tointeger(budget) and budget >= 0, budget,
    "sandbox:run: budget must be a whole number of instructions")
  return engine_of[self]:run(text, name or "script", budget)
end

-- Returns the instructions that are left, negative if they are spent, and the bytes of memory in use.
function methods:left() return engine_of[self]:left() end

-- Frees the state. Without it, the collector does.
function methods:close() engine_of[self]:close() end

names.with_colon(methods, Sandbox.__name)
names.closed(methods, "a sandbox")

return sandbox
