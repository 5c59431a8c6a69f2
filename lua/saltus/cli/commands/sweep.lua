-- saltus sweep FILE
local arguments = require "saltus.cli.arguments"
local complaint = require "saltus.cli.complaint"
local interruption = require "saltus.cli.interruption"
local model_file = require "saltus.cli.model_file"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local progress = require "saltus.cli.progress"
local progress_line = require "saltus.cli.progress_line"
local result_file = require "saltus.sweep.result_file"
local run_card = require "saltus.output.run_card"
local source_files = require "saltus.util.source_files"
local sweep_arguments = require "saltus.cli.sweep_arguments"
local sweep_progress = require "saltus.cli.sweep_progress"
local targets = require "saltus.cli.targets"

local function check_targets(args)
  local written = { { "--csv", args.csv }, { "--page", args.page } }
  if args.page then targets.check_extension("--page", args.page, { "html" }) end
  local list = {}
  for _, item in ipairs(written) do if item[2] and item[2] ~= "-" then list[#list + 1] = item end end
  targets.check({ "the scenario", args.file }, list, args.cases and { "--cases", args.cases })
  for _, path in ipairs(args.set_file or {}) do
    targets.check_different { { "--set-file", path }, table.unpack(list) }
  end
end

local function scenario_of(path)
  local files = source_files.new(path)
  local s = files:load(function() return model_file.scenario(path) end)
  s.sources = files:text()
  return s
end

-- Everything that is checked before a run.
local function plan(args)
  local s = scenario_of(args.file)
  local def, order = sweep_arguments.read(s, args)
  local ok, made = pcall(require("saltus.sweep").plan, def, order)
  if not ok then complaint.raise(complaint.FAILED, "%s", complaint.message_of(made)) end
  check_targets { file = args.file, cases = args.cases, set_file = args.set_file, csv = made.path, page = args.page }
  return made
end

local function work(sweep, own)
  require("saltus.sweep.workers").work(sweep, own, interruption.hold)
  local caught = interruption.caught()
  if caught then os.exit(caught.code, true) end -- the first process reports it
  return sweep.failures > 0 and complaint.FAILED or complaint.SUCCESS
end

-- Rows are replaced only on request.
local function check_rows(args, path)
  if not path or args.resume or args.force or not result_file.has_rows(path) then return end
  complaint.raise(complaint.FAILED,
    "%s has rows already; --resume continues from there, and --force replaces them", path)
end

local function tell_failures(sweep)
  if sweep.failures == 0 then return end
  local i = names.index_of(sweep.data.status, "failed")
  complaint.aloud("saltus", ("%d of %d runs failed; the first, run %d: %s"):format(sweep.failures, sweep.count,
    sweep.data.run[i], sweep.data.error[i]))
end

local function tell(sweep, args, elapsed)
  if args.quiet then return tell_failures(sweep) end
  complaint.say(tostring(sweep))
  local fresh = sweep.count - (sweep.resumed or 0)
  if fresh > 0 then
    complaint.say(numerals.format("  %d run%s in %.3g s, %.3g in a second", fresh, fresh == 1 and "" or "s", elapsed,
      fresh / elapsed))
  end
  targets.tell { sweep.path or false, sweep.count > 0 and args.page }
end

local function end_interrupted(sweep, caught)
  local why = sweep.died and not caught and sweep.died or "interrupted"
  error(complaint.new { code = caught and caught.code or complaint.FAILED, interrupted = true,
    message = ("%s after %d of %d runs%s"):format(why, sweep.done, sweep:planned(),
      sweep.path and sweep.path ~= "-" and "; --resume continues from there" or "") }, 0)
end

local function run(args, program)
  local workers = require "saltus.sweep.workers"
  local own = workers.own()
  local sweep = plan(args)
  if own then return work(sweep, own) end
  check_rows(args, sweep.path)
  sweep.command = run_card.command_line(program.arguments)
  local line = sweep_progress.new { shown = not args.quiet, in_lines = not progress.is_terminal(2),
    colour = progress.use_colour(2) }
  sweep.def.progress = function(...) line:update(...) end
  local ok, wrong = progress_line.during(line, function()
    local standing = sweep:open()
    line:begin(sweep.done)
    local jobs = math.min(args.jobs or 1, sweep:planned())
    if jobs > 1 then
      interruption.hold() -- a signal ends the workers, and then their rows
      workers.run(sweep, jobs, { arguments = program.arguments, take_along = interruption.take_along }, standing)
    else
      sweep:run(standing)
    end
    interruption.hold()
    sweep:close()
  end)
  if not ok then complaint.raise(complaint.FAILED, "%s", complaint.message_of(wrong)) end
  if args.page and sweep.count > 0 then sweep:page(args.page) end
  local caught = interruption.caught()
  if not (caught and caught.closed) then tell(sweep, args, line:elapsed()) end
  if caught or sweep.interrupted then end_interrupted(sweep, caught) end
  return sweep.failures > 0 and complaint.FAILED or complaint.SUCCESS
end

return {
  name = "sweep", doc = "Run a scenario file many times, with other values and seeds; one row for each run.",
  arguments = { model_file.scenario_argument },
  options = {
    { name = "--grid", argname = "NAME=VALUES", many = true, read = sweep_arguments.grid,
      doc = "Values of a parameter, as 1:10:0.5 (from, to, step) or 1,2,5; several make all combinations." },
    { name = "--random", argname = "NAME=RANGE", many = true, read = sweep_arguments.random,
      doc = "Random values, as 1:10, log_uniform:0.1:10, normal:5:0.2 (mean, deviation) or integer:1:6." },
    { name = "--latin-hypercube", doc = "Spread the random values evenly over their ranges." },
    { name = "--cases", argname = "FILE", doc = "A CSV file with one row of values for each case; names in line 1." },
    { name = "--runs", argname = "NUMBER", read = arguments.whole "--runs",
      doc = "How many random runs, or runs with other seeds at each point of the grid (default: 1)." },
    { name = "--seed", argname = "NUMBER", read = arguments.whole "--seed",
      doc = "Seed of the sweep, from which each run gets its own (default: 0)." },
    { name = "--measure", argname = "NAMES", read = arguments.names "--measure",
      doc = "Values at the end of a run to write, as height,speed (default: the scenario's measure, or all states)." },
    (require "saltus.cli.options.set_file"),
    { name = "--set", argname = "NAME=VALUE", doc = "Set a default for all runs (repeatable).", read = arguments.set,
      many = true },
    { name = "--duration", argname = "SECONDS", doc = "Simulated seconds of each run.",
      read = arguments.seconds "--duration" },
    { name = "--integrator", argname = "NAME", doc = "Method, like tsitouras5 or runge_kutta3." },
    { name = "--accuracy", argname = "NUMBER", doc = "Relative error that a step may make.",
      read = arguments.number "--accuracy" },
    { name = "--max-step", argname = "SECONDS", doc = "Longest step.", read = arguments.number "--max-step" },
    { name = "--csv", argname = "FILE",
      doc = "Write a row for each run; shard 2/7 writes FILE.2-of-7.csv; - is standard output." },
    { name = "--page", argname = "FILE", doc = "Write a page with scatter plots or histograms (.html)." },
    { name = "-j --jobs", argname = "NUMBER", doc = "Processes that share the runs (default: 1).",
      read = sweep_arguments.jobs },
    { name = "--resume", doc = "Do not repeat runs whose rows are in the CSV file." },
    { name = "--force", doc = "Replace the rows that are in the CSV file." },
    { name = "--shard", argname = "I/N", doc = "Only shard I of N, from 0 on; default: by the launcher's variables." },
    { name = "-q --quiet", doc = "Print only errors and what the scenario prints." },
  },
  run = run,
}
