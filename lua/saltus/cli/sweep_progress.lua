-- The progress of a sweep: a line on a terminal, and a line a minute elsewhere.
local numerals = require "saltus.util.numerals"
local progress = require "saltus.cli.progress"

local sweep_progress = { seconds = progress.seconds }

local Line = {}
Line.__index = Line

local MINUTE = 60

-- given: clock, write, is_terminal, colour: for tests
function sweep_progress.new(count, quiet, given)
  given = given or {}
  local clock = given.clock or progress.clock
  local now = clock()
  local terminal = given.is_terminal
  if terminal == nil then terminal = progress.is_terminal(2) end
  return setmetatable({ count = count, quiet = quiet, clock = clock, began = now, last = now, first = 0,
    terminal = terminal, colour = given.colour == nil and progress.use_colour(2) or given.colour,
    write = given.write or function(text) io.stderr:write(text) io.stderr:flush() end }, Line)
end

-- `done` runs stand in the file: they do not count for the rate.
function Line:begin(done) self.first, self.began = done, self.clock() end

function Line:text(done, failures, elapsed)
  local rate = elapsed > 0 and (done - self.first) / elapsed or 0
  local left = rate > 0 and progress.seconds((self.count - done) / rate) or "?"
  local failed = failures > 0 and (", %d failed"):format(failures) or ""
  return numerals.format("%s %3.0f %%  run %d of %d%s  %.3g in a second  %s left",
    progress.bar(done / self.count, self.colour), 100 * done / self.count, done, self.count, failed, rate, left)
end

function Line:update(done, _, failures)
  if self.quiet then return end
  local now = self.clock()
  if not self.terminal and now - self.last < MINUTE then return end
  self.last, self.visible = now, self.terminal
  local text = self:text(done, failures, now - self.began)
  self.write(self.terminal and "\r\27[K" .. text or text:gsub("^[━%s]*", "") .. "\n")
end

function Line:clear()
  if self.visible then self.write "\r\27[K" end
  self.visible = false
end

function Line:elapsed() return self.clock() - self.began end

return sweep_progress
