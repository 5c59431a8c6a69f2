-- A line that says how far something is. On a terminal it changes in place, at most ten times a second; pipes and files
-- get a line a minute.
local process = require("saltus.core").process

local progress_line = {}

local Line = {}
Line.__index = Line

local MINUTE, TENTH = 60, 0.1

-- options: shown; in_lines (no terminal); write and clock, for tests. text(line, elapsed, ...) returns what
-- line:update(...) shows.
function progress_line.new(options, text)
  local clock = options.clock or process.clock
  local now = clock()
  return setmetatable({ shown = options.shown, in_lines = options.in_lines, clock = clock, text = text,
    write = options.write or function(s) io.stderr:write(s) io.stderr:flush() end, began = now, last = now,
    done_before = 0 }, Line)
end

function Line:update(...)
  if not self.shown then return end
  local now = self.clock()
  if now - self.last < (self.in_lines and MINUTE or TENTH) then return end
  self.last, self.visible = now, not self.in_lines
  local text = self:text(now - self.began, ...)
  self.write(self.in_lines and text .. "\n" or "\r\27[K" .. text)
end

-- Removes the line before other output.
function Line:clear()
  if self.visible then self.write "\r\27[K" end
  self.visible = false
end

-- Counts the time from now, with what is done already.
function Line:begin(done) self.done_before, self.began = done, self.clock() end

function Line:elapsed() return self.clock() - self.began end

-- Calls action() protected, and returns what pcall returns. While the line, or a display like it, is shown, print
-- removes it first.
function progress_line.during(line, action)
  local print_before = print
  _G.print = function(...)
    line:clear()
    print_before(...)
  end
  local ok, result = pcall(action)
  _G.print = print_before
  line:clear()
  return ok, result
end

return progress_line
