-- Messages about failed runs and warnings. They name the system, the time, the value and the remedy.
local core = require "saltus.core"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local errors = {}

local code, caller = core.constants.status, core.constants.caller

local reasons = { [code.ECALLBACK] = "event_handler_failed", [code.ESTEP] = "step_failed", [code.ENAN] = "model_failed",
  [code.EZENO] = "events_accumulate", [code.EHANDLER] = "event_handler_failed", [code.ETIME] = "time_failed",
  [code.ENOMEM] = "not_enough_memory", [code.EOFF] = "off_constraints", [code.EPAST] = "model_failed" }

-- Returns the name of an element of the continuous state, and the number of its part.
local function variable(self, element)
  local found = self.model:state_elements()[element]
  if not found then return "the state" end
  return ("%q of %q"):format(found.name, self.model:part_name(found.part)), found.part
end

-- The warning of an explicit method about stiffness.
function errors.stiffness(self)
  local t, element = self.core:stiffness()
  local who, part = variable(self, element)
  return { time = t, system = part and self.model:part_name(part), variable = who, kind = "stiff",
    message = self.core:stiffness_text() }
end

-- A warning of the engine; `message` is its sentence.
function errors.warning(self, time, part, event, element, kind, message)
  local of
  if element then
    of, part = variable(self, element)
  elseif event then
    of = self.model.parts[part].system.events[event].name
  end
  return { time = time, system = part and self.model:part_name(part), event = event and of,
    variable = element and of, kind = kind, message = message }
end

-- Whether a step failed because of a variable, whose part the report names.
local function is_of_variable(self, report)
  local _, _, element, _, _, off = self.core:failed_step()
  return report.code == code.ESTEP and element ~= nil and not off
end

-- The function of the model in which to look for the cause: one of the event, or the derivatives; nil if unknown.
local function suspect(self, report)
  if is_of_variable(self, report) then return self.model.parts[report.part].system.derivatives end
  local event = report.event and self.model.parts[report.part].system.events[report.event]
  if not event then return nil end
  return report.code == code.EHANDLER and event.handler or event.witness or event.becomes or event.next_time
    or event.handler
end

local in_words = { [caller.monitor] = "the monitor", [caller.jacobian] = "the jacobian",
  [caller.watch] = "a watch" }

-- What Lua says of a closure that yields has no position, and no remedy.
local function of_yield(object, fn)
  local place = names.defined(fn)
  return ("%s%s; closures must not yield: write a story, or an event with next_time"):format(
    place and place .. ": " or "", object)
end

-- Adds to the text of an error the position where it was raised. `closure`: a number of self.closure, or a caller.
local function decorated(self, object, report, closure)
  if type(object) ~= "string" then return object end
  local who = in_words[closure] or "a log"
  if closure <= caller.history then -- that of the first part; one less for each that follows
    who = "the history of " .. self.model:part_name(caller.history - closure + 1)
  elseif closure > 0 then
    local c = self.closure(closure)
    who = ("%s of %s"):format(c.event and c.event.name or c.what, self.model:part_name(c.part))
    if object:find "^attempt to yield" then object = of_yield(object, c.fn) end
  end
  return numerals.format("%s (in %s at t = %t)", object, who, report.time)
end

-- The sentence of the engine. It names functions as they are called in C.
local function sentence(self, report)
  local fn = suspect(self, report)
  local text = self.core:failure_text(report.code, report.time, report.part, report.event, report.text, report.blame,
    report.limit, report.count, fn and names.defined(fn))
  return report.code == code.ETIME and text:gsub("sal_simulator_", "sim:") or text
end

-- The engine's results as a table.
local function collect(self, status, reason, time, boundary, part, event, text, blame, limit, count)
  local report = { code = status, reason = reason, time = time, boundary_time = boundary, part = part, event = event,
    text = text, blame = blame, limit = limit, count = count }
  report.part_name = part and self.model:part_name(part)
  report.event_name = event and self.model.parts[part].system.events[event].name
  return report
end

local function status_of(self, report)
  local watches = self.core:fired_watches()
  local terminated = report.reason == "reached_termination"
  local system = report.blame ~= "" and report.blame or report.part_name
  return { reason = report.reason, time = report.time,
    boundary_time = report.boundary_time, system = terminated and system or nil,
    event = terminated and report.event_name or nil, message = terminated and report.text or "",
    watches = watches[1] and watches or nil }
end

-- Whether the stored error is that of the first failure, which is the one to report. A handler that returns saltus.fail
-- stores none, but a later one may.
local function is_first(self, report, closure)
  if report.code ~= code.EHANDLER then return true end
  if closure <= 0 then return report.part == nil end
  local system = report.part and self.model.parts[report.part].system
  if system and (system.block or system.c_system) then return true end -- computes its input
  local c = self.closure(closure)
  return c.part == report.part and c.event ~= nil and c.event.index == report.event
end

local Failure = names.closing("a failure", { "traceback", "event", "system", "limit", "count", "story" },
  { "reason", "error", "traceback", "event", "system", "time", "limit", "count", "story" })

-- What sim.failure returns.
function errors.failure(fields) return setmetatable(fields, Failure) end

-- Returns a status; or nil, the failure and the error object to raise.
function errors.status_or_error(self, ...)
  local report = collect(self, ...)
  if report.code == 0 then return status_of(self, report) end
  local stored, closure, traceback = self.core:stored_error()
  local object
  if stored ~= nil and is_first(self, report, closure) then
    object = decorated(self, stored, report, closure)
    if type(object) == "string" then object = object .. self.core:accuracy_text(report.code) end
  else
    traceback = nil
    object = sentence(self, report)
  end
  return nil, errors.failure { reason = reasons[report.code] or "failed", error = object, traceback = traceback,
    event = report.event_name, system = report.blame ~= "" and report.blame or report.part_name, time = report.time,
    limit = report.limit, count = report.count }, object
end

-- Raises an error for an input or output that cannot be computed.
function errors.raise_port_error(engine, model, part, e, status)
  local path = names.join(model.parts[part].path, e.name)
  names.fail_if(status == code.EINPUT,
    "the input %q is read, but it is not connected and has no value; connect it, give it a default, or set "
    .. "sim.context.%s before the run", path, path)
  names.fail_if(status ~= code.ELOOP, "%q cannot be computed at t = %t: %s", path,
    engine:time(core.constants.context.run), core.status_text(status))
  local dependencies = require "saltus.model.dependencies"
  local loop = dependencies.find_loop(model)
  if not loop then names.fail("%q needs its own value: an algebraic loop", path) end
  names.fail("%s", dependencies.loop_text(model, loop))
end

return errors
