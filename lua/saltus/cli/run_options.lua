-- The options of `saltus run FILE` and `lua5.4 FILE`: one table for the parser, help, completions and the man page.
-- A new option is one line here; a larger one is a file of lua/saltus/cli/options/ that returns its entry, and the line
-- is (require "saltus.cli.options.name").
--
-- name, argname, doc, read, many: as in saltus.cli.parser. What an option does, each optional:
--   change       the field of scenario:prepare { ... } that it sets
--   apply        function(changes, value, scenario): sets several of them; the order is that of this table
--   expand       function(args, value, scenario): sets other options, before all others
--   extensions   { "html", "svg" }: what its file may end in
--   stream       true: the file "-" is standard output
--   write        function(run, path): writes its file after the run, also after a failure, with the rows before it
--   report       function(run, path, outcome): writes its file even without rows; outcome: status, error, elapsed.
--                With run.is_incomplete = true the command fails at its end
--   before       function(run, value): called before the first step; run: sim, log, start, stop, scenario, args
--                it may set run.film or run.driver, whose advance_to then replaces that of run.sim; a driver advances
--                the film, if there is one
--   progress     function(run, value, time): called after each of the first 64 steps, then after every 64th; with
--                run.progress_every = 1 after each. To act between two steps, it sets run.between = function(run) and
--                calls run.sim:interrupt()
--   after        function(run, value): called after the report; interrupted: only if a signal or the model ended it
--   around       function(value, args, once): runs the command; once() loads and runs the file, and returns the status
local arguments = require "saltus.cli.arguments"
local checkpoint = require "saltus.cli.options.checkpoint"
local plot = require("saltus.cli.options.plot").options

return {
  { name = "--duration", argname = "SECONDS", doc = "Simulated seconds to run.",
    read = arguments.seconds "--duration", change = "duration" },
  (require "saltus.cli.options.set_file"),
  { name = "--set", argname = "NAME=VALUE", doc = "Set the default of a state, parameter or input (repeatable).",
    read = arguments.set, many = true, apply = arguments.apply_set },
  { name = "--integrator", argname = "NAME", doc = "Method, like tsitouras5 or runge_kutta3.", change = "integrator" },
  { name = "--accuracy", argname = "NUMBER", doc = "Relative error that a step may make.",
    read = arguments.number "--accuracy", change = "accuracy" },
  { name = "--max-step", argname = "SECONDS", doc = "Longest step.", read = arguments.number "--max-step",
    change = "max_step" },
  { name = "--seed", argname = "NUMBER", doc = "Seed of all random streams.", read = arguments.whole "--seed",
    change = "seed" },
  { name = "--rate", argname = "NUMBER", read = arguments.number "--rate", change = "target_realtime_rate",
    doc = "Simulated seconds per real second; 1: real time; 0: as fast as possible." },
  { name = "--log", argname = "NAMES", doc = "Log these instead of the scenario's, as height,speed.",
    read = arguments.names "--log", apply = function(changes, list, scenario)
      list.every = type(scenario.log) == "table" and scenario.log.every or nil
      changes.log = list
    end },
  { name = "--every", argname = "SECONDS", read = arguments.seconds "--every", change = "every",
    doc = "Seconds between rows of the log, instead of the scenario's; 0: each step." },
  { name = "--expect", argname = "WORDS", many = true, read = arguments.formula "--expect",
    doc = "Fail with exit status 1 if this formula does not hold over the run (repeatable).",
    apply = function(changes, list) changes.expects = list end },
  (require "saltus.cli.options.until"),
  checkpoint.resume,
  { name = "--csv", argname = "FILE", doc = "Write the log as CSV.", stream = true,
    write = function(run, path) run.log:csv(path) end },
  { name = "--jsonl", argname = "FILE", doc = "Write the log as JSON Lines, with its events.", stream = true,
    write = function(run, path) run.log:jsonl(path) end },
  { name = "--npz", argname = "FILE", doc = "Write the log as arrays for NumPy.", extensions = { "npz" },
    write = function(run, path) run.log:npz(path) end },
  plot.file, plot.panel, plot.x, plot.log_axes,
  (require "saltus.cli.options.animate"),
  (require "saltus.cli.options.json"),
  (require "saltus.cli.options.out"),
  { name = "--force", doc = "Overwrite the files of an earlier --out." },
  checkpoint.every,
  checkpoint.file,
  (require "saltus.cli.options.profile"),
  (require "saltus.cli.options.trace"),
  (require "saltus.cli.options.live"),
  (require "saltus.cli.options.watch"),
  { name = "-q --quiet", doc = "Print only errors and what the scenario prints." },
}
