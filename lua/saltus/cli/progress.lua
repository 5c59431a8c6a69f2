-- The progress of a run: percentage, simulated time, rate, remaining time, last step and events. A terminal has one
-- line that changes at most ten times a second; pipes and files get a line a minute.
local numerals = require "saltus.util.numerals"
local process = require("saltus.core").process

local progress = {}

local Progress = {}
Progress.__index = Progress

progress.is_terminal = process.is_terminal
progress.clock = process.clock
progress.width = process.columns

function progress.use_colour(descriptor)
  local no_color = os.getenv "NO_COLOR"
  return progress.is_terminal(descriptor) and (no_color == nil or no_color == "") and os.getenv "TERM" ~= "dumb"
end

local MINUTE = 60

-- options: start, stop (simulated s), write, clock, shown, colour, width (columns of a terminal);
-- in_lines: instead of one line that changes, a line a minute, for pipes and files;
-- details: function() that returns the last step in s and the number of events so far.
function progress.new(options)
  local clock = options.clock or progress.clock
  local now = clock()
  return setmetatable({
    start = options.start, stop = options.stop, shown = options.shown, colour = options.colour, clock = clock,
    in_lines = options.in_lines, details = options.details, width = options.width or 80,
    write = options.write or function(text) io.stderr:write(text) io.stderr:flush() end,
    began = now, last = now, visible = false,
  }, Progress)
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

-- The text for a simulated time, `elapsed` real seconds after the start.
function Progress:text(time, elapsed)
  local share = self.stop > self.start and (time - self.start) / (self.stop - self.start) or 1
  local rate = elapsed > 0 and (time - self.start) / elapsed or 0
  local left = rate > 0 and progress.seconds((self.stop - time) / rate) or "?"
  return numerals.format("%3.0f %%  t = %.4g of %.4g s  %.3g x real time  %s left", 100 * share, time, self.stop, rate,
    left) .. details_text(self.details), share
end

-- The text behind a bar, as far as the terminal has room.
function Progress:bar_text(time, elapsed)
  local text, share = self:text(time, elapsed)
  local room = math.min(self.width - 2 - #text, WIDTH)
  if room < 5 then return text:sub(1, self.width - 1) end
  return progress.bar(share, self.colour, room) .. " " .. text
end

function Progress:update(time)
  if not self.shown then return end
  local now = self.clock()
  if now - self.last < (self.in_lines and MINUTE or 0.1) then return end
  self.last = now
  if self.in_lines then return self.write(self:text(time, now - self.began) .. "\n") end
  self.visible = true
  self.write("\r\27[K" .. self:bar_text(time, now - self.began))
end

-- Removes the line before other output.
function Progress:clear()
  if self.visible then self.write "\r\27[K" end
  self.visible = false
end

function Progress:elapsed() return self.clock() - self.began end

return progress
