-- What surrounds every deed of a simulator: the checks before it, and what the engine answered.
local context = require "saltus.simulation.context"
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"
local outcome = require "saltus.simulation.outcome"

local stepping = {}

-- Words for what went wrong are loaded when something does.
local function errors() return require "saltus.simulation.errors" end

-- Each warning is given once: in sim.warnings, and through Lua's own warn (lua5.4 -W shows it).
local function add_warning(self, warning)
  local list = self.inner.warnings
  list[#list + 1] = warning
  warn("saltus: ", warning.message)
end

local function add_warnings(self, time, ...)
  if not time then return end
  add_warning(self, errors().warning(self, time, ...))
  return add_warnings(self, self.core:next_warning())
end

local function collect_warnings(self)
  if not self.inner.stiff and self.core:stiffness() then
    self.inner.stiff = true
    add_warning(self, errors().stiffness(self))
  end
  add_warnings(self, self.core:next_warning())
end

local Status = {}

function Status:__tostring()
  local who = self.event and (" (%s of %s)"):format(self.event, self.system) or ""
  local why = self.message ~= "" and ": " .. self.message or ""
  return numerals.format("%s at t = %.10g s%s%s", self.reason, self.time, why, who)
end

-- What an advance answers; print(status) is a line.
function stepping.status(fields) return setmetatable(fields, Status) end

local function read(self, code, reason, time, boundary, ...)
  if code == 0 and reason == "reached_boundary_time" then
    return stepping.status { reason = reason, time = time, boundary_time = boundary, message = "" }
  end
  return errors().status_or_error(self, code, reason, time, boundary, ...)
end

-- What the engine answered: a status, or an error raised.
function stepping.raise_or_return_status(self, ...)
  collect_warnings(self)
  local status, failure, object = read(self, ...)
  self.inner.status = status
  self.inner.failure = failure
  if failure then error(object, 0) end
  return status
end

-- Before a run goes on. Outcomes that were made meanwhile are nobody's.
function stepping.assert_idle(self, complaint)
  if self.core:running() then names.fail("%s", complaint) end
  if complaint == stepping.RUNS then context.show(self.core, nil) end
  outcome.reset()
end

-- Before what may start the run.
function stepping.check_inputs(self)
  if self.needed[1] and not self.core:initialized() then
    require("saltus.model.unconnected_inputs").check(self.core, self.model, self.needed)
  end
end

stepping.RUNS = "the simulator is already advancing; a closure cannot advance it"
stepping.SCHEDULES = "a closure cannot schedule events; let it write the discrete variable of an event with next_time"
stepping.KEEPS = "a run is saved, loaded and cloned between calls only, not by a closure of its own"
stepping.SETS = "settings can be changed between calls only, not by a closure of the run"
stepping.RECORDS = "a log is made between calls only, not by a closure of the run"
stepping.LOOKS = "state_at can be asked between calls only"

function stepping.check_time(t, what)
  if type(t) ~= "number" then names.fail("%s: time must be a number of seconds, got %s", what, names.show(t)) end
  if t ~= t then names.fail("%s: time must be a number, got NaN", what) end
  return t
end

function stepping.check_future_time(self, t, what)
  stepping.check_time(t, what)
  local now = self.core:time(context.RUN)
  if t < now then
    names.fail("%s(%.17g): time is already %.17g and cannot go back; set sim.context.time and initialize", what, t, now)
  end
  return t
end

return stepping
