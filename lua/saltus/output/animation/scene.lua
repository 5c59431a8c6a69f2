-- What draws a model: the `draw` of its systems, in the order of its parts, then that of the scenario. Each gets the
-- context of its part.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local pen = require "saltus.output.animation.pen"

local scene = {}

local Scene = {}
Scene.__index = Scene

local LARGEST, LEAST = 1e100, 1e-9 -- side of a view; its width and height, relative to the sides

scene.view_fields = { "left", "right", "bottom", "top" }

-- The world rectangle that is shown; sides that are not given are found from what is drawn.
function scene.check_view(view, what)
  names.check_type(view, "table", "%s: view must be a table like { left = -1, right = 1, bottom = 0, top = 1 }", what)
  if view == nil then return nil end
  names.check_keys(view, scene.view_fields, "side", what .. ": view")
  for key, value in pairs(view) do
    names.check(numerals.is_finite(value), value, "%s: view: %s must be a finite number", what, key)
    names.check(math.abs(value) <= LARGEST, value, "%s: view: %s must be at most 1e100 in size", what, key)
  end
  for _, pair in ipairs { { "left", "right" }, { "bottom", "top" } } do
    local low, high = view[pair[1]], view[pair[2]]
    names.fail_if(low and high and low >= high, "%s: view: %s must be less than %s, got %s and %s", what, pair[1],
      pair[2], names.show(low), names.show(high))
    names.fail_if(low and high and high - low < LEAST * math.max(math.abs(low), math.abs(high), 1 / LARGEST),
      "%s: view: %s and %s are too close, %s and %s", what, pair[1], pair[2],
      numerals.shortest(low), numerals.shortest(high))
  end
  return view
end

-- Returns the scene of a model; nil if nothing draws. `draw`, `view`: those of the scenario.
function scene.of(model, draw, view)
  local painters = {}
  for _, part in ipairs(model.parts) do
    if part.system.draw then painters[#painters + 1] = { path = part.path, draw = part.system.draw } end
  end
  if draw then painters[#painters + 1] = { path = "", draw = draw } end
  return painters[1] and setmetatable({ painters = painters, view = view }, Scene)
end

-- Returns the picture of a context, a list of the pen's commands.
function Scene:picture(ctx)
  local hand = pen.new()
  for _, painter in ipairs(self.painters) do
    local ok, wrong = pcall(painter.draw, painter.path == "" and ctx or ctx[painter.path], hand)
    if not ok then
      if type(wrong) ~= "string" then error(wrong, 0) end
      error(numerals.format("%s (draw at t = %t)", wrong, ctx.time), 0)
    end
  end
  return hand.commands
end

return scene
