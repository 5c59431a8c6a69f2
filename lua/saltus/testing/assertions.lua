-- The assertions of saltus.busted: one table for busted, help and documentation. check(...) returns whether it holds,
-- and a function that returns the text of the failure: of the assertion, or of its negation; the third result is true
-- if neither can be said.
local event_times = require "saltus.testing.event_times"
local formula_over_run = require "saltus.testing.formula_over_run"
local same_run = require "saltus.testing.same_run"
local trajectory = require "saltus.testing.trajectory"

return {
  { name = "holds", arguments = "run, words, { functions =, tolerance = }", check = formula_over_run.holds,
    doc = "a formula in words holds over the whole run: saltus help formula; without words, those of the scenario's "
      .. "expects; also does_not.hold" },
  { name = "event_at", arguments = "run, name, seconds, tolerance", check = event_times.event_at,
    doc = "the event fired within `tolerance` seconds of that time" },
  { name = "event_order", arguments = "run, { name, ... }", check = event_times.event_order,
    doc = "the first events of these names are those of the list, in its order; with exactly = true, no more follow" },
  { name = "near_trajectory", arguments = "run, expected, tolerance, seconds", check = trajectory.near,
    doc = "the run is near `expected` at all times: another run, functions { height = function(t) ... end }, samples "
      .. "{ time = { ... }, height = { ... } } or a CSV file. tolerance: a number, or one for each signal { height = "
      .. "1e-3 }. seconds (default: 0): by how much the times of jumps may differ" },
  { name = "same_run", arguments = "run, run", check = same_run.compare,
    doc = "both runs are the same to the bit: rows, events and the state at the end" },
}
