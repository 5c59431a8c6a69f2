-- Values that are no single number: lists, modes, plain data. See variable.lua.
local variable = require "saltus.model.variable"
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"

local variable_values = {}

function variable_values.length(value, who)
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

-- The index of a mode's value.
function variable_values.mode(e, value, who)
  for i, known in ipairs(e.values) do if known == value then return i end end
  return names.fail("%s cannot be %s; its values are \"%s\"%s", who, names.show(value), table.concat(e.values, '", "'),
    names.near(value, e.values) and names.hint(value, e.values) or "")
end

-- A copy of plain data; a function, userdata, thread or cycle in it is an error.
function variable_values.plain(value, who, seen)
  local kind = type(value)
  if kind == "nil" or kind == "boolean" or kind == "number" or kind == "string" then return value end
  if kind ~= "table" then names.fail("%s must be plain data, found a %s", who, kind) end
  if seen[value] then names.fail("%s must be plain data without cycles", who) end
  seen[value] = true
  local out = {}
  for k, v in pairs(value) do out[variable_values.plain(k, who, seen)] = variable_values.plain(v, who, seen) end
  seen[value] = nil
  return out
end

function variable_values.vector(e, value, who)
  local out = {}
  if type(value) == "number" then
    local v = variable.element(e, value, who)
    for i = 1, e.size do out[i] = v end
    return out
  end
  if type(value) ~= "table" then
    names.fail("%s must be a list of %d numbers, got %s", who, e.size, names.show(value))
  end
  local n = variable_values.length(value, who)
  if n ~= e.size then names.fail("%s must be a list of %d numbers, got %d", who, e.size, n) end
  for i = 1, n do
    out[i] = variable.element(e, value[i], ("%s[%d]"):format(who, i))
    if i > 1 and e.rules and e.rules.increasing and out[i] <= out[i - 1] then
      names.fail("%s must increase: [%d] is %s, [%d] is %s", who, i - 1, names.show(out[i - 1]), i, names.show(out[i]))
    end
  end
  return out
end

-- The words that a mode may be.
function variable_values.check_modes(e, modes, who)
  if type(modes) ~= "table" or #modes == 0 then
    names.fail("%s: values must be a list of names like { \"off\", \"on\" }, got %s", who, names.show(modes))
  end
  if e.vector then names.fail("%s: a mode has one value; declare one name for each", who) end
  e.values = {}
  for i, value in ipairs(modes) do
    if type(value) ~= "string" then names.fail("%s: values[%d] must be a string, got %s", who, i, names.show(value)) end
    for j = 1, i - 1 do
      if modes[j] == value then names.fail("%s: values has %q twice", who, value) end
    end
    names.check_no_control(value, ("%s: values[%d]"):format(who, i))
    e.values[i] = value
  end
end

return variable_values
