-- The methods of a simulator besides those of every run; loaded at first use.
local context = require "saltus.simulation.context"
local core = require "saltus.core"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local options = require "saltus.simulation.options"
local build = require "saltus.simulation.build"
local preconditions = require "saltus.simulation.preconditions"
local status = require "saltus.simulation.status"

local simulator_methods = {}

local watches -- loaded at first use

local frame_limits = { "max_steps", "max_evaluations", "max_seconds" }

-- The limits of a frame: 8 steps, and no budget, unless they are given.
local function limits_of(given)
  local own = type(given) == "table" and given or { max_steps = given }
  names.check_keys(own, frame_limits, "limit %s of advance_frame")
  local steps, evaluations, seconds = own.max_steps or 8, own.max_evaluations or 0, own.max_seconds or 0
  names.check(math.type(steps) == "integer" and steps >= 1 and steps <= 0x7fffffff, steps,
    "advance_frame: max_steps must be a whole number of at least 1")
  names.check(math.type(evaluations) == "integer" and evaluations >= 0, evaluations,
    "advance_frame: max_evaluations must be a whole number; 0 is no limit")
  names.check(numerals.is_finite(seconds) and seconds >= 0, seconds,
    "advance_frame: max_seconds must be a number of seconds; 0 is no limit")
  return steps, evaluations, seconds
end

-- As kernel:run_frame and core:advance_frame: returns three numbers, and what came of the run.
local function run_frame(self, ...)
  local stories = self.inner.stories
  if stories then return stories:run_frame(...) end
  local result = table.pack(self.core:advance_frame(...))
  status.raise_or_return_status(self, table.unpack(result, 4, result.n))
  return result[1], result[2], result[3]
end

-- Advances by dt in fixed steps of max_step, within `limits`: at most so many steps, or a table with max_steps,
-- max_evaluations and max_seconds. Returns the leftover fraction of a step, the seconds that wait for the next frame,
-- and those that were dropped.
function simulator_methods:advance_frame(dt, limits)
  preconditions.assert_idle(self, preconditions.RUNS)
  local step = self.core:integrator().maximum_step_size
  names.fail_if(step == math.huge, "advance_frame needs max_step, the size of its steps in s: "
    .. "saltus.simulator(system, { max_step = 1 / 60 })")
  names.check(numerals.is_finite(dt) and dt >= 0, dt, "advance_frame: dt must be a number of seconds")
  local steps, evaluations, seconds = limits_of(limits)
  preconditions.check_inputs(self)
  return run_frame(self, dt, step, steps, evaluations, seconds)
end

-- Returns { steps =, overruns =, lag =, worst_lag = }: the run against the clock, with target_realtime_rate.
function simulator_methods:pacing()
  local steps, overruns, lag, worst_lag = self.core:pacing()
  return { steps = steps, overruns = overruns, lag = lag, worst_lag = worst_lag }
end

-- Ends the current advance after its step, or the next advance before its first step, with the reason "interrupted".
-- Closures may call it. The advance after that continues the run.
function simulator_methods:interrupt()
  self.inner.is_changed = true
  self.core:interrupt()
end

-- Returns the whole run as a string: context, timers, armed witnesses, step size, random streams.
function simulator_methods:save()
  preconditions.assert_idle(self, preconditions.KEEPS)
  return self.core:save()
end

-- Returns to the point of `saved`. Logs drop all rows after it.
function simulator_methods:load(saved)
  preconditions.assert_idle(self, preconditions.KEEPS)
  names.check(type(saved) == "string", saved, "load takes what save returned")
  context.show(self.core, nil)
  local code = self.core:load(saved)
  if code == core.constants.status.ENOMEM then names.fail("load: not enough memory") end
  names.fail_if(code == core.constants.status.EWATCH, "load: the saved run has an armed watch that this "
    .. "simulator does not have; add the same watches in the same order before you load, or continue a clone")
  if code ~= 0 then names.fail("load: this was not saved by a simulator of %q, or it is damaged", self.model.name) end
end

-- Continues from the point of another simulator of the same system, without the bytes of a save. Logs drop all rows
-- after it.
function simulator_methods:copy_from(other)
  preconditions.assert_idle(self, preconditions.KEEPS)
  names.check(names.kind(other) == "simulator", other, "copy_from takes another simulator of the same system")
  preconditions.assert_idle(other, preconditions.KEEPS)
  names.fail_if(self.inner.stories or other.inner.stories,
    "copy_from: a run with stories is copied by sim:clone() only")
  names.fail_if(not self.core:is_like(other.core), "copy_from: the simulators of %q and %q do not have the same system "
    .. "and integrator; sim:clone() makes one that has", self.model.name, other.model.name)
  context.show(self.core, nil)
  if other.inner.watches and other ~= self then
    watches = watches or require "saltus.watch"
    watches.adopt(other, self)
  end
  local code = self.core:copy_from(other.core)
  if code ~= 0 then names.fail("copy_from: %s", core.status_text(code)) end
end

-- Returns 16 hex digits, a hash of time, state and parameters: equal runs have equal hashes.
function simulator_methods:hash() return self.core:hash() end

-- Returns a sentence about the first number or abstract state that differs, with both values; nil: same hash.
function simulator_methods:difference(other)
  names.check(names.kind(other) == "simulator", other, "difference takes another simulator of the same system")
  local sentence = self.core:difference(other.core)
  return sentence ~= "" and sentence or nil
end

-- for t, ctx in sim:steps(stop) do: after each step; with `every`, at its multiples.
function simulator_methods:steps(stop, every)
  return require("saltus.simulation.stepping_iterator").new(self, stop, every)
end

function simulator_methods:state_at(t)
  preconditions.assert_idle(self, preconditions.LOOKS)
  preconditions.check_time(t, "state_at")
  if not self.core:state_at(t) then
    names.fail("state_at(%.17g): only times inside the last step can be read, and it ended at %.17g", t,
      self.core:time(context.RUN))
  end
  return context.new(self.core, self.model, context.VIEW, false, "", context.look(self.core, {}))
end

-- Returns a read-only context after the sampled updates, x[n+1] = f(n, x, u), if they have a common timing. The run
-- does not change.
function simulator_methods:sampled()
  preconditions.assert_idle(self, preconditions.LOOKS)
  local period, why = self.model:sampling()
  if not period then names.fail("sampled: %s", why) end
  local ended, failure, object = require("saltus.simulation.errors").status_or_error(self, self.core:sampled())
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
  names.fail_if(event.trigger ~= "demand",
    "%s: event %q has its own trigger; only an event with at = \"demand\" can be demanded or scheduled",
    what, path)
  local code, handle = self.core:schedule(part, event.index, t)
  if code ~= 0 then names.fail("%s: %s", what, core.status_text(code)) end
  return handle
end

-- Returns a handle for sim:cancel.
function simulator_methods:schedule(t, path)
  return schedule(self, path, preconditions.check_future_time(self, t, "schedule"), "schedule")
end

-- Returns false if the event has run or was cancelled before.
function simulator_methods:cancel(handle)
  preconditions.assert_idle(self, preconditions.SCHEDULES)
  local cancelled
  if math.type(handle) == "integer" then cancelled = self.core:cancel(handle) end
  names.check(cancelled ~= nil, handle, "cancel takes what schedule returned")
  return cancelled
end

function simulator_methods:demand(path)
  schedule(self, path, nil, "demand")
end

-- Ends an advance where the condition becomes true: words, or a function(ctx) that returns a margin, negative until
-- then. Returns a handle; if the condition is true already, nil and true.
function simulator_methods:watch(condition)
  watches = watches or require "saltus.watch"
  return watches.add(self, condition)
end

-- Returns false if the watch has fired before.
function simulator_methods:unwatch(handle)
  watches = watches or require "saltus.watch"
  return watches.remove(self, handle)
end

-- Ends the current advance at x+, after the updates of this instant, with the reason "halted". Closures may call it.
function simulator_methods:halt()
  self.inner.is_changed = true
  self.core:halt()
end

-- The time of the next timed or scheduled event; math.huge: none.
function simulator_methods:next_time() return self.core:next_time() end

-- Moves an input that is not connected on a straight line to `value` at t1; then it is constant.
function simulator_methods:feed(path, t1, value)
  return require "saltus.simulation.input_feed"(self, path, t1, value)
end

-- Checks all fields before any is applied.
local function check_configuration(given, own)
  names.check(type(given) == "table", given, "configuration takes a table of fields")
  names.check_keys(given, names.sorted_keys(own), "field %s of a configuration")
  local start, rate = given.start_time, given.target_realtime_rate
  names.check(start == nil or numerals.is_finite(start), start, "configuration: start_time must be a number")
  names.check(rate == nil or numerals.is_finite(rate) and rate >= 0, rate,
    "configuration: target_realtime_rate must be a number, not negative")
end

-- The fields of Drake's simulator configuration: the integrator, its step sizes, the start and the pace.
-- With a table it sets these fields; others do not change.
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
  options.check(given, require("saltus.simulation.integrator_options").set_integrator, "set_integrator")
  local merged = names.merged(self.given, given) -- options of the simulator remain unless they are given again
  merged.integrator = name
  local o = options.check(merged, options.simulator, "set_integrator")
  build.complete_options(o, self.model, "set_integrator")
  self.inner.is_changed = true
  build.call_engine("set_integrator", self.core.set_integrator, self.core, o)
  if o.jacobian then require("saltus.simulation.jacobian").give(self, o) end
  self.inner.given_now, self.inner.made_with = merged, nil
end

-- The error bound of a located event in seconds; nil if events are not located.
function simulator_methods:window() return self.core:window() end

-- Describes an event's witness: description, direction, event, system, :value(), :should_trigger(w0, w1).
function simulator_methods:witness(path) return require("saltus.simulation.witness").new(self, path) end

function simulator_methods:set_context_accuracy(accuracy)
  names.fail_if(accuracy ~= false and not (type(accuracy) == "number" and accuracy > 0),
    "context accuracy must be a number greater than 0, or false for none; got %s", names.show(accuracy))
  preconditions.assert_idle(self, preconditions.SETS)
  self.inner.is_changed = true
  self.core:set_context_accuracy(accuracy or nil)
  self.inner.context_accuracy = accuracy
end

-- Calls fn(time) after every 64th step; never changes a step.
function simulator_methods:on_progress(fn)
  self.inner.is_changed = true
  self.core:set_progress(fn, 64)
end

-- The closures called so far, { { closure =, state =, why = }, ... }; tostring() is a readable table. `state` is
-- "program" for one that runs without Lua, "trial" while both forms run, and "lua" otherwise; `why` is the reason.
function simulator_methods:programs() return require("saltus.closure.compiler.report").new(self.core, self.closure) end

-- Measures n evaluations of the derivatives, in seconds.
function simulator_methods:time_rhs(n)
  preconditions.assert_idle(self, preconditions.RUNS)
  names.check(math.type(n) == "integer" and n >= 0, n, "time_rhs takes how many evaluations, a whole number")
  return self.core:time_rhs(n)
end

names.with_colon(simulator_methods, "saltus.simulator")

return simulator_methods
