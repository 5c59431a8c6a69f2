-- The progress line of a run: simulated time, percentage, rate and remaining time. It is shown on terminals only, at
-- most ten times a second.
local numerals = require "saltus.util.numerals"
local process = require("saltus.core").process

local progress = {}

local Progress = {}
Progress.__index = Progress

progress.is_terminal = process.is_terminal
progress.clock = process.clock

function progress.use_colour(descriptor)
  local no_color = os.getenv "NO_COLOR"
  return progress.is_terminal(descriptor) and (no_color == nil or no_color == "") and os.getenv "TERM" ~= "dumb"
end

-- options: start, stop (simulated s), write, clock, shown, colour
function progress.new(options)
  local clock = options.clock or progress.clock
  local now = clock()
  return setmetatable({
    start = options.start, stop = options.stop, shown = options.shown, colour = options.colour, clock = clock,
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

function progress.bar(share, colour)
  local full = math.floor(share * WIDTH + 0.5)
  local done = ("━"):rep(full)
  return colour and ("\27[36m%s\27[2m%s\27[0m"):format(done, ("━"):rep(WIDTH - full)) or done .. (" "):rep(WIDTH - full)
end

-- The text for a simulated time, `elapsed` real seconds after the start.
function Progress:text(time, elapsed)
  local share = self.stop > self.start and (time - self.start) / (self.stop - self.start) or 1
  local rate = elapsed > 0 and (time - self.start) / elapsed or 0
  local left = rate > 0 and progress.seconds((self.stop - time) / rate) or "?"
  return numerals.format("%s %3.0f %%  t = %.4g of %.4g s  %.3g x real time  %s left",
    progress.bar(share, self.colour), 100 * share, time, self.stop, rate, left)
end

function Progress:update(time)
  if not self.shown then return end
  local now = self.clock()
  if now - self.last < 0.1 then return end
  self.last, self.visible = now, true
  self.write("\r\27[K" .. self:text(time, now - self.began))
end

-- Removes the line before other output.
function Progress:clear()
  if self.visible then self.write "\r\27[K" end
  self.visible = false
end

function Progress:elapsed() return self.clock() - self.began end

return progress
