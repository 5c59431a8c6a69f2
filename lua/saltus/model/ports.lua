-- Inputs and outputs of a model, by path or by being the only one: what diagrams connect.
local names = require "saltus.util.identifiers"

local ports = {}

-- Of an input where an output is wanted, or the other way.
local function other_side(m, path, text, wanted)
  local _, e = m:find(path, "by_name")
  if not e or e.partition == "param" or e.abstract then return nil, text end
  if (e.partition == "input") == (wanted == "input") then return nil, text end
  local what = e.partition == "input" and "an input" or e.partition == "output" and "an output" or "a state"
  return nil, ("%q is %s; signals flow from an output or state to an input"):format(path, what)
end

-- The port that a path names as a source; a path of a part with one output stands for it.
function ports.output(m, path)
  local part, e = m:find(path, "ports")
  if part and e.partition ~= "input" then return part, e end
  local candidates = m:all_paths(function(sys)
    local list = {}
    for _, name in ipairs(names.sorted_keys(sys.ports)) do list[#list + 1] = sys.ports[name] end
    return list
  end)
  for name, alias in pairs(m.aliases) do
    if alias.kind == "output" then candidates[#candidates + 1] = name end
  end
  return other_side(m, path, select(2, m:no_such("output %s", path, candidates)), "output")
end

function ports.input(m, path)
  local alias = m.aliases[path]
  if alias and alias.kind == "input" then return alias.part, alias.entry end
  local part, e = m:find(path, "by_name")
  if part and e.partition == "input" then return part, e end
  local candidates = m:all_paths(function(sys) return sys.inputs end)
  for name, other in pairs(m.aliases) do
    if other.kind == "input" then candidates[#candidates + 1] = name end
  end
  return other_side(m, path, select(2, m:no_such("input %s", path, candidates)), "input")
end

-- The one output (input) of the whole, for where a part stands for its port.
function ports.single_output(m)
  if #m.parts > 1 or m.outputs[1] then
    if #m.outputs == 1 then return m.outputs[1].part, m.outputs[1].entry end
    return nil
  end
  local sys = m.parts[1].system
  if #sys.outputs == 1 then return 1, sys.outputs[1] end
  local only = #sys.outputs == 0 and names.sorted_keys(sys.ports) or {}
  if #only == 1 then return 1, sys.ports[only[1]] end
  return nil
end

function ports.single_input(m)
  if #m.parts > 1 or m.inputs[1] then
    if #m.inputs == 1 then return m.inputs[1].part, m.inputs[1].entry end
    return nil
  end
  local sys = m.parts[1].system
  if #sys.inputs == 1 then return 1, sys.inputs[1] end
  return nil
end

return ports
