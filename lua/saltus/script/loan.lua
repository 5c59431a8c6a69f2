-- Simulators that a program in C borrows (saltus/script.h).
local names = require "saltus.util.names"

local loan = {}

local function simulator_in(value)
  if type(value) ~= "table" then return nil end
  if names.kind(value) == "simulator" then return value end
  local inner = rawget(value, "sim")
  return names.kind(inner) == "simulator" and inner or nil
end

local remedy = {
  scenario = "; scenario:prepare() makes one, and returns it as `sim`",
  system = "; saltus.simulator(system) makes one",
  diagram = "; saltus.simulator(diagram) makes one",
}

-- The core of a simulator, or of the `sim` in the result of a scenario.
function loan.core_of(value)
  local sim = simulator_in(value)
  local kind = names.kind(value)
  names.fail_if(not sim, "sal_script_simulator: expected a simulator, got %s%s", names.show(value), remedy[kind] or "")
  names.fail_if(sim.inner.stories,
    "sal_script_simulator: the simulator of %q has stories, which only sim:advance_to and its kin run", sim.model.name)
  return sim.core
end

return loan
