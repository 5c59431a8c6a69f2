-- --live: the plot in the terminal grows with the run.
local complaint = require "saltus.cli.complaint"
local progress = require "saltus.cli.progress"
local terminal_display = require "saltus.cli.terminal_display"

local function show(run)
  complaint.raise_if(not progress.is_terminal(1), complaint.USAGE,
    "--live redraws a plot in a terminal, and standard output is none")
  complaint.raise_if(not run.log or #run.log.columns == 0, complaint.USAGE,
    "--live draws the log, and nothing will be logged")
  local display = terminal_display.new { log = run.log, start = run.start, stop = run.stop,
    colour = progress.use_colour(1) }
  run.display = display
  local monitor = run.sim.monitor
  run.sim.monitor = function(ctx) -- on_progress would be too seldom for long steps
    display:update(ctx.time)
    if monitor then return monitor(ctx) end
  end
end

return {
  name = "--live", before = show,
  doc = "Redraw the plot in the terminal during the run; with --rate 1 in real time.",
}
