-- Finds closures that may return different values for the same arguments: they call math.random or os.clock, directly
-- or in a function that they call. Updates and stories may read the clock, but must not call math.random, because two
-- runs with the same seed would then differ.
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

-- Whether a function really gets a value: a word among its constants may belong to other tables.
local function reaches(fn, wanted)
  local found = false
  require("saltus.closure.lockstep.reach").of(fn, { source = "", line = 0 }, {
    power = function() end, environment = function() end, closed = function() end,
    value = function(value)
      found = found or rawequal(value, wanted)
      return not found and core.getinfo(value, "S").what ~= "C"
    end,
  }, function(value) return names.kind(value) ~= nil end)
  return found
end

local find

local function find_in(chunk, fn, value, list, seen)
  for _, suspect in ipairs(list) do
    if takes(chunk, value, suspect) and reaches(fn, suspect.library[suspect.name]) then return suspect end
  end
  return type(value) == "function" and find(value, list, seen) or nil
end

-- The suspect of a list that a function calls, or nil.
function find(fn, list, seen)
  local chunk = not seen[fn] and core.dump(fn)
  if not chunk then return nil end
  seen[fn] = true
  for i = 1, math.huge do
    local name, value = getupvalue(fn, i)
    if not name then return nil end
    local suspect = find_in(chunk, fn, value, list, seen)
    if suspect then return suspect end
  end
end

local PURE = "%s%s calls %s.%s; a function of time and state must return the same value for the same arguments, "
  .. "because steps call it several times and are repeated; %s and keep the value in a discrete variable (at t = %t)"
local DRAWN = "%s%s calls math.random, whose numbers the seed of the run does not determine; draw by %s (at t = %t)"

local pure = { derivatives = true, output = true, witness = true, when = true, next_time = true, constraints = true,
  constraint_rates = true, project = true, velocity_map = true }
local updates = { discrete_update = true, unrestricted_update = true }

local function place_of(fn)
  local at = names.defined(fn)
  return at and " (" .. at .. ")" or ""
end

local function warning(message, fields)
  fields.kind, fields.message = "not_repeatable", message
  return fields
end

local draws = { suspects[1] }

local function drawn(label, fn, instead, fields)
  return warning(numerals.format(DRAWN, label, place_of(fn), instead, fields.time), fields)
end

-- The warning about closure `c` (see saltus.closure.adapter) at its first call, or nil.
function repeatability.warning(c, time)
  local fields = { time = time, system = c.model:part_name(c.part), variable = c.entry and c.entry.name }
  local list = pure[c.kind] and suspects or updates[c.kind] and draws
  local suspect = list and find(c.fn, list, {})
  if not suspect then return nil end
  if list == draws then return drawn(c.label, c.fn, "next.random()", fields) end
  return warning(numerals.format(PURE, c.label, place_of(c.fn), suspect.of, suspect.name, suspect.cure, time), fields)
end

local story_draws = setmetatable({}, { __mode = "k" }) -- by function: many runs have the same story

-- The warning about a story and the functions in it, or nil.
function repeatability.of_story(label, fn, time)
  if story_draws[fn] == nil then story_draws[fn] = find(fn, draws, {}) ~= nil end
  if not story_draws[fn] then return nil end
  return drawn(label, fn, "s:random(), s:integer(a, b), s:uniform(a, b), s:normal(mean, sd) or s:exponential(mean)",
    { time = time })
end

return repeatability
