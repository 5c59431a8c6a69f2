-- The connections of a model as a picture: DOT for graphviz, and SVG. Nested diagrams are boxes around their parts.
local files = require "saltus.util.files"
local numerals = require "saltus.util.numerals"
local diagram_tree = require "saltus.model.diagram_tree"

local wiring_graph = {}

-- { inputs = names, outputs = names } of a part: all inputs, all outputs, and the states that are connected.
local function ports_of(m, part)
  local sys, ports, seen = m.parts[part].system, { inputs = {}, outputs = {} }, {}
  local function add(list, e)
    if seen[e] then return end
    seen[e] = true
    list[#list + 1] = e.name
  end
  for _, e in ipairs(sys.inputs) do add(ports.inputs, e) end
  for _, e in ipairs(sys.outputs) do add(ports.outputs, e) end
  for _, c in ipairs(m.connections) do
    if c.from == part then add(ports.outputs, c.port) end
  end
  for _, x in ipairs(m.outputs) do
    if x.part == part then add(ports.outputs, x.entry) end
  end
  return ports
end

-- Returns boxes = { { id =, title =, kind =, inputs =, outputs = } }, the parts first, then the exports
-- of the model; wires = { { from = box, output = name, to = box, input = name } }.
function wiring_graph.of(m)
  local boxes, wires = {}, {}
  for i, part in ipairs(m.parts) do
    local title = m:part_name(i):match "[^.]+$"
    local kind = part.system.name ~= title and part.system.name or part.system.block or nil
    local ports = ports_of(m, i)
    boxes[i] = { id = m:part_name(i), title = title, kind = kind, inputs = ports.inputs, outputs = ports.outputs }
  end
  for _, c in ipairs(m.connections) do
    wires[#wires + 1] = { from = c.from, output = c.port.name, to = c.to, input = c.input.name }
  end
  for _, x in ipairs(m.inputs) do
    boxes[#boxes + 1] = { id = x.name, title = x.name, outside = true, inputs = {}, outputs = { x.name } }
    wires[#wires + 1] = { from = #boxes, output = x.name, to = x.part, input = x.entry.name }
  end
  for _, x in ipairs(m.outputs) do
    boxes[#boxes + 1] = { id = x.name, title = x.name, outside = true, inputs = { x.name }, outputs = {} }
    wires[#wires + 1] = { from = x.part, output = x.entry.name, to = #boxes, input = x.name }
  end
  return { name = m.name, boxes = boxes, wires = wires, tree = diagram_tree.tree(m) }
end

-- ---- DOT ----

local function fields(letter, list)
  local out = {}
  for i, name in ipairs(list) do out[i] = ("<%s_%s> %s"):format(letter, name, name) end
  return "{" .. table.concat(out, "|") .. "}"
end

local function label(box)
  local columns = {}
  if box.inputs[1] then columns[#columns + 1] = fields("i", box.inputs) end
  columns[#columns + 1] = box.kind and ("%s\\n(%s)"):format(box.title, box.kind) or box.title
  if box.outputs[1] then columns[#columns + 1] = fields("o", box.outputs) end
  return "{" .. table.concat(columns, "|") .. "}"
end

local function dot_node(box, indent)
  if box.outside then return ('%s"%s" [shape=plaintext, label="%s"];'):format(indent, box.id, box.title) end
  return ('%s"%s" [label="%s"];'):format(indent, box.id, label(box))
end

local function dot_tree(g, node, lines, indent)
  for _, child in ipairs(node.children) do
    if child.part then
      lines[#lines + 1] = dot_node(g.boxes[child.part], indent)
    else
      lines[#lines + 1] = ('%ssubgraph "cluster_%s" {'):format(indent, child.path)
      lines[#lines + 1] = ('%s  label="%s";'):format(indent, child.name)
      dot_tree(g, child, lines, indent .. "  ")
      lines[#lines + 1] = indent .. "}"
    end
  end
end

-- Wires leave on the right and arrive on the left.
local function dot_end(box, letter, port)
  if box.outside then return ('"%s"'):format(box.id) end
  return ('"%s":"%s_%s":%s'):format(box.id, letter, port, letter == "o" and "e" or "w")
end

function wiring_graph.dot(m)
  local g = wiring_graph.of(m)
  local lines = { ('digraph "%s" {'):format(g.name), "  rankdir=LR;", "  node [shape=record, fontname=\"sans-serif\"];",
    "  graph [fontname=\"sans-serif\"];" }
  dot_tree(g, g.tree, lines, "  ")
  if #g.tree.children == 0 then lines[#lines + 1] = dot_node(g.boxes[1], "  ") end
  for i = #m.parts + 1, #g.boxes do lines[#lines + 1] = dot_node(g.boxes[i], "  ") end
  for _, w in ipairs(g.wires) do
    lines[#lines + 1] = ("  %s -> %s;"):format(dot_end(g.boxes[w.from], "o", w.output),
      dot_end(g.boxes[w.to], "i", w.input))
  end
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n") .. "\n"
end

-- ---- SVG ----

local function quote(path) return "'" .. path:gsub("'", "'\\''") .. "'" end

-- The SVG of graphviz; nil if it is not installed.
local function svg_by_graphviz(dot_path)
  local pipe = files.popen("dot -Tsvg " .. quote(dot_path) .. " 2>/dev/null")
  local text = pipe and pipe:read "a"
  return pipe and pipe:close() and text ~= "" and text or nil
end

local function write(path, text)
  require("saltus.util.whole_file").write(path, "graph", function(put) put(text) end)
end

-- Writes both files; returns the name of the program that made the layout.
function wiring_graph.write(m, dot_path, svg_path)
  write(dot_path, wiring_graph.dot(m))
  local svg = svg_by_graphviz(dot_path)
  write(svg_path, svg or numerals.neutral(require("saltus.cli.graph.drawing").svg, wiring_graph.of(m)))
  return svg and "graphviz" or "saltus"
end

return wiring_graph
