-- Inputs and outputs of a model, by path or because there is only one: the ends of a diagram's connections.
local names = require "saltus.util.names"

local ports = {}

-- Returns nil and a message about a path that is not a port of that side: it may be one of the other side.
local function no_port(m, path, side, candidates)
  local _, e = m:find(path, "by_name")
  if not e or e.partition == "param" or e.abstract or (e.partition == "input") == (side == "input") then
    return m:no_such(side .. " %s", path, candidates)
  end
  local what = e.partition == "input" and "an input" or e.partition == "output" and "an output" or "a state"
  return nil, ("%q is %s; signals flow from an output or state to an input"):format(path, what)
end

local function outputs_and_states(sys)
  local list = {}
  for _, name in ipairs(names.sorted_keys(sys.ports)) do list[#list + 1] = sys.ports[name] end
  return list
end

local lists = { input = function(sys) return sys.inputs end, output = outputs_and_states }
local fields = { input = "by_name", output = "ports" }

-- Returns part and entry of a path; `side`: "input", or "output" for an output or a state.
function ports.find(m, path, side)
  local part, e = m:find(path, fields[side])
  if part and (e.partition == "input") == (side == "input") then return part, e end
  local candidates = m:all_paths(lists[side])
  for name, alias in pairs(m.aliases) do
    if alias.kind == side then candidates[#candidates + 1] = name end
  end
  return no_port(m, path, side, candidates)
end

-- Returns part and entry of the only input or output of a model; nil if it has none or several.
function ports.single(m, side)
  local exported = m[side .. "s"]
  if #m.parts > 1 or exported[1] then
    if #exported == 1 then return exported[1].part, exported[1].entry end
    return nil
  end
  local list = m.parts[1].system[side .. "s"]
  if #list == 0 then list = lists[side](m.parts[1].system) end
  if #list == 1 then return 1, list[1] end
  return nil
end

return ports
