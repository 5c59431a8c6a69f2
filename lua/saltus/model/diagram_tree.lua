-- A diagram as a tree of text: its nested parts, the sources of their inputs, their states and outputs.
-- `tostring(diagram)` and `saltus check` show it.
local variable = require "saltus.model.variable"
local names = require "saltus.util.names"
local describe = require "saltus.model.describe"

local diagram_tree = {}

-- The nested parts: { children = { { name =, path =, part = number | children = }, ... } }
function diagram_tree.tree(m)
  local root = { children = {}, by_name = {}, path = "" }
  for i, part in ipairs(m.parts) do
    local node = root
    for name in part.path:gmatch "[^.]+" do
      local child = node.by_name[name]
      if not child then
        child = { name = name, path = names.join(node.path, name), children = {}, by_name = {} }
        node.by_name[name] = child
        table.insert(node.children, child)
      end
      node = child
    end
    node.part = i
  end
  return root
end

-- The name of an exported input or output; nil for others.
local function exported_as(m, side, part, e)
  for _, x in ipairs(m[side]) do
    if x.part == part and x.entry == e then return x.name end
  end
  return nil
end

local function with_unit(text, e)
  return e.unit and text ~= "" and ("%s %s"):format(text, e.unit) or text
end

local function default_text(m, part, e)
  return with_unit(describe.default_text(m.parts[part].system, e), e)
end

local function input_text(m, part, e)
  local from = m:feeder(part, e)
  if from then return ("%s <- %s"):format(e.name, from) end
  local as = exported_as(m, "inputs", part, e)
  local value = e.required and "not connected" or default_text(m, part, e)
  return as and ("%s <- %s (exported; %s)"):format(e.name, as, value) or ("%s = %s"):format(e.name, value)
end

local function value_text(m, part, e) return ("%s = %s"):format(e.name, default_text(m, part, e)) end

local function output_text(m, part, e)
  local size = e.size > 1 and ("%s[%d]"):format(e.name, e.size) or e.name
  local as = exported_as(m, "outputs", part, e)
  return as and ("%s (exported as %s)"):format(size, as) or size
end

local texts = { inputs = input_text, outputs = output_text }

-- One line for each section: "inputs  measured <- plant.angle, target = 1 deg".
local function section_lines(m, part)
  local lines, sys = {}, m.parts[part].system
  for _, section in ipairs(variable.sections) do
    local items = names.map(sys[section.name], function(e) return (texts[section.name] or value_text)(m, part, e) end)
    if items[1] then lines[#lines + 1] = ("%-9s %s"):format(section.name, table.concat(items, ", ")) end
  end
  local events = table.concat(names.of(sys.events), ", ")
  if events ~= "" then lines[#lines + 1] = ("%-9s %s"):format("events", events) end
  return lines
end

local function add_node(m, node, out, before, last)
  local sys = node.part and m.parts[node.part].system
  local kind = sys and sys.name ~= node.name and ("  (%s)"):format(sys.name) or ""
  out[#out + 1] = before .. (last and "└─ " or "├─ ") .. node.name .. kind
  local inner = before .. (last and "   " or "│  ")
  for _, line in ipairs(node.part and section_lines(m, node.part) or {}) do out[#out + 1] = inner .. "   " .. line end
  for i, child in ipairs(node.children) do add_node(m, child, out, inner, i == #node.children) end
end

local function counted(n, what) return ("%d %s%s"):format(n, what, n == 1 and "" or "s") end

function diagram_tree.text(m)
  local out = { ("diagram %s (%s): %s, %s"):format(m.name, m.source, counted(#m.parts, "part"),
    counted(#m.connections, "connection")) }
  local root = diagram_tree.tree(m)
  for i, child in ipairs(root.children) do add_node(m, child, out, "", i == #root.children) end
  for _, path in ipairs(names.sorted_keys(m.aliases)) do
    local alias = m.aliases[path]
    if path:find("%.") then
      out[#out + 1] = ("%s is %s"):format(path, names.join(m.parts[alias.part].path, alias.entry.name))
    end
  end
  return table.concat(out, "\n")
end

return diagram_tree
