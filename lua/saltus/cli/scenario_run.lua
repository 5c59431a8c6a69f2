-- One run of a scenario from the command line: before it, its files are checked; after it, they are written and the
-- run is reported.
local complaint = require "saltus.cli.complaint"
local interruption = require "saltus.cli.interruption"
local numerals = require "saltus.util.numerals"
local options = require "saltus.cli.run_options"
local parser = require "saltus.cli.parser"
local plot_option = require "saltus.cli.options.plot"
local progress = require "saltus.cli.progress"
local progress_line = require "saltus.cli.progress_line"
local scenario = require "saltus.simulation.scenario"
local summary = require "saltus.output.summary"
local targets = require "saltus.cli.targets"

local scenario_run = {}

local FAILED = complaint.FAILED

-- The options that were given and have the field `hook`: a list of { option, value }.
local function given(args, hook)
  local list = {}
  for _, option in ipairs(options) do
    local value = args[parser.key(option)]
    local absent = value == nil or value == false or option.many and value[1] == nil
    if option[hook] and not absent then list[#list + 1] = { option, value } end
  end
  return list
end

-- The changes of scenario `s` by the parsed options `args`, as scenario:prepare takes them.
function scenario_run.changes_of(args, s)
  local changes = {}
  for _, item in ipairs(given(args, "change")) do changes[item[1].change] = item[2] end
  for _, item in ipairs(given(args, "apply")) do
    item[1].apply(changes, item[2], s)
  end
  return changes
end

-- The options of both kinds that write a file.
local function writers(args)
  local list = given(args, "report")
  for _, item in ipairs(given(args, "write")) do list[#list + 1] = item end
  return list
end

local function check_targets(args)
  local written, streams = {}, 0
  for _, item in ipairs(writers(args)) do
    local option, path = item[1], item[2]
    local name = parser.long_name(option)
    if option.extensions then targets.check_extension(name, path, option.extensions) end
    if option.stream and path == "-" then
      streams, args.quiet = streams + 1, true
      if streams > 1 then complaint.raise(complaint.USAGE, "only one result can go to standard output") end
    else
      written[#written + 1] = { name, path }
    end
  end
  targets.check({ "the scenario", args.file }, written)
end

local function prepare(s, args)
  for _, item in ipairs(given(args, "expand")) do item[1].expand(args, item[2], s) end
  check_targets(args)
  local changes = scenario_run.changes_of(args, s)
  local ready, run = pcall(s.prepare, s, changes)
  if not ready then complaint.raise(FAILED, "%s", complaint.message_of(run)) end
  complaint.raise_if(not run.log and given(args, "write")[1], FAILED,
    "nothing will be logged (the scenario says log = false), so there would be nothing to write")
  run.scenario, run.args, run.changes = s, args, changes
  local expected, expectations = pcall(scenario.expectations, s, run, changes)
  if not expected then complaint.raise(FAILED, "%s", complaint.message_of(expectations)) end
  run.expectations = expectations
  for _, item in ipairs(given(args, "before")) do item[1].before(run, item[2]) end
  return run
end

-- The last step, and how many events ran.
local function details_of(sim)
  local stats = sim.core:stats()
  return sim.core:integrator().previous_integration_step_size,
    stats.publishes + stats.discrete_updates + stats.unrestricted_updates
end

local function progress_of(run, quiet)
  local on_terminal = progress.is_terminal(2)
  return progress.new { start = run.start, stop = run.stop, shown = not quiet, in_lines = not on_terminal,
    colour = progress.use_colour(2), width = progress.width(2), details = function() return details_of(run.sim) end }
end

-- Formulas that are known to fail by now.
local function tell_failed_expectations(run, line)
  for _, sentence in ipairs(run.expectations:news()) do
    line:clear()
    complaint.aloud("expected", sentence)
  end
end

-- Calls fn(time) after each of the first `every` steps, which may be all, and then after every such number of steps.
local function call_at_steps(core, fn, every)
  local calls = 0
  core:set_progress(function(time)
    calls = calls + 1
    if calls == every then core:set_progress(fn, every) end
    fn(time)
  end, 1)
end

-- The hooks `progress` of options are called as often as the line, and expectations are looked at.
local function with_progress(run, quiet, action)
  local line, hooks = run.display or progress_of(run, quiet), given(run.args, "progress")
  if line.shown or hooks[1] or run.expectations then
    call_at_steps(run.sim.core, function(time)
      line:update(time)
      if run.expectations then tell_failed_expectations(run, line) end
      for _, item in ipairs(hooks) do item[1].progress(run, item[2], time) end
    end, run.progress_every or 64)
  end
  local ok, result = progress_line.during(line, action)
  return ok, result, line:elapsed()
end

-- outcome: status, error (a text), elapsed
-- Returns the paths.
local function write_files(run, outcome)
  local paths = {}
  for _, hook in ipairs { "report", run.log and #run.log.time > 0 and "write" or nil } do
    for _, item in ipairs(given(run.args, hook)) do
      item[1][hook](run, item[2], outcome)
      paths[#paths + 1] = item[2]
    end
  end
  return paths
end

local function tell_run(run, status, elapsed)
  complaint.say(summary.ending(run.scenario.model.name, status, run.start, elapsed))
  complaint.say(summary.statistics(run.sim.stats))
  for _, line in ipairs { summary.changes(run.sim) or false, summary.seed(run.sim) or false } do
    if line then complaint.say(line) end
  end
  local parked = run.stories and tostring(run.stories:parked()) or ""
  if parked ~= "" then complaint.say("stories that still wait:\n" .. parked) end
  if not run.log then return end
  local events = summary.events(run.log)
  if events ~= "" then complaint.say(events) end
  if #run.log.columns > 0 and #run.log.time > 1 then
    complaint.say ""
    local drawn = plot_option.of(run.args)
    drawn.colour, drawn.most = progress.use_colour(1), not drawn[1] and 4 or nil
    io.stdout:write(require("saltus.output.plot").draw("terminal", run.log, drawn))
  end
end

-- The warnings of the run that were not told yet.
local function tell_warnings(run)
  local list = run.sim.warnings
  for i = (run.told or 0) + 1, #list do complaint.aloud("warning", list[i].message) end
  run.told = #list
end

-- The message of an error. One that is no text has no position: the traceback has it.
local function message_of(wrong, failure)
  local text = complaint.message_of(wrong)
  local traceback = type(wrong) ~= "string" and type(failure) == "table" and failure.traceback
  local place = traceback and traceback:match "\n\t([^%[\n][^\n]-:%d+):"
  return place and place .. ": " .. text or text
end

-- After a failure, files are still written with the rows before it.
local function fail_run(run, wrong, elapsed)
  local failure = run.sim.failure
  local message = message_of(wrong, failure)
  local time = type(failure) == "table" and failure.time
  if time and not message:find "t = " then
    local event, name = failure.event, failure.system or run.scenario.model.name
    message = numerals.format("%s (in %s%s at t = %.10g)", message, event and event .. " of " or "", name, time)
  end
  local status = { reason = failure and failure.reason or "failed", time = time }
  local written, why = pcall(write_files, run, { status = status, error = message, elapsed = elapsed })
  tell_warnings(run)
  local readable, state = pcall(summary.state, run.sim)
  complaint.raise(FAILED, "%s%s%s", message, readable and state and "\n  " .. state or "",
    written and "" or "\nsaltus: " .. complaint.message_of(why))
end

-- Checks what the run was expected to fulfil; the command fails if it did not.
local function check_expectations(run)
  local ok, results = pcall(run.expectations.results, run.expectations)
  if not ok then complaint.raise(FAILED, "%s", complaint.message_of(results)) end
  for _, result in ipairs(results) do
    if not result.holds then
      complaint.aloud("expected", result.text)
      run.is_incomplete = true
    elseif not run.args.quiet then
      complaint.say("  " .. result.text:match "^[^\n]*")
    end
  end
end

-- Where a signal stopped a closure or a story that did not return, from the error that this raised.
local function place_of(stopped)
  local line, closure = complaint.message_of(stopped):match "^(.-): interrupted %(in (.*) at t = [^%)]*%)"
  return line and (" (in %s, %s)"):format(closure, line) or ""
end

-- A signal or the model ended the run; its files were written.
local function end_interrupted(caught, time, place)
  local why = caught and caught.closed and "standard output was closed: " or ""
  error(complaint.new { code = caught and caught.code or FAILED, interrupted = true,
    message = numerals.format("%sinterrupted at t = %.10g%s", why, time, place) }, 0)
end

-- Advances to the end. Where an option interrupts the run, it acts and the run continues.
local function advance(run)
  local status
  local driver = run.driver or run.film or run.sim
  repeat
    status = driver:advance_to(run.stop)
    local between = status.reason == "interrupted" and not interruption.caught() and run.between or nil
    if between then
      run.between = nil
      between(run)
    end
  until not between
  return status
end

local function run_once(s, args)
  local run = prepare(s, args)
  local ok, status, elapsed = with_progress(run, args.quiet, function() return advance(run) end)
  run.elapsed = elapsed
  interruption.hold()
  local caught = interruption.caught()
  tell_warnings(run)
  local place = not ok and place_of(status) or ""
  if not ok and caught then status = { reason = "interrupted", time = run.sim.context.time } end
  if not ok and not caught then fail_run(run, status, elapsed) end
  local paths = write_files(run, { status = status, elapsed = elapsed })
  tell_warnings(run)
  if not args.quiet and not (caught and caught.closed) then
    tell_run(run, status, elapsed)
    targets.tell(paths)
  end
  for _, item in ipairs(given(args, "after")) do item[1].after(run, item[2]) end
  if status.reason == "interrupted" then
    for _, item in ipairs(given(args, "interrupted")) do item[1].interrupted(run) end
  end
  if caught or status.reason == "interrupted" then end_interrupted(caught, status.time, place) end
  if run.expectations then check_expectations(run) end
  return run.is_incomplete and FAILED or complaint.SUCCESS
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
