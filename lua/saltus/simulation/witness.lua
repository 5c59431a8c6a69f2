-- The witness of an event, as Drake's WitnessFunction describes it.
--
--   local w = sim:witness "bounce"
--   print(w.description, w.direction, w:value(), w:should_trigger(1, -1), w.event, w.system)
local names = require "saltus.util.names"
local preconditions = require "saltus.simulation.preconditions"

local witness = {}

local directions = require("saltus.core").constants.direction

local Witness = { __name = "saltus.witness" }
Witness.__index = Witness

local places = setmetatable({}, { __mode = "k" })

-- The value in the current context, whatever its `when` returns.
function Witness:value()
  local place = places[self]
  preconditions.assert_idle(place.sim, preconditions.LOOKS)
  return place.sim.core:witness_value(place.part, place.index)
    or names.fail("the witness %q cannot be computed here", self.name)
end

-- Whether it fires in a step from the value w0 to w1.
function Witness:should_trigger(w0, w1)
  for _, value in ipairs { w0 or false, w1 or false } do
    names.check(type(value) == "number", value, "should_trigger takes the witness's values at two ends")
  end
  return places[self].sim.core:should_trigger(directions[self.direction], w0, w1)
end

function Witness:__tostring() return ("witness %s of %s (%s)"):format(self.name, self.system, self.direction) end

names.with_colon(Witness, Witness.__name)
names.closed(Witness, "a witness", { "name", "description", "direction", "event", "system" })

function witness.new(sim, path)
  local part, e = sim.model:event(path)
  if not part then names.fail("witness: %s", e) end
  if e.trigger ~= "witness" then names.fail("witness: event %q has no witness; its trigger is another", path) end
  local self = setmetatable({ name = path, description = e.doc or path, direction = e.direction,
    event = e.kind ~= "none" and e.kind or nil, system = sim.model:part_name(part) }, Witness)
  places[self] = { sim = sim, part = part, index = e.index }
  return self
end

return witness
