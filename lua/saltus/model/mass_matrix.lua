-- The mass matrix of a system, M in M x' = derivatives. Users write rows of numbers over all of q, v and z, or the
-- elements of the diagonal by name (others are 1).
local names = require "saltus.util.names"
local is_finite = require("saltus.util.numerals").is_finite

local mass_matrix = {}

local function states_of(content)
  local states, size = {}, 0
  for _, section in ipairs { "q", "v", "z" } do
    for _, e in ipairs(content[section]) do
      states[e.name] = { at = size, size = e.size }
      size = size + e.size
    end
  end
  return states, size
end

local function by_rows(given, n, owner)
  local list = {}
  for i, row in ipairs(given) do
    local length = type(row) == "table" and #row
    names.check(length == n, length or row,
      "%s: row %d of mass must hold %d numbers, one for each continuous variable", owner, i, n)
    for j, value in ipairs(row) do
      names.check(is_finite(value), value, "%s: mass[%d][%d] must be a finite number", owner, i, j)
      list[#list + 1] = value
    end
  end
  names.check(#given == n, #given, "%s: mass must have %d rows, one for each continuous variable", owner, n)
  return list
end

local function by_names(given, states, n, owner)
  local list = {}
  for k = 1, n * n do list[k] = (k - 1) % (n + 1) == 0 and 1 or 0 end
  for _, name in ipairs(names.sorted_keys(given)) do
    local state, value = states[name], given[name]
    if not state then
      names.fail_unknown("continuous variable %s in mass", name, names.sorted_keys(states), owner)
    end
    names.check(is_finite(value), value, "%s: mass of %q must be a finite number", owner, name)
    for k = state.at, state.at + state.size - 1 do list[k * n + k + 1] = value end
  end
  return list
end

-- Returns all elements by rows.
function mass_matrix.read(given, content, owner)
  local states, n = states_of(content)
  names.check(type(given) == "table", given, "%s: mass must be rows of numbers, or a table by names", owner)
  if n == 0 then names.fail("%s: mass is about continuous state, and there is none in q, v, z", owner) end
  local list = given[1] ~= nil and by_rows(given, n, owner) or by_names(given, states, n, owner)
  for _, value in ipairs(list) do
    if value ~= 0 then return list end
  end
  return names.fail("%s: mass is zero everywhere: nothing would change with time", owner)
end

return mass_matrix
