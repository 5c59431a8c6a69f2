-- sim:feed("hand.x", t1, value): moves an input that is not connected on a straight line to `value` at t1.
local context = require "saltus.simulation.context"
local core = require "saltus.core"
local variable = require "saltus.model.variable"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local preconditions = require "saltus.simulation.preconditions"

local code = core.constants.status

local CLOSURE = "a closure cannot feed an input; the host does, between calls"

local function input_at(m, path)
  local part, e, element = m:resolve(path)
  if not part then names.fail("feed: %s", e) end
  if e.partition ~= "input" then names.fail("feed: %q is not an input; only an input can be fed", path) end
  names.fail_if(element, "feed: %q is one element; feed the whole input, a list of %d numbers", path, e.size)
  local from = m:feeder(part, e)
  if from then names.fail("feed: %q is connected to %q; only an input without connection can be fed", path, from) end
  if e.values or e.abstract then names.fail("feed: %q holds no numbers that flow; set it instead", path) end
  return part, e
end

local function check_time(self, path, t1)
  preconditions.check_time(t1, "feed")
  local now = self.core:time(context.RUN)
  names.fail_if(not (t1 > now and t1 < math.huge),
    "feed(%q): the line must end at a finite time later than now, t = %.17g; got %.17g", path, now, t1)
end

-- The end of the line as a list of numbers.
local function ends(e, path, value)
  local who = ("feed: the value of %q"):format(path)
  local checked = variable.value(e, value, who)
  local list = e.vector and checked or { checked }
  for _, number in ipairs(list) do names.check(numerals.is_finite(number), number, "%s must be finite", who) end
  return list
end

local reasons = {
  [code.EINPUT] = "it has no value yet to begin from; give it a default, or set sim.context.%s first",
  [code.EINVAL] = "its values now and then are too far apart",
  [code.ETIME] = "the line would end at the instant at which it begins; let it end later by more than rounding",
}

return function(self, path, t1, value)
  preconditions.assert_idle(self, CLOSURE)
  context.check_present(self.core)
  local part, e = input_at(self.model, path)
  check_time(self, path, t1)
  local status = self.core:feed(part, e.index, t1, ends(e, path, value))
  if status ~= 0 then
    names.fail("feed(%q): %s", path, (reasons[status] or core.status_text(status)):format(path))
  end
end
