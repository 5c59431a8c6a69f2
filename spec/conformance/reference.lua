-- A naive twin of the engine: the rules of the step, of points, failures and terminations, written out with lists and
-- loops. It predicts what a recorded case gives where a ruling applies, and notes in `applied` which ruling did.
local model_of = require "conformance.reference_model"
local replay = require "conformance.drake_replay"
local steps = require "conformance.reference_steps"
local timing = require "conformance.reference_timing"
local witnesses = require "conformance.reference_witnesses"
local expression = require "conformance.expression"

local reference = {}

local severity = { did_nothing = 0, succeeded = 1, reached_termination = 2, failed = 3 }
local counter_of = { publish = "publishes", discrete = "discrete_updates", unrestricted = "unrestricted_updates" }

local function worse(a, b) return severity[b.is] > severity[a.is] and b or a end

-- One dispatch of a kind: the handlers in order, their writes staged. A failing update stops it, a publish does not.
local function dispatch(ref, kind, events)
  local model, merged, writes = ref.model, { is = "did_nothing" }, {}
  for _, made in ipairs(events) do
    if made.event.kind == kind then
      local e = model:environment(made.part)
      local rule = made.status(e) or { is = "succeeded" }
      ref.log[#ref.log + 1] = model:entry(made, rule.is ~= "succeeded" and rule.is or nil)
      merged = worse(merged, { is = rule.is, message = rule.message, system = rule.blames or made.part.name })
      if rule.is == "failed" and kind ~= "publish" then break end
      if rule.is == "did_nothing" and made.updates[1] then ref.applied[7] = true end
      for _, update in ipairs(rule.is ~= "did_nothing" and made.updates or {}) do
        writes[#writes + 1] =
          { list = made.part[update.prefix], index = update.index, value = update.value(e) + 0.0 }
      end
    end
  end
  if merged.is == "failed" then return merged end
  for _, write in ipairs(writes) do write.list[write.index] = write.value end
  if merged.is ~= "did_nothing" then
    ref.counters[counter_of[kind]] = ref.counters[counter_of[kind]] + 1
  end
  return merged
end

local function fail(ref, outcome)
  ref.applied[7] = true
  error({ message = outcome.message, system = outcome.system, time = ref.model.t }, 0)
end

local function status(ref, reason, boundary, outcome)
  return { reason = reason, return_time = ref.model.t, boundary_time = boundary, message = outcome and
    outcome.message or "", system = outcome and outcome.system }
end

-- The events of a point, in dispatch order; `at_start` leaves the publishes of timers and witnesses out.
local function events_now(ref, triggers)
  local list = {}
  for _, made in ipairs(ref.model.events) do
    local trigger = made.event.trigger
    local here = triggers[trigger]
    if trigger == "periodic" then here = here and timing.is_due(made, ref.model.t) end
    if trigger == "witness" then here = ref.fired[made] end
    if here then list[#list + 1] = made end
  end
  return list
end

local function ran(ref, events, publishes)
  for _, made in ipairs(events) do
    if (made.event.kind == "publish") == publishes and made.event.kind ~= "none" then
      if made.period and timing.due(made) ~= ref.model.t then ref.applied[6] = true end
      if made.period then made.k = made.k + 1 end
    end
  end
end

-- x- to x+: undone as a whole and still due when one fails.
local function update(ref, triggers)
  local kept = ref.model:snapshot()
  local events = events_now(ref, triggers)
  local merged = { is = "did_nothing" }
  for _, kind in ipairs { "unrestricted", "discrete" } do
    merged = worse(merged, dispatch(ref, kind, events))
    if merged.is == "failed" then
      ref.model:restore(kept)
      fail(ref, merged)
    end
  end
  ran(ref, events, false)
  ref.updated = true
  return merged
end

-- The watchers of a point: publishes, then the monitor. All run; the first worst counts.
local function watch(ref, triggers)
  local events = events_now(ref, triggers)
  local merged = dispatch(ref, "publish", events)
  ran(ref, events, true)
  ref.steps[#ref.steps + 1] = { t = ref.model.t, state = ref.model:state(), op = #ref.ops + 1 }
  if ref.monitor then
    local rule = ref.monitor({ t = ref.model.t })
    ref.log[#ref.log + 1] = { t = ref.model.t, event = "monitor", kind = "monitor", steps = ref.counters.steps,
      state = ref.model:state(), returns = rule and rule.is ~= "succeeded" and rule.is or nil }
    if rule then merged = worse(merged, { is = rule.is, message = rule.message, system = rule.blames }) end
  end
  ref.updated = false
  return merged
end

local function clear_counters(ref)
  ref.counters = { steps = 0, publishes = 0, discrete_updates = 0, unrestricted_updates = 0 }
  steps.reset(ref.integrator)
end

local function initialize(ref, suppress)
  local refusal = steps.refuses(ref.integrator)
  ref.initialized, ref.fired, ref.updated = false, {}, false
  if refusal then error({ message = refusal }, 0) end
  clear_counters(ref)
  for _, made in ipairs(ref.timers) do timing.reset(made, ref.model.t) end
  witnesses.reset(ref)
  local kept = ref.model:snapshot()
  local fine, merged = pcall(function()
    local outcome = suppress and { is = "did_nothing" } or update(ref, { init = true })
    if outcome.is == "reached_termination" then return outcome end
    local watched = watch(ref, { init = not suppress, per_step = true, periodic = true })
    if watched.is == "failed" then fail(ref, watched) end
    return worse(outcome, watched)
  end)
  if not fine then
    ref.model:restore(kept)
    error(merged, 0)
  end
  ref.initialized, ref.last, ref.updated = true, ref.model.t, false
  if merged.is == "reached_termination" then
    ref.applied[7] = true
    return status(ref, "reached_termination", ref.model.t, merged)
  end
  return status(ref, "reached_boundary_time", ref.model.t)
end

-- Where a step may go at most, and whether a sliver was joined: events may stretch the maximum step by 1 %.
local function target_of(ref, event, boundary)
  local t, max = ref.model.t, ref.integrator.max
  local function sliver(to) return to > t + max and to - (t + max) < 1e-9 * max end
  if event and event <= boundary and (event <= t + 1.01 * max or sliver(event)) then return event end
  if boundary <= t + max then return boundary end
  if sliver(boundary) then
    ref.applied[9] = true
    return boundary
  end
  return t + max
end

-- x+ to the next x-, as far as nothing else can happen.
local function flow(ref, boundary)
  local event, joined = timing.next(ref.timers, ref.model.t, boundary)
  local x = ref.model:continuous()
  local step = { t0 = ref.model.t, x0 = x, w0 = witnesses.values(ref), event = event }
  if #x == 0 then
    step.t1, step.x1 = math.min(event or math.huge, boundary), x
    step.at = function() return x end
  else
    local target = target_of(ref, event, boundary)
    local x1, h = steps.step(ref.integrator, step.t0, x, target - step.t0)
    ref.applied[9] = ref.applied[9] or ref.integrator.joined
    if not x1 then
      ref.applied[8] = true
      error({ message = h, time = ref.model.t }, 0)
    end
    step.t1, step.x1 = h == target - step.t0 and target or step.t0 + h, x1
    if event and timing.near(step.t1, event) then step.t1 = event end
    step.at = function(t) return steps.look(ref.integrator, step.t0, x, t - step.t0) end
  end
  if joined and step.t1 == event then ref.applied[6] = true end
  step.end_is_pinned = step.t1 == event or step.t1 == boundary
  witnesses.cut(ref, step)
  ref.model.t = step.t1
  ref.model:set_continuous(step.x1)
end

local function advance(ref, boundary)
  if not ref.initialized then
    local first = initialize(ref, false)
    if first.reason ~= "reached_boundary_time" then return first end
  end
  if ref.model.t ~= ref.last then error({ message = "the time was changed; initialize first" }, 0) end
  if boundary < ref.model.t then error({ message = "the boundary lies in the past" }, 0) end
  repeat
    if not ref.updated then
      local merged = update(ref, { per_step = true, periodic = true })
      witnesses.settle(ref)
      if merged.is == "reached_termination" then
        ref.applied[7] = true
        return status(ref, "reached_termination", boundary, merged)
      end
    end
    flow(ref, boundary)
    ref.last = ref.model.t
    ref.counters.steps = ref.counters.steps + 1
    local merged = watch(ref, { per_step = true, periodic = true })
    if merged.is == "failed" then fail(ref, merged) end
    if merged.is == "reached_termination" then return status(ref, "reached_termination", boundary, merged) end
    if ref.counters.steps > 100000 then error({ message = "too many steps for the reference" }, 0) end
  until ref.model.t >= boundary
  return status(ref, "reached_boundary_time", boundary)
end

local function set_monitor(ref, recorded) ref.monitor = recorded and expression.status(recorded.status) end

-- A scheme that the reference does not know, as one that it does: nothing flows, only steps and events are compared.
local function stand_in(recorded)
  local made = {}
  for key, value in pairs(recorded) do made[key] = value end
  made.scheme = recorded.fixed_step and "explicit_euler" or "runge_kutta3"
  return made
end

local function set_integrator(ref, recorded)
  local known = not recorded or steps.knows(recorded.scheme)
  local function rhs(t, x)
    local f = ref.model:at(t, x, function() return ref.model:derivatives() end)
    for i = 1, known and 0 or #f do f[i] = 0 end
    return f
  end
  if not known then recorded = stand_in(recorded) end
  ref.integrator = steps.new(recorded, replay.default_accuracy, rhs, ref.model:configuration())
  ref.initialized = false
end

local deeds = {
  initialize = function(ref, op) return initialize(ref, op.suppress) end,
  advance_to = function(ref, op) return advance(ref, op.t + 0.0) end,
  advance_pending = function(ref) return advance(ref, ref.model.t) end,
  set_time = function(ref, op) ref.model.t = op.t + 0.0 end,
  reset_statistics = clear_counters,
  clear_monitor = function(ref) set_monitor(ref, nil) end,
  set_monitor = function(ref, op) set_monitor(ref, op.monitor) end,
  reset_integrator = set_integrator,
  start_dense = function() end,
  stop_dense = function() end,
}

local function counters_of(ref)
  local i, counters = ref.integrator, {}
  for name, value in pairs(ref.counters) do counters[name] = value end
  counters.integrator = {
    integrator_num_steps_taken = i.steps, integrator_num_derivative_evaluations = i.evaluations,
    integrator_actual_initial_step_size_taken = i.first, integrator_largest_step_size_taken = i.largest,
    largest_step_size_taken = i.largest, integrator_smallest_adapted_step_size_taken = i.smallest,
    integrator_num_step_shrinkages_from_error_control = i.shrinkages,
  }
  return counters
end

local function knows_all(case)
  local recorded = case.settings and case.settings.integrator
  local known = not recorded or steps.knows(recorded.scheme)
  for _, op in ipairs(case.run) do known = known and (not op.scheme or steps.knows(op.scheme)) end
  return known
end

-- Answers { ops, applied, steps, crossing } in the recording's shape; nil for a scheme that it does not know, but with
-- `still` then what happens when, without the states.
function reference.run(case, still)
  local settings = case.settings or {}
  if not still and not knows_all(case) then return nil end
  local ref = { model = model_of.new(case.model), ops = {}, applied = {}, timers = {}, log = {}, steps = {},
    fired = {} }
  ref.model.t = (settings.start_time or 0) + 0.0
  for _, made in ipairs(ref.model.events) do
    if made.period then ref.timers[#ref.timers + 1] = made end
  end
  set_integrator(ref, settings.integrator)
  clear_counters(ref)
  witnesses.prepare(ref, settings)
  set_monitor(ref, settings.monitor)
  for i, op in ipairs(case.run) do
    ref.log = {}
    local fine, answer = pcall(deeds[op.op], ref, op)
    if not fine and type(answer) ~= "table" then error(answer, 0) end
    ref.ops[i] = { op = op.op, t = op.t, log = ref.log, status = fine and answer or nil,
      error = not fine and answer.message or nil, failure = not fine and answer or nil,
      after = { t = ref.model.t, state = ref.model:state(), counters = counters_of(ref) } }
  end
  return ref
end

return reference
