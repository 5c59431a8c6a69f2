-- The layers of a level: K. Sugiyama, S. Tagawa, M. Toda, IEEE Trans. SMC 11(2), 1981. Edges that close a circle go
-- back; all others lead to the right. A node is one layer to the right of all its sources. An edge that passes a layer
-- has a lane there, a node without size, so that it runs between boxes. In a layer, nodes are sorted by the mean
-- position of their neighbours.
--
-- Sets level.layers = { { node, ... }, ... } and level.hops = { { gap, from, from_side, to, to_side, source, port,
-- is_last, is_back }, ... }: an edge is a chain of hops, each in the gap right of a layer (0: left of the first).
local layers = {}

local SWEEPS = 8
local MANY_EDGES = 500 -- with more edges, all that pass a layer in one direction share a lane

-- By node, the nodes to which its edges lead.
local function successors(level)
  local out = {}
  for _, node in ipairs(level.nodes) do out[node] = {} end
  for _, edge in ipairs(level.edges) do table.insert(out[edge.from], edge.to) end
  return out
end

-- Nodes without sources first: there the reading begins.
local function starts(level)
  local fed, first, rest = {}, {}, {}
  for _, edge in ipairs(level.edges) do fed[edge.to] = true end
  for _, node in ipairs(level.nodes) do
    local list = (node.border == "in" or not fed[node]) and first or rest
    list[#list + 1] = node
  end
  return table.move(rest, 1, #rest, #first + 1, first)
end

-- Returns an order in which all edges but those that close a circle go forward, and the nodes to which these lead.
local function untangle(level)
  local next_of, state, order, forward = successors(level), {}, {}, {}
  local function visit(node)
    if state[node] then return end
    state[node], forward[node] = "open", {}
    for _, to in ipairs(next_of[node]) do
      if state[to] ~= "open" then table.insert(forward[node], to) end
      visit(to)
    end
    state[node] = "done"
    table.insert(order, 1, node)
  end
  for _, node in ipairs(starts(level)) do visit(node) end
  return order, forward
end

-- Sets node.layer; borders have the first and the last layer for themselves.
local function assign(level)
  local order, forward = untangle(level)
  local last, has_in = 1, false
  for _, node in ipairs(order) do has_in = has_in or node.border == "in" end
  for _, node in ipairs(order) do
    node.layer = node.border == "in" and 1 or math.max(node.layer or 1, has_in and 2 or 1)
    for _, to in ipairs(forward[node]) do to.layer = math.max(to.layer or 1, node.layer + 1) end
    if node.border ~= "out" then last = math.max(last, node.layer) end
  end
  level.layers = {}
  for _, node in ipairs(level.nodes) do
    if node.border == "out" then node.layer = last + 1 end
    for k = #level.layers + 1, node.layer do level.layers[k] = {} end
    table.insert(level.layers[node.layer], node)
  end
end

-- The lane of a source in a layer; edges from one source share it.
local function lane(level, lanes, source, layer, direction)
  local key = ("%s %d %s"):format(source, layer, direction)
  if not lanes[key] then
    lanes[key] = { lane = true, layer = layer, w = 0, h = 0 }
    table.insert(level.layers[layer], lanes[key])
  end
  return lanes[key]
end

local function add_hop(level, known, hop)
  local key = ("%d %p%s %p%s %s %s"):format(hop.gap, hop.from, hop.from_side, hop.to, hop.to_side, hop.source,
    hop.port or "")
  if known[key] then return end
  known[key] = true
  level.hops[#level.hops + 1] = hop
end

-- To the right through the layers between, or back through all layers from the source's to the target's.
local function add_hops(level, lanes, known, edge)
  local from, a, b = edge.from, edge.from.layer, edge.to.layer
  local is_back, bundle = b <= a, #level.edges > MANY_EDGES and "all" or edge.source
  local side, gap = "right", a
  local function hop(to, to_side, is_last)
    local source = from.lane and not is_last and bundle or edge.source
    add_hop(level, known, { gap = gap, from = from, from_side = side, to = to, to_side = to_side, source = source,
      port = is_last and edge.port or nil, is_last = is_last, is_back = is_back })
  end
  for layer = is_back and a or a + 1, is_back and b or b - 1, is_back and -1 or 1 do
    local passing = lane(level, lanes, bundle, layer, is_back and "back" or "on")
    hop(passing, is_back and "right" or "left", false)
    from, side, gap = passing, is_back and "left" or "right", is_back and layer - 1 or layer
  end
  hop(edge.to, "left", true)
end

local function sort(level)
  local neighbours, place = {}, {}
  local function meet(a, b)
    neighbours[a] = neighbours[a] or {}
    table.insert(neighbours[a], b)
  end
  for _, hop in ipairs(level.hops) do
    meet(hop.from, hop.to)
    meet(hop.to, hop.from)
  end
  local function set_places(layer)
    for k, node in ipairs(layer) do place[node] = (k - 0.5) / #layer end
  end
  for _, layer in ipairs(level.layers) do set_places(layer) end
  local function sort_layer(layer)
    local wish, before = {}, {}
    for k, node in ipairs(layer) do
      local sum = 0
      for _, other in ipairs(neighbours[node] or {}) do sum = sum + place[other] end
      wish[node], before[node] = neighbours[node] and sum / #neighbours[node] or place[node], k
    end
    table.sort(layer, function(a, b)
      if wish[a] ~= wish[b] then return wish[a] < wish[b] end
      return before[a] < before[b]
    end)
    set_places(layer)
  end
  for sweep = 1, SWEEPS do
    local n = #level.layers
    for k = 1, n do sort_layer(level.layers[sweep % 2 == 1 and k or n + 1 - k]) end
  end
end

function layers.arrange(level)
  level.hops = {}
  assign(level)
  local lanes, known = {}, {}
  for _, edge in ipairs(level.edges) do add_hops(level, lanes, known, edge) end
  sort(level)
end

return layers
