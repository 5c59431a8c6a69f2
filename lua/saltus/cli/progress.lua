-- The progress of a run: percentage, simulated time, rate, remaining time, last step and events.
local numerals = require "saltus.util.numerals"
local process = require("saltus.core").process
local progress_line = require "saltus.cli.progress_line"

local progress = {}

progress.is_terminal = process.is_terminal
progress.width = process.columns

function progress.use_colour(descriptor)
  local no_color = os.getenv "NO_COLOR"
  return progress.is_terminal(descriptor) and (no_color == nil or no_color == "") and os.getenv "TERM" ~= "dumb"
end

-- A duration for people.
function progress.seconds(s)
  if s < 90 then return numerals.format("%.0f s", s) end
  if s < 5400 then return ("%d min %02d s"):format(s // 60, s // 1 % 60) end
  return ("%d h %02d min"):format(s // 3600, s // 60 % 60)
end

local WIDTH = 20

-- A bar of `width` columns; default: 20.
function progress.bar(share, colour, width)
  width = width or WIDTH
  local full = math.floor(share * width + 0.5)
  local done = ("━"):rep(full)
  return colour and ("\27[36m%s\27[2m%s\27[0m"):format(done, ("━"):rep(width - full)) or done .. (" "):rep(width - full)
end

local function details_text(details)
  if not details then return "" end
  local step, events = details()
  return numerals.format("  step %.2g s  %d event%s", step, events, events == 1 and "" or "s")
end

-- The text for a simulated time, and the share of the run.
local function plain_text(run, elapsed, time)
  local share = run.stop > run.start and (time - run.start) / (run.stop - run.start) or 1
  local rate = elapsed > 0 and (time - run.start) / elapsed or 0
  local left = rate > 0 and progress.seconds((run.stop - time) / rate) or "?"
  return numerals.format("%3.0f %%  t = %.4g of %.4g s  %.3g x real time  %s left", 100 * share, time, run.stop, rate,
    left) .. details_text(run.details), share
end

-- The text behind a bar, as far as the terminal has room.
local function bar_text(run, elapsed, time)
  local text, share = plain_text(run, elapsed, time)
  local width = run.width or 80
  local room = math.min(width - 2 - #text, WIDTH)
  if room < 5 then return text:sub(1, width - 1) end
  return progress.bar(share, run.colour, room) .. " " .. text
end

-- options: those of progress_line; start, stop (simulated s), colour, width (columns of a terminal);
-- details: function() that returns the last step in s and the number of events so far.
-- line:update(time) shows a simulated time.
function progress.new(options)
  local text_of = options.in_lines and plain_text or bar_text
  return progress_line.new(options, function(_, elapsed, time) return (text_of(options, elapsed, time)) end)
end

return progress
