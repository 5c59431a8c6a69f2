-- The witness of an event, as Drake's WitnessFunction describes it.
--
--   local w = sim:witness "bounce"
--   print(w.description, w.direction, w:value(), w:should_trigger(1, -1), w.event, w.system)
local names = require "saltus.util.identifiers"
local preconditions = require "saltus.simulation.preconditions"

local witness = {}

local numbers = { crossing = 0, falling = 1, rising = 2, none = 3, turning = 4 } -- sal_direction

local Witness = { __name = "saltus.witness" }
Witness.__index = Witness

local places = setmetatable({}, { __mode = "k" })

-- At the context as it is; its `when` is not asked.
function Witness:value()
  local place = places[self]
  preconditions.assert_idle(place.sim, preconditions.LOOKS)
  return place.sim.core:witness_value(place.part, place.index)
    or names.fail("the witness %q cannot be computed here", self.name)
end

-- Does it fire going from w0 to w1, at the two ends of a step?
function Witness:should_trigger(w0, w1)
  for _, value in ipairs { w0 or false, w1 or false } do
    if type(value) ~= "number" then
      names.fail("should_trigger takes the witness's values at two ends, got %s", names.show(value))
    end
  end
  return places[self].sim.core:should_trigger(numbers[self.direction], w0, w1)
end

function Witness:__tostring() return ("witness %s of %s (%s)"):format(self.name, self.system, self.direction) end

names.with_colon(Witness, Witness.__name)

function witness.new(sim, path)
  local part, e = sim.model:event(path)
  if not part then names.fail("witness: %s", e) end
  if e.trigger ~= "witness" then names.fail("witness: event %q has no witness; its trigger is another", path) end
  local p = sim.model.parts[part]
  local self = setmetatable({ name = path, description = e.doc or path, direction = e.direction,
    event = e.kind ~= "none" and e.kind or nil, system = p.path ~= "" and p.path or p.system.name }, Witness)
  places[self] = { sim = sim, part = part, index = e.index }
  return self
end

return witness
