-- Checks at the beginning of a simulator's methods.
local context = require "saltus.simulation.context"
local names = require "saltus.util.names"
local outcome = require "saltus.simulation.outcome"

local preconditions = {}

-- Raises an error while the run advances. Forgets outcomes that were made since the last call: no handler returned
-- them.
function preconditions.assert_idle(self, complaint)
  if self.core:running() then names.fail(complaint) end
  if complaint == preconditions.RUNS then context.show(self.core, nil) end
  outcome.reset()
end

-- Before the run starts.
function preconditions.check_inputs(self)
  if self.needed[1] and not self.core:initialized() then
    require("saltus.model.unconnected_inputs").check(self.core, self.model, self.needed)
  end
end

preconditions.RUNS = "the simulator is already advancing; a closure cannot advance it"
preconditions.SCHEDULES = "a closure cannot schedule events; "
  .. "let it write the discrete variable of an event with next_time"
preconditions.WATCHES = "a closure cannot add or remove a watch; do so between calls"
preconditions.KEEPS = "a run is saved, loaded and cloned between calls only, not by a closure of its own"
preconditions.SETS = "settings can be changed between calls only, not by a closure of the run"
preconditions.RECORDS = "a log is made between calls only, not by a closure of the run"
preconditions.LOOKS = "the state can be read between calls only, not by a closure of the run"

function preconditions.check_time(t, what)
  names.check(type(t) == "number", t, "%s: time must be a number of seconds", what)
  if t ~= t then names.fail("%s: time must be a number, got NaN", what) end
  return t
end

function preconditions.check_future_time(self, t, what)
  preconditions.check_time(t, what)
  local now = self.core:time(context.RUN)
  names.fail_if(t < now,
    "%s(%.17g): time is already %.17g and cannot go back; set sim.context.time and initialize", what, t, now)
  return t
end

return preconditions
