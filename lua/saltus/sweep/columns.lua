-- The columns that a measure makes: the names it returns. Those of the first run that succeeds are those of the sweep.
local names = require "saltus.util.names"

local columns = {}

columns.own = { "run", "seed", "status", "error" }

local allowed = { number = true, string = true, boolean = true }

-- What a measure returned, as a table by names: a number alone is called value.
function columns.named(returned)
  if returned == nil then error("measure returned nothing; it returns a number or { name = value, ... }", 0) end
  return type(returned) == "table" and returned or { value = returned }
end

-- The names of a table that a measure returned, in order. Raises an error for a wrong name or a wrong value; `taken`:
-- the names that are varied.
function columns.of(returned, taken)
  local list = names.sorted_keys(returned)
  for _, name in ipairs(list) do
    if not names.is_identifier(name) then
      error(("measure returns a table by names, like { height = 1 }; %s is not a name"):format(names.show(name)), 0)
    end
    if names.index_of(taken, name) or names.index_of(columns.own, name) then
      error(("measure returns %q, which is already a column of the sweep; give it another name"):format(name), 0)
    end
    if not allowed[type(returned[name])] then
      error(("measure must return numbers, words or booleans; %q is %s"):format(name, names.show(returned[name])), 0)
    end
  end
  return list
end

-- What is wrong with a row whose columns are `list`, in a sweep with the columns `known`; nil if they are the same.
function columns.difference(known, list)
  for _, name in ipairs(known) do
    if not names.index_of(list, name) then
      return ("measure returned no %q, which it returned before"):format(name)
    end
  end
  for _, name in ipairs(list) do
    if not names.index_of(known, name) then
      return ("measure returned %s, which it did not return before"):format(names.show(name))
    end
  end
end

return columns
