-- The pen of `draw = function(ctx, pen)`: it writes down what is drawn, in world units, as a list of commands:
-- { op, style, x1, y1, ..., text = }; `style` is JSON. painter.js has the meaning of each.
--
--   pen:line(0, 0, 1, 0, { colour = 2, width = 3 })
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local style_json = require("saltus.output.animation.style").json

local pen = {}

local Pen = { __name = "saltus.pen" }
Pen.__index = Pen

-- One table for help and documentation.
pen.methods = {
  { "line(x1, y1, x2, y2, style)", "a straight line" },
  { "circle(x, y, radius, style)", "a circle around (x, y)" },
  { "box(x, y, width, height, style)", "a rectangle with its centre at (x, y), turned by `angle`" },
  { "polygon(points, style)", "a closed figure: { { x, y }, { x, y }, ... }" },
  { "spring(x1, y1, x2, y2, style)", "a coil spring between two points" },
  { "text(x, y, text, style)", "a line of text at (x, y)" },
  { "trail(x, y, style)", "the way that this point has come; the n-th trail of a picture continues the n-th before" },
}

setmetatable(Pen, { __index = function(_, key)
  local known = {}
  for i, method in ipairs(pen.methods) do known[i] = method[1]:match "^%l+" end
  return names.fail_unknown("method %s of the pen", key, known)
end })

local MOST_NUMBERS = 100000 -- in one picture
local LARGEST = 1e100 -- number; the page squares them

function pen.new() return setmetatable({ commands = {}, count = 0 }, Pen) end

local function fail_number(number, op, word)
  names.check(numerals.is_finite(number), number, "pen:%s: %s must be a finite number", op, word)
  names.check(false, number, "pen:%s: %s must be at most 1e100 in size", op, word)
end

-- Adds a command of `count` numbers; `words` are their names, for errors.
local function add(self, op, words, style, numbers, count)
  count = count or #words
  for i = 1, count do
    local number = numbers[i]
    if not (math.type(number) and number >= -LARGEST and number <= LARGEST) then fail_number(number, op, words[i]) end
  end
  self.count = self.count + count
  names.fail_if(self.count > MOST_NUMBERS, "pen:%s: a picture can have %d numbers; draw less", op, MOST_NUMBERS)
  numbers.op, numbers.style = op, style_json(op, style)
  self.commands[#self.commands + 1] = numbers
  return numbers
end

local point, two_points, disc, frame = { "x", "y" }, { "x1", "y1", "x2", "y2" }, { "x", "y", "radius" },
  { "x", "y", "width", "height" }

function Pen:line(x1, y1, x2, y2, style) add(self, "line", two_points, style, { x1, y1, x2, y2 }) end

function Pen:spring(x1, y1, x2, y2, style) add(self, "spring", two_points, style, { x1, y1, x2, y2 }) end

function Pen:trail(x, y, style) add(self, "trail", point, style, { x, y }) end

function Pen:circle(x, y, radius, style)
  add(self, "circle", disc, style, { x, y, radius })
  names.check(radius >= 0, radius, "pen:circle: radius must not be negative")
end

function Pen:box(x, y, width, height, style)
  add(self, "box", frame, style, { x, y, width, height, type(style) == "table" and style.angle or 0 })
end

local corners = setmetatable({}, { __index = function(_, i)
  return ("%s of point %d"):format(i % 2 == 1 and "x" or "y", (i + 1) // 2)
end })

function Pen:polygon(points, style)
  names.check(type(points) == "table" and #points >= 2, points,
    "pen:polygon takes points, { { x, y }, { x, y }, ... }")
  local numbers = {}
  for i, corner in ipairs(points) do
    names.check(type(corner) == "table", corner, "pen:polygon: point %d must be { x, y }", i)
    numbers[2 * i - 1], numbers[2 * i] = corner[1], corner[2]
  end
  add(self, "polygon", corners, style, numbers, 2 * #points)
end

function Pen:text(x, y, text, style)
  names.check(type(text) == "string" or type(text) == "number", text, "pen:text: the text must be a string or a number")
  add(self, "text", point, style, { x, y }).text = numerals.text(text)
end

names.with_colon(Pen, Pen.__name)

return pen
