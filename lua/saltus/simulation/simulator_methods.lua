-- What a simulator can do besides initialize, advance and clone: loaded when first used.
local context = require "saltus.simulation.context"
local core = require "saltus.core"
local names = require "saltus.util.identifiers"
local options = require "saltus.simulation.options"
local build = require "saltus.simulation.build"
local preconditions = require "saltus.simulation.preconditions"
local status = require "saltus.simulation.status"
local stepping_iterator = require "saltus.simulation.stepping_iterator"
local errors = require "saltus.simulation.errors"

local simulator_methods = {}

-- dt s more in whole steps of max_step, at most `max_steps` of them; returns the share of a step left, for drawing.
function simulator_methods:advance_frame(dt, max_steps)
  preconditions.assert_idle(self, preconditions.RUNS)
  local step = self.core:integrator().maximum_step_size
  if step == math.huge then
    names.fail("%s: saltus.simulator(system, { max_step = 1 / 60 })",
      "advance_frame needs max_step, the size of its steps in s")
  end
  if type(dt) ~= "number" or not (dt >= 0 and dt < math.huge) then
    names.fail("advance_frame: dt must be a number of seconds, got %s", names.show(dt))
  end
  if max_steps == nil then max_steps = 8 end
  if math.type(max_steps) ~= "integer" or max_steps < 1 or max_steps > 0x7fffffff then
    names.fail("advance_frame: max_steps must be a whole number of at least 1, got %s", names.show(max_steps))
  end
  preconditions.check_inputs(self)
  local result = table.pack(self.core:advance_frame(dt, step, max_steps))
  status.raise_or_return_status(self, table.unpack(result, 2, result.n))
  return result[1]
end

-- The advance that is under way ends after its step, else the next one before its first: "interrupted". Closures may
-- call it; the next advance goes on as if nothing had been.
function simulator_methods:interrupt() self.core:interrupt() end

-- The whole run as a string: context, timers, armed witnesses, step size, random streams.
function simulator_methods:save()
  preconditions.assert_idle(self, preconditions.KEEPS)
  return self.core:save()
end

-- Back to where `saved` was made; go on from there. Logs forget what lies ahead.
function simulator_methods:load(saved)
  preconditions.assert_idle(self, preconditions.KEEPS)
  if type(saved) ~= "string" then names.fail("load takes what save returned, got %s", names.show(saved)) end
  context.show(self.core, nil)
  local code = self.core:load(saved)
  if code == -1 then names.fail("load: not enough memory") end
  if code ~= 0 then names.fail("load: this was not saved by a simulator of %q, or it is damaged", self.model.name) end
end

-- 16 hex digits of time, state and parameters: equal runs have equal ones.
function simulator_methods:hash() return self.core:hash() end

-- for t, ctx in sim:steps(stop) do: after every step; with `every`, at its multiples.
function simulator_methods:steps(stop, every) return stepping_iterator.new(self, stop, every) end

function simulator_methods:state_at(t)
  preconditions.assert_idle(self, preconditions.LOOKS)
  preconditions.check_time(t, "state_at")
  if not self.core:state_at(t) then
    names.fail("state_at(%.17g): only the last step can be looked into, and it ended at %.17g", t, self.core:time(0))
  end
  return context.new(self.core, self.model, context.VIEW, false, "", context.look(self.core, {}))
end

-- What the sampled updates would write now, when all share one timing: a read-only context
-- after them, x[n+1] = f(n, x, u). The run stays as it is.
function simulator_methods:sampled()
  preconditions.assert_idle(self, preconditions.LOOKS)
  local period, why = self.model:sampling()
  if not period then names.fail("sampled: %s", why) end
  local ended, failure, object = errors.status_or_error(self, self.core:sampled())
  if not ended then
    self.inner.failure = failure
    error(object, 0)
  end
  local site = context.look(self.core, { gone = "the context that sampled returned" })
  return context.new(self.core, self.model, context.VIEW, false, "", site)
end

local function schedule(self, path, t, what)
  preconditions.assert_idle(self, preconditions.SCHEDULES)
  local part, event = self.model:event(path)
  if not part then names.fail("%s: %s", what, event) end
  if event.trigger ~= "demand" then
    names.fail("%s: event %q has its own trigger; only an event with at = \"demand\" can be demanded or scheduled",
      what, path)
  end
  local code, handle = self.core:schedule(part, event.index, t)
  if code ~= 0 then names.fail("%s: %s", what, core.status_text(code)) end
  return handle
end

-- What it returns, sim:cancel takes.
function simulator_methods:schedule(t, path)
  return schedule(self, path, preconditions.check_future_time(self, t, "schedule"), "schedule")
end

-- true: it was still to come; false: it has run, or was cancelled before.
function simulator_methods:cancel(handle)
  preconditions.assert_idle(self, preconditions.SCHEDULES)
  local cancelled
  if math.type(handle) == "integer" then cancelled = self.core:cancel(handle) end
  if cancelled == nil then names.fail("cancel takes what schedule returned, got %s", names.show(handle)) end
  return cancelled
end

function simulator_methods:demand(path)
  schedule(self, path, nil, "demand")
end

-- From now to t1 an input that is not connected is a straight line to `value`, and then stays there.
function simulator_methods:feed(path, t1, value)
  return require "saltus.simulation.input_feed"(self, path, t1, value)
end

-- All of it, before any of it is applied.
local function check_configuration(given, own)
  if type(given) ~= "table" then names.fail("configuration takes a table of fields, got %s", names.show(given)) end
  for key, value in pairs(given) do
    if own[key] == nil then
      names.fail("%s", names.unknown("field %s of a configuration", key, names.sorted_keys(own)))
    end
    if (key == "start_time" or key == "target_realtime_rate") and not (type(value) == "number"
      and value > -math.huge and value < math.huge and (key == "start_time" or value >= 0)) then
      names.fail("configuration: %s must be a number%s, got %s", key, key == "start_time" and "" or ", not negative",
        names.show(value))
    end
  end
end

-- What Drake's simulator configuration holds: the integrator, its sizes, the start and the pace.
-- With a table it applies that; what the table leaves out stays as it is.
function simulator_methods:configuration(given)
  local i, now = self.core:integrator(), self.core:time(context.RUN)
  local own = { integrator = i.name, max_step = i.maximum_step_size, fixed_step = i.fixed_step_mode,
    accuracy = i.fixed_step_mode and 0 or self.core:initialized() and i.accuracy_in_use or i.target_accuracy,
    start_time = now, target_realtime_rate = self.inner.target_realtime_rate }
  if given == nil then return own end
  preconditions.assert_idle(self, preconditions.SETS)
  check_configuration(given, own)
  local function wanted(key) if given[key] ~= nil then return given[key] end return own[key] end
  local accuracy = wanted "accuracy"
  self:set_integrator(wanted "integrator", { max_step = wanted "max_step", fixed_step = wanted "fixed_step",
    accuracy = accuracy ~= 0 and accuracy or nil })
  self.target_realtime_rate = wanted "target_realtime_rate"
  if wanted "start_time" ~= now then self.context.time = wanted "start_time" end
end

function simulator_methods:set_integrator(name, given)
  options.check(given, options.set_integrator, "set_integrator")
  local merged = {} -- what was said when the simulator was made still holds, unless said anew
  for key, value in pairs(self.given or {}) do merged[key] = value end
  for key, value in pairs(given or {}) do merged[key] = value end
  merged.integrator = name
  local o = options.check(merged, options.simulator, "set_integrator")
  build.complete_options(o, self.model, "set_integrator")
  build.call_engine("set_integrator", self.core.set_integrator, self.core, o)
  if o.jacobian then require("saltus.simulation.jacobian").give(self, o) end
  self.inner.given_now, self.inner.made_with = merged, nil
end

-- Seconds to which an isolated event is known; nil when events are not isolated.
function simulator_methods:window() return self.core:window() end

-- What is known of an event's witness: description, direction, event, system, :value(), :should_trigger(w0, w1).
function simulator_methods:witness(path) return require("saltus.simulation.witness").new(self, path) end

function simulator_methods:set_context_accuracy(accuracy)
  if accuracy ~= false and not (type(accuracy) == "number" and accuracy > 0) then
    names.fail("context accuracy must be a number greater than 0, or false for none; got %s", names.show(accuracy))
  end
  preconditions.assert_idle(self, preconditions.SETS)
  self.core:set_context_accuracy(accuracy or nil)
  self.inner.context_accuracy = accuracy
end

-- fn(time) after every 64th step; never changes a step.
function simulator_methods:on_progress(fn) self.core:set_progress(fn, 64) end

function simulator_methods:recorder(channels, every)
  return require("saltus.simulation.recorder").new(self, channels, every)
end

-- The closures called so far, { { closure =, state =, why = }, ... }; tostring() is a readable table. `state` is
-- "program" for one that runs without Lua, "trial" while it still does both, "lua" otherwise, and `why`.
function simulator_methods:programs() return require("saltus.closure.compiler.report").new(self.core, self.closure) end

-- Seconds that n evaluations of the derivatives take.
function simulator_methods:time_rhs(n)
  preconditions.assert_idle(self, preconditions.RUNS)
  if math.type(n) ~= "integer" or n < 0 then
    names.fail("time_rhs takes how many evaluations, a whole number, got %s", names.show(n))
  end
  return self.core:time_rhs(n)
end

names.with_colon(simulator_methods, "saltus.simulator")

return simulator_methods
