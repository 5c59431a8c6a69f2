-- Styles of what a pen draws: { colour = 2, width = 3 }, as JSON for the page.
local json = require("saltus.output.text_export").json
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local style = {}

local function is_colour(v)
  return math.type(v) == "integer" and v >= 1 and v <= 8 or v == "ink" or v == "soft"
    or type(v) == "string" and v:find "^#%x%x%x%x%x%x$" ~= nil
end

local function is_boolean(v) return type(v) == "boolean" end

local COLOURS = '1 to 8 (the colours of plots), "ink", "soft" or "#rrggbb"'

-- One table for checks, help and documentation. `of`: the commands that take it; without it, all but those in `except`.
style.options = {
  { name = "colour", check = is_colour, must = "be " .. COLOURS,
    doc = "of the line: " .. COLOURS .. '; default "ink"' },
  { name = "fill", of = { circle = true, box = true, polygon = true },
    check = function(v) return is_boolean(v) or is_colour(v) end, must = "be true, false or a colour: " .. COLOURS,
    doc = "of a circle, box or polygon: true, false, or another colour; default: a tint of the colour" },
  { name = "width", except = { text = true }, check = numerals.is_positive,
    must = "be a number of pixels greater than 0", doc = "of a line in pixels; default 2" },
  { name = "dashed", except = { text = true }, check = is_boolean, must = "be true or false",
    doc = "true: a dashed line" },
  { name = "angle", of = { box = true }, check = numerals.is_finite, must = "be a number of radians",
    doc = "of a box, in rad, counterclockwise" },
  { name = "turns", of = { spring = true }, must = "be a whole number from 1 to 100",
    check = function(v) return math.type(v) == "integer" and v >= 1 and v <= 100 end, doc = "of a spring; default 8" },
  { name = "size", of = { text = true }, check = numerals.is_positive, must = "be a number of pixels greater than 0",
    doc = "of a text in pixels; default 14" },
  { name = "align", of = { text = true }, must = 'be "left", "centre" or "right"',
    check = function(v) return v == "left" or v == "centre" or v == "right" end,
    doc = 'of a text to its point: "left", "centre" or "right"; default "left"' },
  { name = "seconds", of = { trail = true }, check = numerals.is_positive,
    must = "be a number of seconds greater than 0", doc = "how far back a trail reaches; default: to the start" },
}

local option_names = names.of(style.options)

local function check(command, given)
  names.check_keys(given, option_names, "option", "pen:" .. command)
  for _, option in ipairs(style.options) do
    local value = given[option.name]
    if value ~= nil then
      names.check(option.check(value), value, "pen:%s: %s must %s", command, option.name, option.must)
      if option.of and not option.of[command] or option.except and option.except[command] then
        names.fail("pen:%s: %s has no meaning here", command, option.name)
      end
    end
  end
end

-- The angle is no part of a style for the page: it is a number of the command.
local function to_json(given)
  local out = {}
  for _, option in ipairs(style.options) do
    local value = given[option.name]
    if value ~= nil and option.name ~= "angle" then out[#out + 1] = ('"%s":%s'):format(option.name, json(value)) end
  end
  return "{" .. table.concat(out, ",") .. "}"
end

local known = {} -- JSON by command and content; a picture has the same styles again and again

-- The JSON of a style; raises an error for one that the command cannot have.
function style.json(command, given)
  if given == nil then return "{}" end
  names.check(type(given) == "table", given, "pen:%s: the style must be a table like { colour = 2 }", command)
  local key, whole = command, true
  for name, value in pairs(given) do
    local text = type(value) == "string" and '"' .. value or tostring(value)
    if name ~= "angle" then key = key .. "," .. tostring(name) .. text end
    whole = whole and type(value) ~= "table"
  end
  if not known[key] or not whole or given.angle ~= nil then
    check(command, given)
    known[key] = to_json(given)
  end
  return known[key]
end

return style
