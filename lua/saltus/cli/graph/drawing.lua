-- The picture of a diagram without graphviz: frames, boxes and wires, as SVG. Wires run between the boxes; those that
-- lead back have dashes.
local layout = require "saltus.cli.graph.layout"
local levels = require "saltus.cli.graph.levels"
local escape = require("saltus.output.text_export").escape_html

local drawing = {}

local ROUND = 4 -- radius of corners

local STYLE = "<style>text{font:12px system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#374151}"
  .. ".title{font-weight:600}.kind{fill:#6b7280;font-size:11px}.page{fill:#fff}.box{fill:#f9fafb;stroke:#6b7280}"
  .. ".frame{fill:#64748b;fill-opacity:.06;stroke:#9ca3af;stroke-dasharray:2 2}"
  .. ".wire{fill:none;stroke:#2563eb;stroke-width:1.3}.back{stroke-dasharray:5 3}"
  .. "@media(prefers-color-scheme:dark){text{fill:#d1d5db}.page{fill:#111827}.box{fill:#1f2937;stroke:#9ca3af}"
  .. ".frame{stroke:#6b7280}.wire{stroke:#60a5fa}.kind{fill:#9ca3af}}</style>"

local function text(x, y, content, anchor, class)
  return ('<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>'):format(x, y, anchor,
    class and (' class="%s"'):format(class) or "", escape(content))
end

local function draw_box(box, out)
  if box.outside then
    out[#out + 1] = text(box.x + box.w / 2, box.y + box.h / 2 + 4, box.title, "middle", "title")
    return
  end
  out[#out + 1] = ('<rect class="box" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4"/>'):format(box.x, box.y,
    box.w, box.h)
  out[#out + 1] = text(box.x + box.w / 2, box.y + 14, box.title, "middle", "title")
  if box.kind then
    out[#out + 1] = text(box.x + box.w / 2, box.y + 11 + layout.ROW, box.kind, "middle", "kind")
  end
  for _, name in ipairs(box.inputs) do
    out[#out + 1] = text(box.x + 6, box.y + layout.port_offset(box, box.inputs, name) + 4, name, "start")
  end
  for _, name in ipairs(box.outputs) do
    out[#out + 1] = text(box.x + box.w - 6, box.y + layout.port_offset(box, box.outputs, name) + 4, name, "end")
  end
end

-- A path through points at right angles, with round corners.
local function path_of(points)
  local out = { ("M%.1f %.1f"):format(points[1][1], points[1][2]) }
  for i = 2, #points - 1 do
    local a, p, b = points[i - 1], points[i], points[i + 1]
    local before, after = math.abs(p[1] - a[1]) + math.abs(p[2] - a[2]), math.abs(b[1] - p[1]) + math.abs(b[2] - p[2])
    local r = math.min(ROUND, before / 2, after / 2)
    if r > 0.2 then
      out[#out + 1] = ("L%.1f %.1fQ%.1f %.1f %.1f %.1f"):format(p[1] + (a[1] - p[1]) / before * r,
        p[2] + (a[2] - p[2]) / before * r, p[1], p[2], p[1] + (b[1] - p[1]) / after * r,
        p[2] + (b[2] - p[2]) / after * r)
    end
  end
  out[#out + 1] = ("L%.1f %.1f"):format(points[#points][1], points[#points][2])
  return table.concat(out)
end

local function wire(points, hop)
  local arrow = hop.is_last and hop.to.box and ' marker-end="url(#a)"' or ""
  return ('<path class="wire%s"%s d="%s"/>'):format(hop.is_back and " back" or "", arrow, path_of(points))
end

-- The points of a hop; one that begins at a lane first passes the layer of the lane.
function drawing.points(hop)
  local from, points = hop.from, hop.points
  if not from.lane then return points end
  return { { hop.from_side == "right" and from.left or from.right, points[1][2] }, table.unpack(points) }
end

local function draw_wires(level, out)
  for _, hop in ipairs(level.hops) do out[#out + 1] = wire(drawing.points(hop), hop) end
end

local function draw_level(level, out, is_inside)
  if is_inside then
    out[#out + 1] = ('<rect class="frame" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6"/>'):format(level.x,
      level.y, level.w, level.h)
    out[#out + 1] = text(level.x + 10, level.y + 16, level.name, "start", "title")
  end
  draw_wires(level, out)
  for _, node in ipairs(level.nodes) do
    if node.box then draw_box(node.box, out) end
    if node.level then draw_level(node.level, out, true) end
  end
end

-- Sets x, y, w, h of all boxes; returns the outermost level.
function drawing.place(g)
  local root = levels.of(g)
  layout.place(root)
  return root
end

function drawing.svg(g)
  local root = drawing.place(g)
  local out = { ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" '):format(
    root.w, root.h, root.w, root.h) .. 'role="img">', "<title>" .. escape(g.name) .. "</title>", STYLE,
    '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    .. '<path d="M0 0L8 4L0 8z" fill="#2563eb"/></marker></defs>',
    ('<rect class="page" width="%.0f" height="%.0f"/>'):format(root.w, root.h) }
  draw_level(root, out, false)
  out[#out + 1] = "</svg>"
  return table.concat(out, "\n") .. "\n"
end

return drawing
