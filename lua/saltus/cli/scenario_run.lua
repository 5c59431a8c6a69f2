-- One run of a scenario from the command line: before it, its files are checked; after it, they are written and the
-- run is reported.
local complaint = require "saltus.cli.complaint"
local interruption = require "saltus.cli.interruption"
local numerals = require "saltus.util.numerals"
local options = require "saltus.cli.run_options"
local parser = require "saltus.cli.parser"
local progress = require "saltus.cli.progress"
local summary = require "saltus.output.summary"
local targets = require "saltus.cli.targets"

local scenario_run = {}

local FAILED = complaint.FAILED

-- The options that were given and have the field `hook`: a list of { option, value }.
local function given(args, hook)
  local list = {}
  for _, option in ipairs(options) do
    local value = args[parser.key(option)]
    if value ~= nil and value ~= false and option[hook] then list[#list + 1] = { option, value } end
  end
  return list
end

local function changes_of(args)
  local changes = {}
  for _, item in ipairs(given(args, "change")) do changes[item[1].change] = item[2] end
  for _, item in ipairs(args.set or {}) do
    changes.set = changes.set or {}
    changes.set[item.name] = item.value
  end
  return changes
end

local function check_targets(args)
  local written = {}
  for _, item in ipairs(given(args, "write")) do
    local name = parser.long_name(item[1])
    if item[1].extensions then targets.check_extension(name, item[2], item[1].extensions) end
    written[#written + 1] = { name, item[2] }
  end
  targets.check({ "the scenario", args.file }, written)
end

local function prepare(s, args)
  check_targets(args)
  local ready, run = pcall(s.prepare, s, changes_of(args))
  if not ready then complaint.raise(FAILED, "%s", complaint.message_of(run)) end
  if not run.log and given(args, "write")[1] then
    complaint.raise(FAILED,
      "nothing will be logged (the scenario says log = false), so there would be nothing to write")
  end
  run.scenario, run.args = s, args
  for _, item in ipairs(given(args, "before")) do item[1].before(run, item[2]) end
  return run
end

-- While the progress line is shown, print removes it first.
local function with_progress(run, quiet, action)
  local line = progress.new { start = run.start, stop = run.stop, shown = not quiet and progress.is_terminal(2),
    colour = progress.use_colour(2) }
  local print_before = print
  if line.shown then
    run.sim:on_progress(function(time) line:update(time) end)
    _G.print = function(...)
      line:clear()
      print_before(...)
    end
  end
  local ok, result = pcall(action)
  _G.print = print_before
  line:clear()
  return ok, result, line:elapsed()
end

local function write_files(run)
  if not run.log or #run.log.time == 0 then return end
  for _, item in ipairs(given(run.args, "write")) do item[1].write(run, item[2]) end
end

local function tell(run, status, elapsed)
  complaint.say(summary.ending(run.scenario.model.name, status, run.start, elapsed))
  complaint.say(summary.statistics(run.sim.stats))
  local seed = summary.seed(run.sim)
  if seed then complaint.say(seed) end
  if not run.log then return end
  local events = summary.events(run.log)
  if events ~= "" then complaint.say(events) end
  if #run.log.columns > 0 and #run.log.time > 1 then
    complaint.say ""
    local drawn = { colour = progress.use_colour(1), most = 4 }
    io.stdout:write(require("saltus.output.plot").draw("terminal", run.log, drawn))
  end
end

-- After a failure, files are still written with the rows before it.
local function fail_run(run, wrong)
  local message = complaint.message_of(wrong)
  local failure = run.sim.failure
  local time = type(failure) == "table" and failure.time
  if time and not message:find "t = " then
    message = numerals.format("%s (in %s at t = %.10g)", message, run.scenario.model.name, time)
  end
  local written, why = pcall(write_files, run)
  complaint.raise(FAILED, "%s%s", message, written and "" or "\nsaltus: " .. complaint.message_of(why))
end

-- A signal or the model ended the run; its files were written.
local function end_interrupted(caught, time)
  local why = caught and caught.closed and "standard output was closed: " or ""
  error(complaint.new { code = caught and caught.code or FAILED, interrupted = true,
    message = numerals.format("%sinterrupted at t = %.10g", why, time) }, 0)
end

local function run_once(s, args)
  local run = prepare(s, args)
  local ok, status, elapsed = with_progress(run, args.quiet, function() return run.sim:advance_to(run.stop) end)
  interruption.hold()
  local caught = interruption.caught()
  for _, warning in ipairs(run.sim.warnings) do complaint.aloud("warning", warning.message) end
  if not ok and caught then status = { reason = "interrupted", time = run.sim.context.time } end
  if not ok and not caught then fail_run(run, status) end
  write_files(run)
  if not args.quiet and not (caught and caught.closed) then tell(run, status, elapsed) end
  if caught or status.reason == "interrupted" then end_interrupted(caught, status.time) end
  return complaint.SUCCESS
end

-- Runs the scenario that load() returns with the parsed options `args`; returns the exit status.
function scenario_run.run(args, load)
  local function once() return run_once(load(), args) end
  for _, item in ipairs(given(args, "around")) do
    local option, value, inner = item[1], item[2], once
    once = function() return option.around(value, args, inner) end
  end
  return once()
end

return scenario_run
