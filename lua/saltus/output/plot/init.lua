-- Pictures of a log: by the ending of the file, or as text for a terminal.
--
--   log:plot "ball.html"        interactive, one file that needs nothing else
--   log:plot "ball.svg"         a still picture
--   print(log:plot())           braille characters, 80 columns
--   log:plot("ball.svg", { { "height" }, { "speed", "energy" }, title = "a ball" })
--   log:plot("phase.svg", { "speed", x = "height" })        one against the other
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"
local panels = require "saltus.output.plot.panels"
local text_export = require "saltus.output.text_export"

local plot = {}

-- One table for checks, help and documentation.
plot.options = {
  { name = "path", doc = "the file, if the table is the only argument" },
  { name = "title", doc = "title above the plot" },
  { name = "width", doc = "width of the plot" },
  { name = "height", doc = "height of the plot" },
  { name = "events", doc = "false: events are not drawn" },
  { name = "x", doc = "the signal on the horizontal axis; default: time" },
}

local function check_options(given)
  for _, key in ipairs(names.sorted_keys(given)) do
    if math.type(key) ~= "integer" then
      local known, options = false, {}
      for i, option in ipairs(plot.options) do options[i], known = option.name, known or option.name == key end
      if not known then names.fail("log:plot: %s", names.unknown("option", key, options)) end
    end
  end
  if given.x ~= nil and type(given.x) ~= "string" then
    names.fail("log:plot: x must be the name of a logged signal, got %s", names.show(given.x))
  end
  for _, key in ipairs { "width", "height" } do
    local value = given[key]
    if value ~= nil and not (type(value) == "number" and value >= 20 and value < 1e5) then
      names.fail("log:plot: %s must be a number of at least 20, got %s", key, names.show(value))
    end
  end
end

local function arguments(path, given)
  if type(path) == "table" then path, given = path.path, path end
  if path ~= nil and type(path) ~= "string" then names.fail("log:plot takes a file name, got %s", names.show(path)) end
  if given ~= nil and type(given) ~= "table" then
    names.fail("log:plot takes a table of options, got %s", names.show(given))
  end
  given = given or {}
  check_options(given)
  return path, given
end

-- The picture as text; numbers have a point in every locale.
function plot.draw(kind, log, given)
  local draw = require("saltus.output.plot." .. kind).draw
  return numerals.neutral(function() return draw(panels.of(log, given), given) end)
end

function plot.plot(log, path, given)
  path, given = arguments(path, given)
  if path and not path:find "%.html?$" and not path:find "%.svg$" then
    names.fail("log:plot: the file must end in .html or .svg, got %q", path)
  end
  local kind = not path and "terminal" or path:find "%.svg$" and "svg" or "html"
  local text = plot.draw(kind, log, given)
  if not path then return text end
  text_export.to_file(path, "log:plot", function(put) put(text) end)
  return nil
end

return plot
