-- --checkpoint-every SECONDS and --resume FILE: a run that another process continues, to the same bits.
--
-- A checkpoint holds the changes of the run (--set and so on), the simulator and the log. It is written at a step that
-- the run takes anyway, so it changes nothing. Logs and journals of stories grow with the run; where
-- saving takes long, checkpoints are further apart.
local arguments = require "saltus.cli.arguments"
local complaint = require "saltus.cli.complaint"
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"
local saved_file = require "saltus.cli.saved_file"
local serialize = require "saltus.util.serialize"
local process = require("saltus.core").process
local targets = require "saltus.cli.targets"
local whole_file = require "saltus.util.whole_file"

local function path_of(args)
  local folder = args.out
  return args.checkpoint or (folder and folder .. "/" or "") .. "run.checkpoint"
end

-- The record of a log; nil without a log.
local function record_of(run) return run.log and log_columns.inner_of(run.log).rec.rec end

local FREE, MOST_SHARE = 1, 0.1 -- seconds of saving before it counts, and the share of the time that it may take

local function may_save(run) return run.saving <= FREE + MOST_SHARE * (process.clock() - run.began) end

local function write(run)
  local path, record, began = path_of(run.args), record_of(run), process.clock()
  local bytes = saved_file.pack { name = run.scenario.model.name, file = run.args.file or "",
    changes = serialize.encode(run.changes), saved = run.sim:save(), rows = record and record:save() or "" }
  whole_file.write(path, "--checkpoint-every", function(put) put(bytes) end)
  run.saving = run.saving + process.clock() - began
end

local every = {
  name = "--checkpoint-every", argname = "SECONDS", read = arguments.seconds "--checkpoint-every",
  doc = "Save the run each time this many simulated seconds have passed; --resume continues it.",
  before = function(run, seconds)
    if path_of(run.args) == "-" then complaint.raise(complaint.USAGE, "--checkpoint must be a file") end
    targets.check({ "the scenario", run.args.file }, { { "--checkpoint", path_of(run.args) } })
    run.next_checkpoint, run.began, run.saving = run.start + seconds, process.clock(), 0
  end,
  progress = function(run, seconds, time)
    if time < run.next_checkpoint or run.between or not may_save(run) then return end
    run.next_checkpoint = math.max(run.next_checkpoint + seconds, time)
    run.between = write
    run.sim:interrupt()
  end,
  interrupted = write,
}

local file = {
  name = "--checkpoint", argname = "FILE",
  doc = "Where --checkpoint-every saves the run; default: run.checkpoint, in the folder of --out.",
  before = function(run)
    complaint.raise_if(not run.args.checkpoint_every, complaint.USAGE,
      "--checkpoint needs --checkpoint-every, after how many seconds it is written")
  end,
}

-- ---- continuing ----

local function read(path)
  local from = saved_file.read(path, "--resume")
  complaint.raise_if(not from.name, complaint.FAILED, "--resume: %s is not a checkpoint, or it is damaged", path)
  return from
end

-- The checkpoint of a run, by its changes: the file may be a pipe, which can be read once only.
local checkpoint_of = setmetatable({}, { __mode = "k" })

local changeable = { duration = true, target_realtime_rate = true }

-- The changes of the checkpoint; those of the command line may only concern its end and its pace.
local function apply(changes, path, scenario)
  local from = read(path)
  complaint.raise_if(from.name ~= scenario.model.name, complaint.FAILED,
    "--resume: %s is a checkpoint of %q, not of %q", path, from.name, scenario.model.name)
  for _, key in ipairs(names.sorted_keys(changes)) do
    complaint.raise_if(not changeable[key], complaint.USAGE,
      "--resume continues with the values of the checkpoint; leave out --%s", (key:gsub("_", "-")))
  end
  local ok, stored = pcall(serialize.decode, from.changes)
  if not ok then complaint.raise(complaint.FAILED, "--resume: %s is damaged", path) end
  checkpoint_of[changes] = from
  for key, value in pairs(stored) do if changes[key] == nil then changes[key] = value end end
end

local function restore(run, path)
  local from, record = checkpoint_of[run.changes], record_of(run)
  local ok = pcall(run.sim.load, run.sim, from.saved)
  if ok and record then ok = record:load(from.rows) end
  complaint.raise_if(not ok, complaint.FAILED,
    "--resume: %s does not fit this scenario, which has changed since, or the file is damaged", path)
  run.start = run.sim.context.time
  complaint.raise_if(run.start > run.stop, complaint.FAILED,
    "--resume: %s is at t = %.10g s, after the end at %.10g s; give a longer --duration", path, run.start, run.stop)
end

local resume = {
  name = "--resume", argname = "FILE", doc = "Continue the run of a checkpoint, with its values, to the same bits.",
  apply = apply, before = restore,
}

return { every = every, file = file, resume = resume }
