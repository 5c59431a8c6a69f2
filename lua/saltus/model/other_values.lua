-- Values of variables that are not one number: lists, modes, plain data.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local other_values = {}

-- The length of a list of numbers.
function other_values.list_length(value, who)
  local n = #value
  for key in pairs(value) do
    if math.type(key) ~= "integer" or key < 1 or key > n then
      names.fail("%s: a list default holds numbers only, found field %s; write { \"name\", { ... }, %s = ... }",
        who, names.show(key), numerals.text(key))
    end
  end
  if n == 0 then names.fail("%s: the list must not be empty", who) end
  return n
end

local function mode_index(e, value, who)
  return names.index_of(e.values, value) or names.fail("%s cannot be %s; its values are \"%s\"%s", who,
    names.show(value), table.concat(e.values, '", "'), names.near_hint(value, e.values))
end

-- Copies plain data; raises an error for functions, userdata, threads and cycles.
local function plain_copy(value, who, seen)
  local kind = type(value)
  if kind == "nil" or kind == "boolean" or kind == "number" or kind == "string" then return value end
  if kind ~= "table" then names.fail("%s must be plain data, found a %s", who, kind) end
  if seen[value] then names.fail("%s must be plain data without cycles", who) end
  seen[value] = true
  local out = {}
  for k, v in pairs(value) do out[plain_copy(k, who, seen)] = plain_copy(v, who, seen) end
  seen[value] = nil
  return out
end

local function vector(e, value, who, number)
  local out = {}
  if type(value) == "number" then
    local v = number(e, value, who)
    for i = 1, e.size do out[i] = v end
    return out
  end
  names.check(type(value) == "table", value, "%s must be a list of %d numbers", who, e.size)
  local n = other_values.list_length(value, who)
  names.check(n == e.size, n, "%s must be a list of %d numbers", who, e.size)
  for i = 1, n do
    out[i] = number(e, value[i], ("%s[%d]"):format(who, i))
    if i > 1 and e.rules and e.rules.increasing and out[i] <= out[i - 1] then
      names.fail("%s must increase: [%d] is %s, [%d] is %s", who, i - 1, names.show(out[i - 1]), i, names.show(out[i]))
    end
  end
  return out
end

-- Checks the values of a mode and adds them to its entry.
function other_values.declare_modes(e, modes, who)
  names.check(type(modes) == "table" and #modes > 0, modes,
    "%s: values must be a list of names like { \"off\", \"on\" }", who)
  if e.vector then names.fail("%s: a mode has one value; declare one name for each", who) end
  e.values = {}
  for i, value in ipairs(modes) do
    names.check(type(value) == "string", value, "%s: values[%d] must be a string", who, i)
    if names.index_of(e.values, value) then names.fail("%s: values has %q twice", who, value) end
    names.check_label(value, ("%s: values[%d]"):format(who, i))
    e.values[i] = value
  end
end

-- Checks a value and returns it in the form of `e.default`. `number` (e, value, who) does so for one number.
function other_values.check(e, value, who, number)
  if e.abstract then return plain_copy(value, who, {}) end
  if e.values then return mode_index(e, value, who) end
  return vector(e, value, who, number)
end

return other_values
