-- Plots of a log: the ending of the file chooses the kind; without a file, text for a terminal.
--
--   log:plot "ball.html"        interactive, one file that needs nothing else
--   log:plot "ball.svg"         a still picture
--   print(log:plot())           braille characters, 80 columns
--   log:plot("ball.svg", { { "height" }, { "speed", "energy" }, title = "a ball" })
--   log:plot("phase.svg", { "speed", x = "height" })        one against the other
--   log:plot("decay.svg", { log = "y" })                    a logarithmic axis
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local panels = require "saltus.output.plot.panels"
local whole_file = require "saltus.util.whole_file"

local plot = {}

-- One table for checks, help and documentation.
plot.options = {
  { name = "path", doc = "the file, if the table is the only argument" },
  { name = "title", doc = "title above the plot" },
  { name = "width", doc = "width of the plot" },
  { name = "height", doc = "height of the plot" },
  { name = "events", doc = "false: events are not drawn" },
  { name = "x", doc = "the signal on the horizontal axis; default: time" },
  { name = "log", doc = "logarithmic axes: \"x\", \"y\" or \"xy\"; values that are not greater than 0 are not drawn" },
}

local log_axes = { x = true, y = true, xy = true, yx = true }

local function check_options(given)
  local named = {}
  for key, value in pairs(given) do
    if math.type(key) ~= "integer" then named[key] = value end
  end
  names.check_keys(named, names.of(plot.options), "option", "log:plot")
  names.check_type(given.x, "string", "log:plot: x must be the name of a logged signal")
  names.check(given.log == nil or log_axes[given.log], given.log, 'log:plot: log must be "x", "y" or "xy"')
  for _, key in ipairs { "width", "height" } do
    local value = given[key]
    names.check(value == nil or type(value) == "number" and value >= 20 and value < 1e5, value,
      "log:plot: %s must be a number of at least 20", key)
  end
end

local function arguments(path, given)
  if type(path) == "table" then path, given = path.path, path end
  names.check_type(path, "string", "log:plot takes a file name")
  given = given == nil and {} or given
  names.check(type(given) == "table", given, "log:plot takes a table of options")
  check_options(given)
  return path, given
end

-- Returns the plot as text; numbers have a point in every locale.
function plot.draw(kind, log, given)
  local draw = require("saltus.output.plot." .. kind).draw
  return numerals.neutral(function() return draw(panels.of(log, given), given) end)
end

-- Raises an error for panels and signals that the log does not have.
plot.check = panels.check

function plot.plot(log, path, given)
  path, given = arguments(path, given)
  names.fail_if(path and not path:find "%.html?$" and not path:find "%.svg$",
    "log:plot: the file must end in .html or .svg, got %q", path)
  local kind = not path and "terminal" or path:find "%.svg$" and "svg" or "html"
  local text = plot.draw(kind, log, given)
  if not path then return text end
  whole_file.write(path, "log:plot", function(put) put(text) end)
  return nil
end

return plot
