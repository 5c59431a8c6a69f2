-- The plot that --live redraws in the terminal while the run goes on, at most five times a second. It takes the place
-- of the progress line.
local numerals = require "saltus.util.numerals"
local process = require("saltus.core").process

local terminal_display = {}

local Display = {}
Display.__index = Display

local BETWEEN = 0.2 -- s

-- options: log, start, stop (simulated s), clock, write, colour
function terminal_display.new(options)
  local clock = options.clock or process.clock
  local write = options.write or function(text)
    io.stdout:write(text)
    io.stdout:flush()
  end
  return setmetatable({ shown = true, log = options.log, start = options.start, stop = options.stop, clock = clock,
    write = write, colour = options.colour, lines = 0, began = clock(), last = -math.huge }, Display)
end

-- Draws the rows so far over the plot before.
function Display:update(time)
  local now = self.clock()
  if now - self.last < BETWEEN or #self.log.time < 2 then return end
  self.last = now
  local drawn = { colour = self.colour, most = 4, events = false }
  local text = require("saltus.output.plot").draw("terminal", self.log, drawn)
    .. numerals.format("t = %.4g of %.4g s\n", time, self.stop)
  self:clear()
  self.write(text)
  local _, lines = text:gsub("\n", "")
  self.lines = lines
end

-- Removes the plot before other output.
function Display:clear()
  if self.lines > 0 then self.write(("\27[%dA\27[J"):format(self.lines)) end
  self.lines = 0
end

function Display:elapsed() return self.clock() - self.began end

return terminal_display
