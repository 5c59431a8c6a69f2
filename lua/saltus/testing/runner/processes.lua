-- Processes that run at the same time, at most `jobs` of them; each writes into a pipe.
local files = require "saltus.util.files"
local core = require "saltus.core"

local processes = {}

local Pool = {}
Pool.__index = Pool

local PATIENCE = 0.2 -- seconds after which a signal is noticed

-- given: jobs; lines: a command of the shell for each process; take_along(pid), which sees to it that a process ends
-- with this one, and without a pid forgets them; check(), which raises an error after a signal
function processes.new(given)
  return setmetatable({ given = given, next = 1, running = {} }, Pool)
end

-- The shell prints its number first, which exec keeps for the process.
function Pool:start(number, wrote)
  local pipe = assert(files.popen("echo $$; exec " .. self.given.lines[number], "r"))
  local text = ""
  repeat text = text .. (core.process.read_some(pipe) or "\n") until text:find "\n"
  local pid = math.tointeger(tonumber(text:match "^%d*"))
  self.given.take_along(pid)
  self.running[#self.running + 1] = { number = number, pipe = pipe, pid = pid }
  wrote(number, text:match "\n(.*)")
end

-- The number of a process that has ended may be another's soon.
function Pool:forget(at)
  table.remove(self.running, at)
  self.given.take_along(nil)
  for _, one in ipairs(self.running) do self.given.take_along(one.pid) end
end

function Pool:fill(wrote)
  while #self.running < self.given.jobs and self.given.lines[self.next] do
    self.next = self.next + 1
    self:start(self.next - 1, wrote)
  end
end

-- Reads what processes still write that a signal ends, so that they end without errors of their own.
function Pool:drain()
  for _, one in ipairs(self.running) do
    while core.process.read_some(one.pipe) do end
    one.pipe:close()
  end
  self.running = {}
end

function Pool:check()
  local ok, wrong = pcall(self.given.check)
  if ok then return end
  self:drain()
  error(wrong, 0)
end

-- Reads what the first process that wrote something has written.
function Pool:read(wrote, ended)
  local pipes = {}
  for i, one in ipairs(self.running) do pipes[i] = one.pipe end
  local at = core.process.wait_readable(pipes, PATIENCE)
  self:check()
  if not at then return end
  local one = self.running[at]
  local text = core.process.read_some(one.pipe)
  if text then return wrote(one.number, text) end
  self:forget(at)
  local _, how, code = one.pipe:close()
  ended(one.number, how, code)
end

-- Runs all; wrote(number, text) and ended(number, how, code), with how and code as of io.popen's close.
function Pool:run(wrote, ended)
  self:fill(wrote)
  while self.running[1] do
    self:read(wrote, ended)
    self:fill(wrote)
  end
end

return processes
