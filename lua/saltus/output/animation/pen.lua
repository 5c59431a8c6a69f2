-- The pen of `draw = function(ctx, pen)`: it writes down what is drawn, in world units, as a list of commands:
-- { op, style, x1, y1, ..., text = }; `style` is JSON. player.js has the meaning of each.
--
--   pen:line(0, 0, 1, 0, { colour = 2, width = 3 })
local json = require("saltus.output.text_export").json
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local pen = {}

local Pen = { __name = "saltus.pen" }
Pen.__index = Pen

-- One table for checks, help and documentation.
pen.methods = {
  { "line(x1, y1, x2, y2, style)", "a straight line" },
  { "circle(x, y, radius, style)", "a circle around (x, y)" },
  { "box(x, y, width, height, style)", "a rectangle with its centre at (x, y), turned by `angle`" },
  { "polygon(points, style)", "a closed figure: { { x, y }, { x, y }, ... }" },
  { "spring(x1, y1, x2, y2, style)", "a coil spring between two points" },
  { "text(x, y, text, style)", "a line of text at (x, y)" },
  { "trail(x, y, style)", "the way that this point has come; the n-th trail of a picture continues the n-th before" },
}

local function is_colour(v)
  return math.type(v) == "integer" and v >= 1 and v <= 8 or v == "ink" or v == "soft"
    or type(v) == "string" and v:find "^#%x%x%x%x%x%x$" ~= nil
end

local COLOURS = '1 to 8 (the colours of plots), "ink", "soft" or "#rrggbb"'
local filled, lined = { circle = true, box = true, polygon = true }, { text = false }

-- `of`: the operations that take it; without it, all.
pen.style = {
  { name = "colour", check = is_colour, doc = "of the line: " .. COLOURS .. '; default "ink"',
    must = "be " .. COLOURS },
  { name = "fill", of = filled, must = "be true, false or a colour: " .. COLOURS,
    check = function(v) return type(v) == "boolean" or is_colour(v) end,
    doc = "of a circle, box or polygon: true, false, or another colour; default: a tint of the colour" },
  { name = "width", except = lined, must = "be a number of pixels greater than 0", check = numerals.is_positive,
    doc = "of a line in pixels; default 2" },
  { name = "dashed", must = "be true or false", check = function(v) return type(v) == "boolean" end,
    doc = "true: a dashed line" },
  { name = "angle", of = { box = true }, must = "be a number of radians", check = numerals.is_finite,
    doc = "of a box, in rad, counterclockwise" },
  { name = "turns", of = { spring = true }, must = "be a whole number from 1 to 100",
    check = function(v) return math.type(v) == "integer" and v >= 1 and v <= 100 end, doc = "of a spring; default 8" },
  { name = "size", of = { text = true }, must = "be a number of pixels greater than 0", check = numerals.is_positive,
    doc = "of a text in pixels; default 14" },
  { name = "align", of = { text = true }, must = 'be "left", "centre" or "right"',
    check = function(v) return v == "left" or v == "centre" or v == "right" end,
    doc = 'of a text to its point: "left", "centre" or "right"; default "left"' },
  { name = "seconds", of = { trail = true }, must = "be a number of seconds greater than 0",
    check = numerals.is_positive, doc = "how far back a trail reaches; default: to the start" },
}

local option_names = names.of(pen.style)

local function check_style(op, style)
  names.check(type(style) == "table", style, "pen:%s: the style must be a table like { colour = 2 }", op)
  names.check_keys(style, option_names, "option", "pen:" .. op)
  for _, option in ipairs(pen.style) do
    local value = style[option.name]
    if value ~= nil then
      names.check(option.check(value), value, "pen:%s: %s must %s", op, option.name, option.must)
      if option.of and not option.of[op] or option.except and option.except[op] == false then
        names.fail("pen:%s: %s has no meaning here", op, option.name)
      end
    end
  end
end

-- A style as JSON, without the angle, which is a number of the command.
local function style_json(op, style)
  if style == nil then return "{}" end
  check_style(op, style)
  local out = {}
  for _, option in ipairs(pen.style) do
    local value = style[option.name]
    if value ~= nil and option.name ~= "angle" then out[#out + 1] = ('"%s":%s'):format(option.name, json(value)) end
  end
  return "{" .. table.concat(out, ",") .. "}"
end

local function check_numbers(op, words, numbers)
  for i, word in ipairs(words) do
    names.check(numerals.is_finite(numbers[i]), numbers[i], "pen:%s: %s must be a finite number", op, word)
  end
end

local function add(self, op, style, numbers)
  numbers.op, numbers.style = op, style_json(op, style)
  self.commands[#self.commands + 1] = numbers
  return numbers
end

function pen.new() return setmetatable({ commands = {} }, Pen) end

function Pen:line(x1, y1, x2, y2, style)
  local numbers = { x1, y1, x2, y2 }
  check_numbers("line", { "x1", "y1", "x2", "y2" }, numbers)
  add(self, "line", style, numbers)
end

function Pen:circle(x, y, radius, style)
  local numbers = { x, y, radius }
  check_numbers("circle", { "x", "y", "radius" }, numbers)
  names.check(radius >= 0, radius, "pen:circle: radius must not be negative")
  add(self, "circle", style, numbers)
end

function Pen:box(x, y, width, height, style)
  local numbers = { x, y, width, height, type(style) == "table" and style.angle or 0 }
  check_numbers("box", { "x", "y", "width", "height" }, numbers)
  add(self, "box", style, numbers)
end

function Pen:polygon(points, style)
  names.check(type(points) == "table" and #points >= 2, points,
    "pen:polygon takes points, { { x, y }, { x, y }, ... }")
  local numbers = {}
  for i, point in ipairs(points) do
    names.check(type(point) == "table", point, "pen:polygon: point %d must be { x, y }", i)
    check_numbers("polygon", { ("x of point %d"):format(i), ("y of point %d"):format(i) }, point)
    numbers[2 * i - 1], numbers[2 * i] = point[1], point[2]
  end
  add(self, "polygon", style, numbers)
end

function Pen:spring(x1, y1, x2, y2, style)
  local numbers = { x1, y1, x2, y2 }
  check_numbers("spring", { "x1", "y1", "x2", "y2" }, numbers)
  add(self, "spring", style, numbers)
end

function Pen:text(x, y, text, style)
  local numbers = { x, y }
  check_numbers("text", { "x", "y" }, numbers)
  names.check(type(text) == "string" or type(text) == "number", text, "pen:text: the text must be a string or a number")
  add(self, "text", style, numbers).text = numerals.text(text)
end

function Pen:trail(x, y, style)
  local numbers = { x, y }
  check_numbers("trail", { "x", "y" }, numbers)
  add(self, "trail", style, numbers)
end

names.with_colon(Pen, Pen.__name)

return pen
