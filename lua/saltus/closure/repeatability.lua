-- Finds closures that may return different values for the same arguments: they call math.random or os.clock, directly
-- or in a function that they call.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local repeatability = {}

local core = require "saltus.core"
local getupvalue = core.getupvalue

local suspects = {
  { library = math, of = "math", name = "random", cure = "draw by next.random() in an update" },
  { library = os or false, of = "os", name = "clock", cure = "use ctx.time, or read the clock in an update" },
}

-- Whether a word is among the constants of a binary chunk. It follows its length, as Lua 5.4 writes it.
local function has_constant(chunk, word) return chunk:find(string.char(0x81 + #word) .. word, 1, true) end

local function field(holder, name) return holder[name] end

-- Whether a function with the upvalue `value` can get the suspect from it: the function itself, its library, or the
-- globals.
local function takes(chunk, value, suspect)
  if not suspect.library then return false end
  if rawequal(value, suspect.library[suspect.name]) then return true end
  if type(value) ~= "table" or not has_constant(chunk, suspect.name) then return false end
  if rawequal(value, suspect.library) then return true end
  if not has_constant(chunk, suspect.of) then return false end
  local ok, library = pcall(field, value, suspect.of)
  return ok and rawequal(library, suspect.library)
end

local find

local function find_in(chunk, value, seen)
  for _, suspect in ipairs(suspects) do
    if takes(chunk, value, suspect) then return suspect end
  end
  return type(value) == "function" and find(value, seen) or nil
end

-- The suspect that a function calls, or nil.
function find(fn, seen)
  local chunk = not seen[fn] and core.dump(fn)
  if not chunk then return nil end
  seen[fn] = true
  for i = 1, math.huge do
    local name, value = getupvalue(fn, i)
    if not name then return nil end
    local suspect = find_in(chunk, value, seen)
    if suspect then return suspect end
  end
end

local pure = { derivatives = true, output = true, witness = true, when = true, constraints = true,
  constraint_rates = true, project = true, velocity_map = true }

-- The warning about closure `c` (see saltus.closure.adapter) at its first call, or nil.
function repeatability.warning(c, time)
  local suspect = pure[c.kind] and find(c.fn, {})
  if not suspect then return nil end
  local at = names.defined(c.fn)
  return { time = time, kind = "not_repeatable", system = c.model:part_name(c.part),
    variable = c.entry and c.entry.name, message = numerals.format(
      "%s%s calls %s.%s; a function of time and state must return the same value for the same arguments, because steps "
      .. "call it several times and are repeated; %s and keep the value in a discrete variable (at t = %t)", c.label,
      at and " (" .. at .. ")" or "", suspect.of, suspect.name, suspect.cure, time) }
end

return repeatability
