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

-- The remedy if stability limits the steps. "auto" does not use matrices that would be too large.
local function cure_of_stiffness(self)
  return self.core:integrator().name == "auto"
    and "jacobian_pattern = { lower, upper }, where it is a band, lets \"auto\" take longer ones"
    or "integrator = \"auto\" or \"radau5\" takes longer ones"
end

-- The warning of an explicit method about stiffness.
function errors.stiffness(self)
  local t, element, method = self.core:stiffness()
  local who, part = variable(self, element)
  return { time = t, system = part and self.model:part_name(part), variable = who, kind = "stiff", message =
    numerals.format("%s is stiff from about t = %.6g on: stability, not accuracy, limits the steps of %s, by %s; %s",
      self.model.name, t, method, who, cure_of_stiffness(self)) }
end

-- A warning of the engine; its text follows the name of its subject.
function errors.warning(self, time, part, event, element, kind, text)
  local who = part and self.model:part_name(part) or self.model.name
  local of
  if element then
    of, part = variable(self, element)
  elseif event then
    of = self.model.parts[part].system.events[event].name
  end
  local subject = element and of or event and ("%s of %s"):format(of, who) or who
  return { time = time, system = part and self.model:part_name(part), event = event and of,
    variable = element and of, kind = kind, message = numerals.format("%s %s (at t = %t)", subject, text, time) }
end

local function step_failed(self, report)
  local t, step, element, value, not_finite, off, unmet = self.core:failed_step()
  if off then
    return numerals.format("the step from t = %t failed: however short, down to %.3g s, it leads to where %s of %q "
      .. "cannot be met", t, step, report.text, report.part_name or self.model.name)
  end
  local who, part
  if element then
    who, part = variable(self, element)
    report.derivatives_of, report.part_name = part, part and self.model:part_name(part)
  end
  if unmet then
    return numerals.format("the step from t = %t failed: the equation of %s, which has no derivative, is not met: it "
      .. "computes %.6g, not 0, and no value near this one makes it 0; let the event that changes it, or the start, "
      .. "write values that meet it", t, who, value)
  elseif not_finite and element then
    local smaller = step > 0 and numerals.format("; smaller steps, down to %.3g s, do not help", step) or ""
    return numerals.format("the step from t = %t failed: the derivative or value of %s is %s%s; look at what "
      .. "derivatives computes there", t, who, names.show(value), smaller)
  elseif element then
    local cure = self.core:stiffness() and "the system is stiff: " .. cure_of_stiffness(self)
      or "loosen accuracy, lower min_step, or look for a jump that should be an event, or a singularity"
    return numerals.format("the step from t = %t failed: %s needs steps below the minimum (%.3g s); %s", t, who,
      self.core:integrator().working_minimum_step_size, cure)
  end
  if t + step == t then
    return numerals.format("the step from t = %t failed: steps of %.3g s do not change the time in floating point"
      .. "; start nearer to t = 0, or allow longer steps", t, step)
  end
  local mass = false
  for _, content in ipairs(self.model.declared) do mass = mass or content.mass ~= nil end
  return numerals.format("the step from t = %t failed: the model refuses every step down to %.3g s%s", t, step, mass
    and "; check that the equations without a derivative determine their variables" or "")
end

-- The function of the model in which to look for the cause: one of the event, or the derivatives; nil if unknown.
local function suspect(self, report)
  if report.derivatives_of then return self.model.parts[report.derivatives_of].system.derivatives end
  local event = report.event and self.model.parts[report.part].system.events[report.event]
  if not event then return nil end
  return report.code == code.EHANDLER and event.handler or event.witness or event.becomes or event.next_time
    or event.handler
end

-- "in touch of ball, ball.lua:7, at t = 0.5"
local function where(self, report)
  local who = report.event and ("%s of %s"):format(report.event_name, report.part_name) or report.part_name
  local fn = suspect(self, report)
  local line = fn and names.defined(fn)
  return numerals.format("%s%sat t = %t", who and "in " .. who .. (line and ", " or " ") or "",
    line and line .. ", " or "", report.time)
end

local in_words = { [caller.monitor] = "the monitor", [caller.jacobian] = "the jacobian",
  [caller.watch] = "a watch" }

-- Adds to the text of an error the position where it was raised. `closure`: a number of self.closure, or a caller.
local function decorated(self, object, report, closure)
  if type(object) ~= "string" then return object end
  local who = in_words[closure] or "a log"
  if closure <= caller.history then -- that of the first part; one less for each that follows
    who = "the history of " .. self.model:part_name(caller.history - closure + 1)
  elseif closure > 0 then
    local c = self.closure(closure)
    who = ("%s of %s"):format(c.event and c.event.name or c.what, self.model:part_name(c.part))
  end
  return numerals.format("%s (in %s at t = %t)", object, who, report.time)
end

local messages = {
  [code.ETIME] = function(_, report)
    return (report.text:gsub("sal_simulator_", "sim:")) -- the engine names functions as they are called in C
  end,
  [code.ESTEP] = step_failed,
  [code.EOFF] = function(_, report)
    return report.text ~= "" and report.text or "the constraints cannot be met here"
  end,
  [code.EPAST] = function() return "a delay is negative, or longer than its recorded past (option max_delay)" end,
  [code.EHANDLER] = function(_, report) return report.text ~= "" and report.text or "a handler reported failure" end,
  [code.EZENO] = function(_, report)
    if report.count == 0 then return report.text end
    if report.limit ~= report.limit then return ("%s [%d firings]"):format(report.text, report.count) end
    return numerals.format("%s [%d firings, accumulating at t = %.7g]", report.text, report.count, report.limit)
  end,
}

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
  if report.part and self.model.parts[report.part].system.block then return true end -- computes its input
  local c = self.closure(closure)
  return c.part == report.part and c.event ~= nil and c.event.index == report.event
end

local LOOSE = 1e-3 -- an accuracy coarser than this is explained where a run fails
local FINEST = 2.0 ^ -52 -- one finer than this, too

local not_of_steps = { [code.ETIME] = true, [code.ENOMEM] = true, [code.EINPUT] = true, [code.EPAST] = true }

-- What an accuracy that was set so loose, or so fine, means for a failure; "" if it was not.
local function odd_accuracy(self, report)
  local now, given = self.core:integrator(), self.options.accuracy
  if not_of_steps[report.code] or now.fixed_step_mode or not given then return "" end
  if given < FINEST then
    return numerals.format("; the accuracy %g is finer than the rounding of numbers, %.2g, so no step is short enough; "
      .. "try a coarser one, such as 1e-12", given, FINEST)
  end
  if given <= LOOSE then return "" end
  return numerals.format("; the accuracy %g is loose: each step may be wrong by %g %% of the state, which can cause "
    .. "this; try a finer one, such as the default 1e-6", given, 100 * given)
end

-- Returns a status; or nil, the failure and the error object to raise.
function errors.status_or_error(self, ...)
  local report = collect(self, ...)
  if report.code == 0 then return status_of(self, report) end
  local stored, closure, traceback = self.core:stored_error()
  local object
  if stored ~= nil and is_first(self, report, closure) then
    object = decorated(self, stored, report, closure)
  else
    traceback = nil
    local text = messages[report.code]
    text = text and text(self, report) or report.text ~= "" and report.text or core.status_text(report.code)
    if report.blame ~= "" then text = ("%s [%s]"):format(text, report.blame) end
    object = ("%s (%s)"):format(text, where(self, report))
  end
  if type(object) == "string" then object = object .. odd_accuracy(self, report) end
  return nil, { reason = reasons[report.code] or "failed", error = object, traceback = traceback,
    event = report.event_name, system = report.blame ~= "" and report.blame or report.part_name, time = report.time,
    limit = report.limit, count = report.count }, object
end

return errors
