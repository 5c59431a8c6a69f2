-- A sweep in several processes of this machine (-j). Each is the same command, told by a variable which runs are its
-- own. It writes its rows into a pipe, and this process reads them in the order of the runs. So the file is the same
-- for any -j. What the scenario prints goes where this process prints.
local files = require "saltus.util.files"
local core = require "saltus.core"
local own_command = require "saltus.util.own_command"
local numerals = require "saltus.util.numerals"
local rows = require "saltus.sweep.rows"

local workers = {}

local clock = core.process.clock
local PATIENCE = 1 -- seconds for which rows wait for a slow run before them

local VARIABLE = "SALTUS_SWEEP_WORKER"

-- Whether another process started this one to share its sweep.
function workers.is_worker() return files.environment(VARIABLE) ~= nil end

-- { index =, count =, parent = the process that started it, out = the file for its rows } in a process that another one
-- started; nil in the first one. To be called once, before anything is printed.
function workers.own()
  local i, n, parent, output = (files.environment(VARIABLE) or ""):match "^(%d+)/(%d+)/(%d+)/(%d+)$"
  if not i then return nil end
  local out = core.process.move_output(math.tointeger(output))
  io.stdout:setvbuf "line" -- lines of several processes stay whole
  return { index = math.tointeger(i), count = math.tointeger(n), parent = math.tointeger(parent), out = out }
end

-- Whether run k of a shard belongs to worker i of n.
local function is_of(sweep, k, i, n) return (k - 1) // sweep.shard.count % n == i end

-- ---- a worker ----

local Printer = {}
Printer.__index = Printer

function Printer:set_columns(columns) self.out:write(rows.joined(columns)) end

function Printer:add_values(values, count) self.out:write(rows.line(values, count)) end

function Printer:flush() self.out:flush() end

function Printer:close() self.out:close() end

-- Runs the part of this worker, and writes its rows into the pipe; calls ran() after the last run.
function workers.work(sweep, own, ran)
  core.process.end_with_parent(own.parent)
  local standing = sweep:standing()
  sweep.file = setmetatable({ out = own.out }, Printer)
  sweep.runner.may_differ = true -- the first process knows which columns are those of the sweep
  sweep:run(standing, function(k) return is_of(sweep, k, own.index, own.count) end)
  ran()
  local run = sweep.runner
  if run.warning_count > 0 then
    own.out:write(rows.line { "warned", run.warning_count, run.warned_first, run.first_warning })
  end
  sweep:close()
end

-- ---- the first process ----

local function split(line) return rows.split((line:gsub("\n$", ""))) end

-- What else a worker writes, by the first word.
local others = {
  run = function(_, worker, line) worker.header = split(line) end,
  warned = function(sweep, _, line)
    local cells = split(line)
    sweep.runner:add_warnings(rows.value(cells[2]), rows.value(cells[3]), rows.text(cells[4]))
  end,
}

-- What a worker wrote: each whole line is a row, or something else.
local function take(sweep, worker, text)
  local rest, from = worker.rest .. text, 1
  for line, after in rest:gmatch "([^\n]*\n)()" do
    from = after
    local other = others[line:match "^%a*"]
    if other then
      other(sweep, worker, line)
    else
      worker.last = worker.last + 1
      worker.rows[worker.last] = { line = line, header = worker.header }
    end
  end
  worker.rest = rest:sub(from)
end

-- Reads what one of the workers has written, first the one wanted; returns after a while without anything.
local function read_some(sweep, list, wanted)
  local open, pipes = {}, {}
  for _, worker in ipairs { wanted, table.unpack(list) } do
    if not worker.ended and not (worker == wanted and open[1]) then
      open[#open + 1], pipes[#pipes + 1] = worker, worker.pipe
    end
  end
  local at = core.process.wait_readable(pipes, PATIENCE / 4)
  if not at then return end
  local text = core.process.read_some(pipes[at])
  if text then take(sweep, open[at], text) else open[at].ended = true end
end

-- The next row of a worker that was read; nil if there is none.
local function pop(worker)
  local row = worker.rows[worker.first]
  if not row then return nil end
  worker.rows[worker.first], worker.first = nil, worker.first + 1
  return row
end

-- Reads the rows of all workers: sweep, list (of workers), ahead (numbers of runs that were added before their turn),
-- tick.
local Reader = {}
Reader.__index = Reader

-- Adds a row; returns the number of its run.
function Reader:add(row)
  local cells = {}
  for i, text in ipairs(split(row.line)) do cells[row.header[i]] = text end
  self.sweep:add_cells(row.header, cells, false, row.line)
  self.tick()
  return math.tointeger(tonumber(cells.run))
end

-- Adds the rows that have waited for a slow run. The first row decides the columns, and what goes to standard output
-- has the order of the runs.
function Reader:add_ahead()
  local sweep = self.sweep
  if not sweep.columns or sweep.path == "-" then return end
  for _, worker in ipairs(self.list) do
    for row in pop, worker do
      self.ahead[self:add(row)] = true
      sweep:set_unordered()
    end
  end
  if sweep.file then sweep.file:flush() end
end

-- The next row of a worker, or nil at its end; meanwhile those of the others are read.
function Reader:next_row(worker)
  local since = clock()
  while worker.first > worker.last and not worker.ended do
    read_some(self.sweep, self.list, worker)
    if clock() - since > PATIENCE and worker.first > worker.last then
      self:add_ahead()
      since = clock()
    end
  end
  return pop(worker)
end

-- Adds all rows in the order of the runs, but those after a slow one.
function Reader:collect(standing)
  local first, last, step = self.sweep:numbers()
  for k = first, last, step do
    local worker = self.list[(k - 1) // self.sweep.shard.count % #self.list + 1]
    local row = not standing[k] and not self.ahead[k] and self:next_row(worker)
    if row then self:add(row) end
  end
end

-- A process that first prints its number: the shell's own, which exec keeps.
local function start(i, count, output, line)
  local started = ("echo $$; %s=%d/%d/$PPID/%d exec %s"):format(VARIABLE, i - 1, count, output, line)
  local pipe, text = assert(files.popen(started, "r")), ""
  repeat text = text .. (core.process.read_some(pipe) or "\n") until text:find "\n"
  local pid, rest = text:match "^(%d*)\n(.*)$"
  return { pipe = pipe, pid = math.tointeger(tonumber(pid)), rest = rest or "", rows = {}, first = 1, last = 0 }
end

-- Runs a sweep in `count` processes. given: arguments, their command line; take_along(pid), which sees to it that a
-- process ends with this one, and without a pid forgets them
function workers.run(sweep, count, given, standing)
  local list, line, output = {}, own_command.line(given.arguments, "-j"), core.process.copy_output()
  io.stdout:flush()
  for i = 1, count do
    list[i] = start(i, count, output, line)
    take(sweep, list[i], "")
    given.take_along(list[i].pid)
  end
  core.process.close_copy(output)
  setmetatable({ sweep = sweep, list = list, ahead = {}, tick = sweep:ticker() }, Reader):collect(standing)
  given.take_along(nil)
  for i, worker in ipairs(list) do
    while not worker.ended do read_some(sweep, list, worker) end -- what comes after its last row
    local ok, how, code = worker.pipe:close()
    if not ok and not sweep.died and not (how == "exit" and code == 1) then
      sweep.died = numerals.format("process %d of %d ended early (%s %d)", i, count, how, code)
    end
  end
  sweep.interrupted = sweep.done < sweep:planned() or nil
end

return workers
