-- --until WORDS: ends the run where a condition, an event or a formula becomes true.
local arguments = require "saltus.cli.arguments"
local complaint = require "saltus.cli.complaint"

-- A condition or an event ends the run where it first holds; a formula with operators of time, where it is known to
-- hold from the start on.
local function monitored(words, sim)
  local formula = require "saltus.formula"
  local grammar, meaning = require "saltus.formula.grammar", require "saltus.formula.meaning"
  local tree, timed = formula.parse(words), false
  local emits = require("saltus.story.emits").of(sim)
  meaning.of(tree, sim.model, nil, { emits = emits }) -- its errors quote the words as they were given
  grammar.visit(tree.root, function(node) timed = timed or meaning.is_temporal[node.op] end)
  return timed and tree or formula.eventually(tree)
end

-- Advances as the simulator does; the status has the reason "reached_formula" if the words ended the run.
local function driver_of(run, words)
  local sim = run.sim
  local monitor = require("saltus.formula").monitor(monitored(words, sim), sim)
  local driver = {}
  function driver:advance_to(t)
    monitor.driver = run.film or sim
    local status = monitor:advance_to(t)
    local own = status.reason == "reached_watch" or status.reason == "halted"
    if monitor.holds == false and own then status = monitor.driver:advance_to(t) end -- it will never hold
    if not monitor.holds then return status end
    return { reason = "reached_formula", time = monitor.time, boundary_time = t, message = words }
  end
  return driver
end

return {
  name = "--until", argname = "WORDS", read = arguments.formula "--until",
  doc = "End the run where this condition, event or formula becomes true, as \"level < 1\".",
  before = function(run, words)
    local ok, driver = pcall(driver_of, run, words)
    if not ok then complaint.raise(complaint.FAILED, "%s", complaint.message_of(driver)) end
    run.driver = driver
  end,
}
