-- Checks the modes that an update writes. Each word becomes its number; any other value is an error that lists the
-- words.
local names = require "saltus.util.names"

local mode_values = {}

-- A table from a mode to its number. It wraps any other value, so that a number is not taken for a mode: the engine
-- then refuses the result, and `complaint` names it.
function mode_values.numbers(values)
  local number = {}
  for i, value in ipairs(values) do number[value] = i end
  return setmetatable(number, { __index = function(_, value) return { no_mode = value } end })
end

-- The value that an update wrote, which `numbers` wrapped.
function mode_values.unwrap(value)
  if type(value) == "table" and rawget(value, "no_mode") ~= nil then return value.no_mode end
  return value
end

-- The error text; `label`: of the update.
function mode_values.complaint(label, e, value)
  return ("%s sets %q to %s; its values are \"%s\""):format(label, e.name, names.show(value),
    table.concat(e.values, '", "'))
end

return mode_values
