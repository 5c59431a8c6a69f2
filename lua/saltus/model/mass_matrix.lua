-- The mass matrix of a system, M in M x' = derivatives, as users write it: rows of numbers over all of q, v
-- and z, or by names what stands on the diagonal (1 where nothing is said).
local names = require "saltus.util.identifiers"

local mass_matrix = {}

local function is_number(v) return type(v) == "number" and v > -math.huge and v < math.huge end

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
    if type(row) ~= "table" or #row ~= n then
      names.fail("%s: row %d of mass must hold %d numbers, one for each continuous variable, got %s", owner, i, n,
        type(row) == "table" and #row or names.show(row))
    end
    for j, value in ipairs(row) do
      if not is_number(value) then
        names.fail("%s: mass[%d][%d] must be a finite number, got %s", owner, i, j, names.show(value))
      end
      list[#list + 1] = value
    end
  end
  if #given ~= n then
    names.fail("%s: mass must have %d rows, one for each continuous variable, got %d", owner, n, #given)
  end
  return list
end

local function by_names(given, states, n, owner)
  local list = {}
  for k = 1, n * n do list[k] = (k - 1) % (n + 1) == 0 and 1 or 0 end
  for _, name in ipairs(names.sorted_keys(given)) do
    local state, value = states[name], given[name]
    if not state then
      local known = names.sorted_keys(states)
      names.fail("%s: %s", owner, names.unknown("continuous variable %s in mass", name, known))
    elseif not is_number(value) then
      names.fail("%s: mass of %q must be a finite number, got %s", owner, name, names.show(value))
    end
    for k = state.at, state.at + state.size - 1 do list[k * n + k + 1] = value end
  end
  return list
end

-- All elements by rows.
function mass_matrix.read(given, content, owner)
  local states, n = states_of(content)
  if type(given) ~= "table" then
    names.fail("%s: mass must be rows of numbers, or a table by names, got %s", owner, names.show(given))
  end
  if n == 0 then names.fail("%s: mass is about continuous state, and there is none in q, v, z", owner) end
  local list = given[1] ~= nil and by_rows(given, n, owner) or by_names(given, states, n, owner)
  for _, value in ipairs(list) do
    if value ~= 0 then return list end
  end
  return names.fail("%s: mass is zero everywhere: nothing would change with time", owner)
end

return mass_matrix
