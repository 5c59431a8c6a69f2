-- sim:steps(stop, every): the loop over a run's steps, or over the multiples of a period.
local context = require "saltus.simulation.context"
local names = require "saltus.util.names"
local outcome = require "saltus.simulation.outcome"
local preconditions = require "saltus.simulation.preconditions"
local status = require "saltus.simulation.status"

local stepping_iterator = {}

-- Times within 4 ulp are the same instant.
local function same_instant(a, b)
  return a == b or math.abs(a - b) <= 0x1p-50 * math.max(math.abs(a), math.abs(b))
end

function stepping_iterator.new(self, stop, every)
  preconditions.assert_idle(self, preconditions.RUNS)
  preconditions.check_future_time(self, stop, "steps")
  names.check(every == nil or type(every) == "number" and every > 0, every,
    "steps: every must be a number of seconds greater than 0")
  preconditions.check_inputs(self)
  local engine, seen = self.core, self.inner.seen
  local site = {}
  local view = context.new(engine, self.model, context.VIEW, false, "", site)
  local ended = false
  local function step()
    outcome.reset() -- the body of the loop may have made an outcome
    local stories = self.inner.stories
    local now = stories and stories:step(stop) or status.raise_or_return_status(self, engine:step(stop))
    ended = now.reason == "reached_termination" or now.reason == "interrupted" or now.time >= stop
    return now.time, now.reason ~= "interrupted"
  end
  if not every then
    return function()
      if ended then return nil end
      local t, stepped = step()
      if stepped then return t, seen end
    end
  end
  local now = engine:time(context.RUN)
  local k = math.floor(now / every) + 1
  if same_instant(k * every, now) then k = k + 1 end
  return function()
    local t = k * every
    context.show(engine, nil)
    while t > now and not same_instant(t, now) and not ended do now = step() end
    if same_instant(t, now) then
      k = k + 1
      return t, seen
    end
    if t > now then return nil end
    k = k + 1
    names.fail_if(not engine:state_at(t),
      "steps: t = %.17g is before the last step; was the simulator advanced inside the loop?", t)
    context.look(engine, site)
    context.show(engine, t)
    return t, view
  end
end

return stepping_iterator
