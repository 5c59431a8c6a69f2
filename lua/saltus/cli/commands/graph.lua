-- saltus graph FILE
local complaint = require "saltus.cli.complaint"
local model_file = require "saltus.cli.model_file"
local targets = require "saltus.cli.targets"

local function graph(args)
  local _, m = model_file.model(args.file)
  local name = args.file:match "([^/\\]+)$":gsub("%.lua$", "")
  local dot, svg = args.dot or name .. ".dot", args.svg or name .. ".svg"
  if not args.dot then targets.check_new("graph", dot, args.force) end
  if not args.svg then targets.check_new("graph", svg, args.force) end
  targets.check({ "the diagram's file", args.file }, { { "--dot", dot }, { "--svg", svg } })
  local by = require("saltus.cli.graph.wiring_graph").write(m, dot, svg)
  complaint.say(("wrote %s and %s (laid out by %s)"):format(dot, svg, by))
  return complaint.SUCCESS
end

return {
  name = "graph", doc = "Draw the connections of a diagram as a DOT file and an SVG file.",
  arguments = { model_file.model_argument },
  options = {
    { name = "--dot", argname = "FILE", doc = "The DOT file; default: the name of FILE with .dot, in this folder." },
    { name = "--svg", argname = "FILE", doc = "The SVG file; default: the name of FILE with .svg, in this folder." },
    { name = "--force", doc = "Overwrite files of these default names." },
  },
  run = graph,
}
