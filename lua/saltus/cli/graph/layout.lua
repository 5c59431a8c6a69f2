-- Places the nodes of all levels: the levels inside first, as nodes of their size; in a level the heights, then the
-- tracks of the wires in the gaps between layers, then the columns. Sets x, y, w, h of nodes and boxes, and of each hop
-- its points.
local layers = require "saltus.cli.graph.layers"
local names = require "saltus.util.names"

local layout = {}

local ROW, LETTER, APART, TRACK, GAP, MARGIN, SWEEPS = 18, 7.2, 22, 9, 26, 18, 8
layout.ROW = ROW

local function longest(list)
  local most = 0
  for _, name in ipairs(list) do most = math.max(most, utf8.len(name) or #name) end
  return most
end

local function measure_box(box)
  local rows = math.max(#box.inputs, #box.outputs, 1)
  if box.outside then
    box.w, box.h = LETTER * #box.title + 16, ROW
    return
  end
  local title = math.max(#box.title, box.kind and #box.kind + 2 or 0)
  box.w = math.max(LETTER * (longest(box.inputs) + longest(box.outputs) + 3), LETTER * title + 16)
  box.h = ROW * (rows + (box.kind and 2 or 1)) + 8
end

-- The height of a port over the top of its box.
local function port_offset(box, list, name)
  if box.outside then return box.h / 2 end
  return ROW * ((box.kind and 2 or 1) + names.index_of(list, name)) - ROW / 2 + 4
end

-- The height of an edge's end over the top of a node.
local function offset(node, side, hop)
  if node.box and side == "right" then return port_offset(node.box, node.box.outputs, hop.source:match "%.(.*)$") end
  if node.box then return port_offset(node.box, node.box.inputs, hop.port:match "^input (.*)$") end
  return node.level and node.level.ports[(side == "left" and "in" or "out") .. hop.source] or 0
end

local function end_y(node, side, hop) return node.y + offset(node, side, hop) end

-- ---- heights ----

local function distance(a, b) return a.lane and b.lane and TRACK or (a.lane or b.lane) and ROW - 4 or APART end

-- Moves nodes of a layer to their wishes as far as their order and distances allow.
local function settle(layer, wish)
  local y
  for k, node in ipairs(layer) do
    y = k == 1 and wish[node] or math.max(wish[node], y + layer[k - 1].h + distance(layer[k - 1], node))
    node.y = y
  end
  for k = #layer - 1, 1, -1 do -- those that were pushed down push the ones above them half the way up
    local most = layer[k + 1].y - layer[k].h - distance(layer[k], layer[k + 1])
    layer[k].y = math.min(layer[k].y, most)
  end
end

-- The mean height at which the other ends of a node's hops would have it.
local function wish_of(level, node)
  local sum, n = 0, 0
  local function add(hop, side, other, other_side)
    sum, n = sum + end_y(other, other_side, hop) - offset(node, side, hop), n + 1
  end
  for _, hop in ipairs(level.hops_of[node]) do
    if hop.from == node then add(hop, hop.from_side, hop.to, hop.to_side) end
    if hop.to == node then add(hop, hop.to_side, hop.from, hop.from_side) end
  end
  return n > 0 and sum / n or node.y
end

local function stack(layer)
  local y = 0
  for k, node in ipairs(layer) do
    node.y = k == 1 and 0 or y + distance(layer[k - 1], node)
    y = node.y + node.h
  end
end

-- Keeps the middle of a layer where its wishes have it, so that none of its nodes is favoured.
local function sweep(level, layer)
  local wish, shift = {}, 0
  for _, node in ipairs(layer) do wish[node] = wish_of(level, node) end
  settle(layer, wish)
  for _, node in ipairs(layer) do shift = shift + wish[node] - node.y end
  for _, node in ipairs(layer) do node.y = node.y + shift / #layer end
end

-- Lanes and borders stand at the height of the end before them, where there is room: wires without small steps.
local function straighten(level, layer)
  for k, node in ipairs(layer) do
    local above, below = layer[k - 1], layer[k + 1]
    for _, hop in ipairs(node.h == 0 and level.hops_of[node] or {}) do
      local y = hop.to == node and end_y(hop.from, hop.from_side, hop)
        or hop.from == node and node.border == "in" and end_y(hop.to, hop.to_side, hop)
      local fits = y and (not above or y >= above.y + above.h + distance(above, node))
        and (not below or y <= below.y - distance(node, below))
      if fits then node.y = y end
    end
  end
end

local function index_hops(level)
  level.hops_of = {}
  for _, layer in ipairs(level.layers) do
    for _, node in ipairs(layer) do level.hops_of[node] = {} end
  end
  for _, hop in ipairs(level.hops) do
    table.insert(level.hops_of[hop.from], hop)
    if hop.to ~= hop.from then table.insert(level.hops_of[hop.to], hop) end
  end
end

local function place_rows(level)
  index_hops(level)
  for _, layer in ipairs(level.layers) do stack(layer) end
  local n = #level.layers
  for pass = 1, SWEEPS do
    for k = 1, n do sweep(level, level.layers[pass % 2 == 1 and k or n + 1 - k]) end
  end
  for pass = 1, 2 * n do straighten(level, level.layers[pass <= n and pass or 2 * n + 1 - pass]) end
  local top, bottom = math.huge, -math.huge
  for _, layer in ipairs(level.layers) do
    for _, node in ipairs(layer) do top, bottom = math.min(top, node.y), math.max(bottom, node.y + node.h) end
  end
  local above = MARGIN + ROW
  for _, layer in ipairs(level.layers) do
    for _, node in ipairs(layer) do node.y = math.floor(node.y - top + above + 0.5) end
  end
  level.h = bottom - top + above + MARGIN
end

-- ---- tracks and columns ----

-- One vertical track in a gap for each source that changes its height there; sources whose pieces do not meet share.
local function place_tracks(level)
  local gaps = {}
  for k = 0, #level.layers do gaps[k] = { pieces = {}, of = {}, count = 0 } end
  for _, hop in ipairs(level.hops) do
    local gap, key = gaps[hop.gap], hop.source .. (hop.is_back and " back" or "")
    local y0, y1 = end_y(hop.from, hop.from_side, hop), end_y(hop.to, hop.to_side, hop)
    hop.y0, hop.y1, hop.piece = y0, y1, gap.of[key]
    if not hop.piece then
      hop.piece = { low = y0, high = y0 }
      gap.of[key], gap.pieces[#gap.pieces + 1] = hop.piece, hop.piece
    end
    hop.piece.low, hop.piece.high = math.min(hop.piece.low, y0, y1), math.max(hop.piece.high, y0, y1)
  end
  for _, gap in pairs(gaps) do
    table.sort(gap.pieces, function(a, b) return a.low < b.low end)
    local ends = {}
    for _, piece in ipairs(gap.pieces) do
      local track = 1
      while ends[track] and ends[track] + 4 > piece.low do track = track + 1 end
      ends[track], piece.track = piece.high, track
      gap.count = math.max(gap.count, track)
    end
  end
  return gaps
end

local function place_columns(level)
  local gaps, x = place_tracks(level), 0
  local function pass_gap(gap)
    for _, piece in ipairs(gap.pieces) do piece.x = x + GAP / 2 + TRACK * (piece.track - 1) end
    if gap.count > 0 then x = x + GAP + TRACK * (gap.count - 1) end
  end
  if gaps[0].count == 0 then x = MARGIN end
  pass_gap(gaps[0])
  for k, layer in ipairs(level.layers) do
    local widest, is_border = 0, layer[1] and layer[1].border
    for _, node in ipairs(layer) do widest = math.max(widest, node.w) end
    for _, node in ipairs(layer) do
      node.left, node.right = x, x + (node.lane and widest or node.w)
      node.x = x
    end
    x = x + widest
    if gaps[k].count == 0 and not is_border then x = x + MARGIN end
    pass_gap(gaps[k])
  end
  level.w = x
end

local function points_of(hop)
  local x0 = hop.from_side == "right" and hop.from.right or hop.from.left
  local x1 = hop.to_side == "right" and hop.to.right or hop.to.left
  return { { x0, hop.y0 }, { hop.piece.x, hop.y0 }, { hop.piece.x, hop.y1 }, { x1, hop.y1 } }
end

-- Borders are at the edges of a level.
local function place_borders(level)
  level.ports = {}
  for _, node in ipairs(level.nodes) do
    if node.border then
      level.ports[node.border .. node.source] = node.y
      node.left = node.border == "in" and 0 or level.w
      node.right = node.left
    end
  end
  for _, hop in ipairs(level.hops) do hop.points = points_of(hop) end
end

local function place(level)
  for _, node in ipairs(level.nodes) do
    if node.level then
      place(node.level)
      node.w, node.h = math.max(node.level.w, LETTER * #node.level.name + 24), node.level.h
      node.level.w = node.w
      place_borders(node.level)
    elseif node.box then
      measure_box(node.box)
      node.w, node.h = node.box.w, node.box.h
    else
      node.w, node.h = 0, 0
    end
  end
  layers.arrange(level)
  place_rows(level)
  place_columns(level)
  place_borders(level)
end

-- From the coordinates of each level to those of the picture.
local function move(level, x, y)
  level.x, level.y = x, y
  for _, hop in ipairs(level.hops) do
    for _, point in ipairs(hop.points) do point[1], point[2] = point[1] + x, point[2] + y end
  end
  for _, layer in ipairs(level.layers) do
    for _, node in ipairs(layer) do
      node.x, node.y, node.left, node.right = node.x + x, node.y + y, node.left + x, node.right + x
      if node.box then node.box.x, node.box.y = node.x, node.y end
      if node.level then move(node.level, node.x, node.y) end
    end
  end
end

-- Places the outermost level and all others; returns the size of the picture.
function layout.place(root)
  place(root)
  move(root, 0, 0)
  return root.w, root.h
end

layout.port_offset = port_offset

return layout
