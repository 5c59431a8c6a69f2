-- What a simulator can do besides initialize and advance: loaded when first asked for.
local context = require "saltus.simulation.context"
local core = require "saltus.core"
local names = require "saltus.util.identifiers"
local options = require "saltus.simulation.options"
local outcome = require "saltus.simulation.outcome"
local build = require "saltus.simulation.build"
local stepping = require "saltus.simulation.stepping"
local errors = require "saltus.simulation.errors"

local methods = {}

-- dt s more in whole steps of max_step, at most `max_steps` of them; answers the share of a step left, for drawing.
function methods:advance_frame(dt, max_steps)
  stepping.assert_idle(self, stepping.RUNS)
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
  stepping.check_inputs(self)
  local result = table.pack(self.core:advance_frame(dt, step, max_steps))
  stepping.raise_or_return_status(self, table.unpack(result, 2, result.n))
  return result[1]
end

-- The advance that is under way ends after its step, else the next one before its first: "interrupted". Closures may
-- call it; the next advance goes on as if nothing had been.
function methods:interrupt() self.core:interrupt() end

-- The whole run as a string: context, timers, armed witnesses, step size, random streams.
function methods:save()
  stepping.assert_idle(self, stepping.KEEPS)
  return self.core:save()
end

-- Back to where `saved` was made; go on from there. Logs forget what lies ahead.
function methods:load(saved)
  stepping.assert_idle(self, stepping.KEEPS)
  if type(saved) ~= "string" then names.fail("load takes what save answered, got %s", names.show(saved)) end
  context.show(self.core, nil)
  local code = self.core:load(saved)
  if code == -1 then names.fail("load: not enough memory") end
  if code ~= 0 then names.fail("load: this was not saved by a simulator of %q, or it is damaged", self.model.name) end
end

-- 16 hex digits of time, state and parameters: equal runs have equal ones.
function methods:hash() return self.core:hash() end

-- `auto` is made for an accuracy: its room for dense output stays when another one is set.
local function made_as(given, accuracy)
  local made = {}
  for key, value in pairs(given) do made[key] = value end
  made.accuracy = accuracy
  return made
end

-- Another simulator at the same point of the same run, with the settings of now; it has no monitor and no logs.
function methods:clone()
  stepping.assert_idle(self, stepping.KEEPS)
  local given, made_with = self.inner.given_now or self.given, self.inner.made_with
  local simulator = require "saltus.simulation.simulator"
  local other = simulator.new(self.system, made_with and made_as(given, made_with.accuracy) or given)
  if made_with then other.integrator:set_target_accuracy(given.accuracy) end
  for i, weight in ipairs((self.core:weights())) do other.core:set_weight(i, weight) end
  if self.inner.context_accuracy ~= nil then other:set_context_accuracy(self.inner.context_accuracy) end
  other:load(self:save())
  return other
end

-- Times within 4 ulp are one instant.
local function same_instant(a, b)
  return a == b or math.abs(a - b) <= 0x1p-50 * math.max(math.abs(a), math.abs(b))
end

-- for t, ctx in sim:steps(stop) do: after every step; with `every`, at its multiples.
function methods:steps(stop, every)
  stepping.assert_idle(self, stepping.RUNS)
  stepping.check_future_time(self, stop, "steps")
  if every ~= nil and not (type(every) == "number" and every > 0) then
    names.fail("steps: every must be a number of seconds greater than 0, got %s", names.show(every))
  end
  stepping.check_inputs(self)
  local engine, seen = self.core, self.inner.seen
  local site = {}
  local view = context.new(engine, self.model, context.VIEW, false, "", site)
  local ended = false
  local function step()
    outcome.reset() -- the loop's body may have made one
    local status = stepping.raise_or_return_status(self, engine:step(stop))
    ended = status.reason == "reached_termination" or status.reason == "interrupted" or status.time >= stop
    return status.time, status.reason ~= "interrupted"
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
    if not engine:state_at(t) then
      names.fail("steps: t = %.17g is gone; was the simulator advanced inside the loop?", t)
    end
    context.look(engine, site)
    context.show(engine, t)
    return t, view
  end
end

function methods:state_at(t)
  stepping.assert_idle(self, stepping.LOOKS)
  stepping.check_time(t, "state_at")
  if not self.core:state_at(t) then
    names.fail("state_at(%.17g): only the last step can be looked into, and it ended at %.17g", t, self.core:time(0))
  end
  return context.new(self.core, self.model, context.VIEW, false, "", context.look(self.core, {}))
end

-- What the sampled updates would write now, when all share one timing: a read-only context
-- after them, x[n+1] = f(n, x, u). The run stays as it is.
function methods:sampled()
  stepping.assert_idle(self, stepping.LOOKS)
  local period, why = self.model:sampling()
  if not period then names.fail("sampled: %s", why) end
  local status, failure, object = errors.status_or_error(self, self.core:sampled())
  if not status then
    self.inner.failure = failure
    error(object, 0)
  end
  local site = context.look(self.core, { gone = "what sampled answered" })
  return context.new(self.core, self.model, context.VIEW, false, "", site)
end

local function schedule(self, path, t, what)
  stepping.assert_idle(self, stepping.SCHEDULES)
  local part, event = self.model:event(path)
  if not part then names.fail("%s: %s", what, event) end
  if event.trigger ~= "demand" then
    names.fail("%s: event %q has its own trigger; only an event with at = \"demand\" can be asked for", what, path)
  end
  local code, handle = self.core:schedule(part, event.index, t)
  if code ~= 0 then names.fail("%s: %s", what, core.status_text(code)) end
  return handle
end

-- What it answers, sim:cancel takes.
function methods:schedule(t, path)
  return schedule(self, path, stepping.check_future_time(self, t, "schedule"), "schedule")
end

-- true: it was still to come; false: it has run, or was cancelled before.
function methods:cancel(handle)
  stepping.assert_idle(self, stepping.SCHEDULES)
  local cancelled
  if math.type(handle) == "integer" then cancelled = self.core:cancel(handle) end
  if cancelled == nil then names.fail("cancel takes what schedule answered, got %s", names.show(handle)) end
  return cancelled
end

function methods:demand(path)
  schedule(self, path, nil, "demand")
end

-- From now to t1 an input that is not connected is a straight line to `value`, and then stays there.
function methods:feed(path, t1, value) return require "saltus.simulation.input_feed"(self, path, t1, value) end

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
function methods:configuration(given)
  local i, now = self.core:integrator(), self.core:time(context.RUN)
  local own = { integrator = i.name, max_step = i.maximum_step_size, fixed_step = i.fixed_step_mode,
    accuracy = i.fixed_step_mode and 0 or self.core:initialized() and i.accuracy_in_use or i.target_accuracy,
    start_time = now, target_realtime_rate = self.inner.target_realtime_rate }
  if given == nil then return own end
  stepping.assert_idle(self, stepping.SETS)
  check_configuration(given, own)
  local function wanted(key) if given[key] ~= nil then return given[key] end return own[key] end
  local accuracy = wanted "accuracy"
  self:set_integrator(wanted "integrator", { max_step = wanted "max_step", fixed_step = wanted "fixed_step",
    accuracy = accuracy ~= 0 and accuracy or nil })
  self.target_realtime_rate = wanted "target_realtime_rate"
  if wanted "start_time" ~= now then self.context.time = wanted "start_time" end
end

function methods:set_integrator(name, given)
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
function methods:window() return self.core:window() end

-- What is known of an event's witness: description, direction, event, system, :value(), :should_trigger(w0, w1).
function methods:witness(path) return require("saltus.simulation.witness").new(self, path) end

function methods:set_context_accuracy(accuracy)
  if accuracy ~= false and not (type(accuracy) == "number" and accuracy > 0) then
    names.fail("context accuracy must be a number greater than 0, or false for none; got %s", names.show(accuracy))
  end
  stepping.assert_idle(self, stepping.SETS)
  self.core:set_context_accuracy(accuracy or nil)
  self.inner.context_accuracy = accuracy
end

-- fn(time) after every 64th step; never changes a step.
function methods:on_progress(fn) self.core:set_progress(fn, 64) end

function methods:recorder(channels, every) return require("saltus.simulation.recorder").new(self, channels, every) end

-- The closures called so far, { { closure =, state =, why = }, ... }; tostring() is a readable table. `state` is
-- "program" for one that runs without Lua, "trial" while it still does both, "lua" otherwise, and `why`.
function methods:programs() return require("saltus.closure.compiler.report").new(self.core, self.closure) end

-- Seconds that n evaluations of the derivatives take.
function methods:time_rhs(n)
  stepping.assert_idle(self, stepping.RUNS)
  if math.type(n) ~= "integer" or n < 0 then
    names.fail("time_rhs takes how many evaluations, a whole number, got %s", names.show(n))
  end
  return self.core:time_rhs(n)
end

names.with_colon(methods, "saltus.simulator")

return methods
