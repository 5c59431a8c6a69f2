-- Processes that run at the same time, at most `jobs` of them; each writes into a pipe.
local core = require "saltus.core"

local processes = {}

local Pool = {}
Pool.__index = Pool

local PATIENCE = 0.2 -- seconds after which a signal is noticed

-- given: jobs; lines: a command of the shell for each process; take_along(pid), which sees to it that a process ends
-- with this one, and without a pid forgets them; check(), which may raise an error
function processes.new(given)
  return setmetatable({ given = given, next = 1, running = {} }, Pool)
end

-- The shell prints its number first, which exec keeps for the process.
function Pool:start(number)
  local pipe = assert(io.popen("echo $$; exec " .. self.given.lines[number], "r"))
  local text = ""
  repeat text = text .. (core.process.read_some(pipe) or "\n") until text:find "\n"
  self.given.take_along(math.tointeger(tonumber(text:match "^%d*")))
  self.running[#self.running + 1] = { number = number, pipe = pipe, first = text:match "\n(.*)" }
end

function Pool:fill()
  while #self.running < self.given.jobs and self.given.lines[self.next] do
    self:start(self.next)
    self.next = self.next + 1
  end
end

-- Reads what the first process that wrote something has written.
function Pool:read(wrote, ended)
  local pipes = {}
  for i, one in ipairs(self.running) do pipes[i] = one.pipe end
  local at = core.process.wait_readable(pipes, PATIENCE)
  self.given.check()
  if not at then return end
  local one = self.running[at]
  local text = core.process.read_some(one.pipe)
  if text then return wrote(one.number, text) end
  table.remove(self.running, at)
  local _, how, code = one.pipe:close()
  ended(one.number, how, code)
end

-- Runs all; wrote(number, text) and ended(number, how, code), with how and code as of io.popen's close.
function Pool:run(wrote, ended)
  self:fill()
  while self.running[1] do
    self:read(wrote, ended)
    self:fill()
  end
  self.given.take_along(nil)
end

return processes
