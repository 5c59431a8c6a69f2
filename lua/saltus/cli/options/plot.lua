-- --plot FILE, and what it shows: --panel NAMES, --x NAME, --log-axes AXES. The plot on the terminal shows the same.
local arguments = require "saltus.cli.arguments"
local complaint = require "saltus.cli.complaint"

local plot = {}

-- The options of log:plot that the command line gives.
function plot.of(args)
  local out = { x = args.x, log = args.log_axes }
  for i, names in ipairs(args.panel or {}) do out[i] = names end
  return out
end

-- Names that the log does not have are refused before the run.
local function check(run)
  complaint.raise_if(not run.log, complaint.FAILED,
    "nothing will be logged (the scenario says log = false), so there is no plot")
  local ok, why = pcall(require("saltus.output.plot").check, run.log, plot.of(run.args))
  if not ok then complaint.raise(complaint.FAILED, "--panel, --x: %s", complaint.message_of(why)) end
end

plot.options = {
  file = { name = "--plot", argname = "FILE", doc = "Write a plot: an interactive .html page or an .svg picture.",
    extensions = { "html", "svg" }, write = function(run, path) run.log:plot(path, plot.of(run.args)) end },
  panel = { name = "--panel", argname = "NAMES", many = true, read = arguments.names "--panel", before = check,
    doc = "A panel of the plot with these signals, as height,speed (repeatable)." },
  x = { name = "--x", argname = "NAME", before = check,
    doc = "The signal on the horizontal axis of the plot; default: time." },
  log_axes = { name = "--log-axes", argname = "AXES", read = arguments.one_of("--log-axes", { "x", "y", "xy" }),
    doc = "Logarithmic axes of the plot: x, y or xy." },
}

return plot
