-- The progress of a sweep: percentage, runs, failures, rate and remaining time.
local numerals = require "saltus.util.numerals"
local progress = require "saltus.cli.progress"
local progress_line = require "saltus.cli.progress_line"

local sweep_progress = {}

local function plain_text(line, elapsed, done, count, failures)
  local rate = elapsed > 0 and (done - line.done_before) / elapsed or 0
  local left = rate > 0 and progress.seconds((count - done) / rate) or "?"
  local failed = failures > 0 and (", %d failed"):format(failures) or ""
  return numerals.format("%3.0f %%  run %d of %d%s  %.3g in a second  %s left", 100 * done / count, done, count, failed,
    rate, left)
end

-- options: those of progress_line; colour. line:update(done, count, failures) shows how many runs have ended.
function sweep_progress.new(options)
  return progress_line.new(options, function(self, elapsed, done, count, failures)
    local text = plain_text(self, elapsed, done, count, failures)
    return self.in_lines and text:gsub("^ +", "") or progress.bar(done / count, options.colour) .. " " .. text
  end)
end

return sweep_progress
