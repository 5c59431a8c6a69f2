-- The levels of a diagram: each diagram inside is one node of the level around it. A wire between parts of different
-- diagrams is one edge on each level that it passes; it enters and leaves a diagram at its border.
--
--   level = { name, nodes = { node, ... }, edges = { { from = node, to = node, port, source }, ... } }
--   node = { box = one of wiring_graph.of } | { level = a diagram inside } | { border = "in" | "out", source }
--
-- `source` names the output that feeds an edge; `port` the input where it ends, or the source, if that is a border.
local levels = {}

local function new_level(name) return { name = name, nodes = {}, edges = {}, borders = {}, known = {} } end

local function add(level, node)
  level.nodes[#level.nodes + 1] = node
  return node
end

-- Fills a level with the parts of a tree. way_to[box] becomes { { level, node }, ... }, from the outermost level.
local function fill(level, tree, boxes, way, way_to)
  for _, child in ipairs(tree.children) do
    local inner = not child.part and new_level(child.name)
    local node = add(level, inner and { level = inner } or { box = boxes[child.part] })
    local path = table.move(way, 1, #way, 1, {})
    path[#path + 1] = { level = level, node = node }
    if inner then fill(inner, child, boxes, path, way_to) else way_to[boxes[child.part]] = path end
  end
end

local function border(level, side, source)
  local key = side .. source
  level.borders[key] = level.borders[key] or add(level, { border = side, source = source })
  return level.borders[key]
end

local function connect(level, from, to, port, source)
  local key = ("%p %p %s %s"):format(from, to, port, source)
  if level.known[key] then return end
  level.known[key] = true
  level.edges[#level.edges + 1] = { from = from, to = to, port = port, source = source }
end

local function add_wire(w, boxes, way_to)
  local a, b = way_to[boxes[w.from]], way_to[boxes[w.to]]
  local source, common = w.from .. "." .. w.output, 1
  while common < #a and common < #b and a[common].node == b[common].node do common = common + 1 end
  for k = common + 1, #a do connect(a[k].level, a[k].node, border(a[k].level, "out", source), source, source) end
  for k = common, #b do
    local level = b[k].level
    connect(level, k == common and a[k].node or border(level, "in", source), b[k].node,
      k == #b and "input " .. w.input or source, source)
  end
end

-- The outermost level of a graph (wiring_graph.of).
function levels.of(g)
  local root, way_to = new_level(g.name), {}
  fill(root, g.tree, g.boxes, {}, way_to)
  for _, box in ipairs(g.boxes) do
    if not way_to[box] then way_to[box] = { { level = root, node = add(root, { box = box }) } } end
  end
  for _, w in ipairs(g.wires) do add_wire(w, g.boxes, way_to) end
  return root
end

return levels
