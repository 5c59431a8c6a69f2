-- A layered drawing of boxes and wires, if graphviz is not installed: K. Sugiyama, S. Tagawa, M. Toda, IEEE Trans.
-- SMC 11(2), 1981. Wires that close a circle are reversed for the layers. A box is one layer to the right of all its
-- sources. In a layer, boxes are sorted by the mean position of their neighbours.
local names = require "saltus.util.names"

local layered_layout = {}

local ROW, LETTER, GAP_X, GAP_Y, MARGIN, SWEEPS = 18, 7.2, 90, 26, 24, 6

-- An empty list for each box.
local function lists_of(g)
  local out = {}
  for i in ipairs(g.boxes) do out[i] = {} end
  return out
end

-- Drops the wires that close a circle. Returns an order in which all other wires go forward, and by box the list of
-- boxes to which these lead.
local function untangle(g)
  local state, order, next_of, forward = {}, {}, lists_of(g), lists_of(g)
  for _, w in ipairs(g.wires) do table.insert(next_of[w.from], w.to) end
  local function visit(box)
    if state[box] then return end
    state[box] = "open"
    for _, to in ipairs(next_of[box]) do
      if state[to] ~= "open" then table.insert(forward[box], to) end
      visit(to)
    end
    state[box] = "done"
    table.insert(order, 1, box)
  end
  for box in ipairs(g.boxes) do visit(box) end
  return order, forward
end

-- Lists of boxes, from left to right.
local function layers_of(g)
  local order, forward = untangle(g)
  local layer, layers = {}, {}
  for _, box in ipairs(order) do
    layer[box] = layer[box] or 1
    for _, to in ipairs(forward[box]) do layer[to] = math.max(layer[to] or 1, layer[box] + 1) end
  end
  for i in ipairs(g.boxes) do
    for k = #layers + 1, layer[i] do layers[k] = {} end
    table.insert(layers[layer[i]], i)
  end
  return layers
end

local function sort_layers(g, layers)
  local neighbours, place = lists_of(g), {}
  for _, w in ipairs(g.wires) do
    table.insert(neighbours[w.from], w.to)
    table.insert(neighbours[w.to], w.from)
  end
  local function set_places(layer)
    for k, box in ipairs(layer) do place[box] = k / #layer end
  end
  for _, layer in ipairs(layers) do set_places(layer) end
  local function mean(box)
    local sum = 0
    for _, other in ipairs(neighbours[box]) do sum = sum + place[other] end
    return #neighbours[box] > 0 and sum / #neighbours[box] or place[box]
  end
  for sweep = 1, SWEEPS do
    for n = 1, #layers do
      local layer, wish = layers[sweep % 2 == 1 and n or #layers + 1 - n], {}
      for _, box in ipairs(layer) do wish[box] = mean(box) end
      table.sort(layer, function(a, b)
        if wish[a] ~= wish[b] then return wish[a] < wish[b] end
        return a < b
      end)
      set_places(layer)
    end
  end
end

local function longest(list)
  local most = 0
  for _, name in ipairs(list) do most = math.max(most, #name) end
  return most
end

local function measure(box)
  box.rows = math.max(#box.inputs, #box.outputs, 1)
  box.w = box.outside and LETTER * #box.title + 16
    or math.max(LETTER * (longest(box.inputs) + longest(box.outputs) + 3), LETTER * math.max(#box.id, box.kind
      and #box.kind + 2 or 0) + 16)
  box.h = box.outside and ROW or ROW * (box.rows + (box.kind and 2 or 1)) + 8
end

-- Sets x, y, w, h of each box; returns the size of the page.
function layered_layout.place(g)
  local layers = layers_of(g)
  sort_layers(g, layers)
  for _, box in ipairs(g.boxes) do measure(box) end
  local x, tallest, heights = MARGIN, 0, {}
  for n, layer in ipairs(layers) do
    heights[n] = -GAP_Y
    for _, i in ipairs(layer) do heights[n] = heights[n] + g.boxes[i].h + GAP_Y end
    tallest = math.max(tallest, heights[n])
  end
  for n, layer in ipairs(layers) do
    local widest, y = 0, MARGIN + ROW + (tallest - heights[n]) / 2
    for _, i in ipairs(layer) do
      local box = g.boxes[i]
      box.x, box.y = x, y
      y = y + box.h + GAP_Y
      widest = math.max(widest, box.w)
    end
    x = x + widest + GAP_X
  end
  return x - GAP_X + MARGIN, tallest + 2 * MARGIN + 2 * ROW
end

-- ---- SVG ----

local STYLE = "<style>text{font:12px system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#374151}"
  .. ".title{font-weight:600}.kind{fill:#6b7280;font-size:11px}.page{fill:#fff}.box{fill:#f9fafb;stroke:#6b7280}"
  .. ".wire{fill:none;stroke:#2563eb;stroke-width:1.3}.back{stroke-dasharray:5 3}"
  .. "@media(prefers-color-scheme:dark){text{fill:#d1d5db}.page{fill:#111827}.box{fill:#1f2937;stroke:#9ca3af}"
  .. ".wire{stroke:#60a5fa}.kind{fill:#9ca3af}}</style>"

local function text(x, y, content, anchor, class)
  return ('<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>'):format(x, y, anchor,
    class and (' class="%s"'):format(class) or "", content)
end

-- The height of a port at the left or right edge of a box.
local function port_y(box, list, name)
  if box.outside then return box.y + box.h / 2 end
  return box.y + ROW * ((box.kind and 2 or 1) + names.index_of(list, name)) - ROW / 2 + 4
end

local function draw_box(box, out)
  if box.outside then
    out[#out + 1] = text(box.x + box.w / 2, box.y + box.h / 2 + 4, box.title, "middle", "title")
    return
  end
  out[#out + 1] = ('<rect class="box" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4"/>'):format(box.x, box.y,
    box.w, box.h)
  out[#out + 1] = text(box.x + box.w / 2, box.y + 14, box.id, "middle", "title")
  if box.kind then out[#out + 1] = text(box.x + box.w / 2, box.y + 14 + ROW - 3, box.kind, "middle", "kind") end
  for _, name in ipairs(box.inputs) do
    out[#out + 1] = text(box.x + 6, port_y(box, box.inputs, name) + 4, name, "start")
  end
  for _, name in ipairs(box.outputs) do
    out[#out + 1] = text(box.x + box.w - 6, port_y(box, box.outputs, name) + 4, name, "end")
  end
end

-- Below all boxes between two positions.
local function low_between(g, x0, x1)
  local low = 0
  for _, box in ipairs(g.boxes) do
    if box.x <= x1 and box.x + box.w >= x0 then low = math.max(low, box.y + box.h) end
  end
  return low + GAP_Y / 2
end

-- A wire to the left passes below all boxes between its ends.
local function draw_wire(g, w, out)
  local a, b = g.boxes[w.from], g.boxes[w.to]
  local x0, y0 = a.x + a.w, port_y(a, a.outputs, w.output)
  local x1, y1 = b.x, port_y(b, b.inputs, w.input)
  if x1 > x0 then
    local bend = (x1 - x0) / 2
    out[#out + 1] = ('<path class="wire" marker-end="url(#a)" d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f"/>'):format(
      x0, y0, x0 + bend, y0, x1 - bend, y1, x1, y1)
    return
  end
  local low = low_between(g, x1, x0)
  out[#out + 1] = ('<path class="wire back" marker-end="url(#a)" d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1fL%.1f %.1f'
    .. 'C%.1f %.1f %.1f %.1f %.1f %.1f"/>'):format(x0, y0, x0 + 30, y0, x0 + 30, low, x0 - 10, low, x1 + 10, low,
    x1 - 30, low, x1 - 30, y1, x1, y1)
end

function layered_layout.svg(g)
  local width, height = layered_layout.place(g)
  local out = { ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f">'):format(
    width, height, width, height), "<title>" .. g.name .. "</title>", STYLE,
    '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    .. '<path d="M0 0L8 4L0 8z" fill="#2563eb"/></marker></defs>',
    ('<rect class="page" width="%.0f" height="%.0f"/>'):format(width, height) }
  for _, w in ipairs(g.wires) do draw_wire(g, w, out) end
  for _, box in ipairs(g.boxes) do draw_box(box, out) end
  out[#out + 1] = "</svg>"
  return table.concat(out, "\n") .. "\n"
end

return layered_layout
