-- --json FILE: the run card for a script, with how the run ended. It is written even if the run fails.
local run_card = require "saltus.output.run_card"
local whole_file = require "saltus.util.whole_file"

return {
  name = "--json", argname = "FILE", stream = true,
  doc = "Write a report for scripts: how the run ended, its seed, changes, statistics and events.",
  report = function(run, path, outcome)
    local card = run_card.of(run.sim, { log = run.log, status = outcome.status })
    card.error, card.elapsed = outcome.error, outcome.elapsed
    whole_file.write(path, "--json", function(put) put(run_card.json(card), "\n") end)
  end,
}
