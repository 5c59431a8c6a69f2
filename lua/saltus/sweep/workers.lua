-- A sweep in several processes of this machine (-j). Each is the same command, told by a variable which runs are its
-- own. It writes its rows into a pipe, and this process reads them in the order of the runs. So the file is the same
-- for any -j. What the scenario prints goes where this process prints.
local core = require "saltus.core"
local own_command = require "saltus.util.own_command"
local numerals = require "saltus.util.numerals"
local rows = require "saltus.sweep.rows"

local workers = {}

local VARIABLE = "SALTUS_SWEEP_WORKER"

-- { index =, count =, parent = the process that started it, out = the file for its rows } in a process that another one
-- started; nil in the first one. To be called once, before anything is printed.
function workers.own()
  local i, n, parent, output = (os.getenv(VARIABLE) or ""):match "^(%d+)/(%d+)/(%d+)/(%d+)$"
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

-- The next row of a worker: its line, or nil at the end.
local function read_row(sweep, worker)
  for line in worker.pipe:lines "L" do
    if line:sub(-1) ~= "\n" then return nil end -- no whole one
    local other = others[line:match "^%a*"]
    if not other then return line end
    other(sweep, worker, line)
  end
end

local function cells_of(worker, line)
  local cells = {}
  for i, text in ipairs(split(line)) do cells[worker.header[i]] = text end
  return cells
end

-- Reads the rows of all workers in the order of the runs.
local function collect(sweep, list, standing, tick)
  local first, last, step = sweep:numbers()
  for k = first, last, step do
    local worker = list[(k - 1) // sweep.shard.count % #list + 1]
    if not standing[k] and not worker.ended then
      local line = read_row(sweep, worker)
      if line then
        sweep:add_cells(worker.header, cells_of(worker, line), false, line)
        tick()
      else
        worker.ended = true
      end
    end
  end
end

-- A process that first prints its number: the shell's own, which exec keeps.
local function start(i, count, output, line)
  local started = ("echo $$; %s=%d/%d/$PPID/%d exec %s"):format(VARIABLE, i - 1, count, output, line)
  local pipe = assert(io.popen(started, "r"))
  return { pipe = pipe, pid = math.tointeger(tonumber(pipe:read "l")) }
end

-- Runs a sweep in `count` processes. given: arguments, their command line; take_along(pid), which sees to it that a
-- process ends with this one, and without a pid forgets them
function workers.run(sweep, count, given, standing)
  local list, line, output = {}, own_command.line(given.arguments, "-j"), core.process.copy_output()
  io.stdout:flush()
  for i = 1, count do
    list[i] = start(i, count, output, line)
    given.take_along(list[i].pid)
  end
  core.process.close_copy(output)
  collect(sweep, list, standing, sweep:ticker())
  given.take_along(nil)
  for i, worker in ipairs(list) do
    while not worker.ended and read_row(sweep, worker) do end -- what comes after its last row
    local ok, how, code = worker.pipe:close()
    if not ok and not sweep.died and not (how == "exit" and code == 1) then
      sweep.died = numerals.format("process %d of %d ended early (%s %d)", i, count, how, code)
    end
  end
  sweep.interrupted = sweep.done < sweep:planned() or nil
end

return workers
