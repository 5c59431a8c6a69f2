-- Replays the recorded operations of a case on the engine and returns what came out, in the recording's own shape:
-- { ops = { { op, t, status | error, log, after = { t, state, counters } }, ... }, steps = { { t, state }, ... } }.
local drake_model = require "conformance.drake_model"
local expression = require "conformance.expression"

local drake_replay = {}

-- What a scheme does when the recording does not say: Drake's default accuracies.
local default_accuracy = {
  runge_kutta3 = 1e-3, bogacki_shampine3 = 1e-3, runge_kutta5 = 1e-5,
  implicit_euler = 1e-1, velocity_implicit_euler = 1e-1, radau1 = 1e-1, radau3 = 1e-3,
}
drake_replay.default_accuracy = default_accuracy

function drake_replay.options(settings)
  local options = { error_weights = "absolute", context_accuracy = settings.context_accuracy or false,
    start_time = settings.start_time or 0.0 }
  local recorded = settings.integrator
  if not recorded then
    options.integrator = "drake"
    return options
  end
  options.integrator = recorded.scheme
  options.max_step = recorded.max_step_size
  options.initial_step = recorded.initial_step_size
  options.min_step = recorded.min_step_size
  options.throw_on_min_step = recorded.throw_on_min_step
  -- With fixed steps it says how far Newton's iteration goes.
  options.fixed_step = recorded.fixed_step or nil
  options.accuracy = recorded.target_accuracy or default_accuracy[recorded.scheme]
  return options
end

local getters = {
  integrator_num_steps_taken = "get_num_steps_taken",
  integrator_num_derivative_evaluations = "get_num_derivative_evaluations",
  integrator_actual_initial_step_size_taken = "get_actual_initial_step_size_taken",
  integrator_largest_step_size_taken = "get_largest_step_size_taken",
  largest_step_size_taken = "get_largest_step_size_taken",
  integrator_smallest_adapted_step_size_taken = "get_smallest_adapted_step_size_taken",
  integrator_num_step_shrinkages_from_error_control = "get_num_step_shrinkages_from_error_control",
}

local function read(object, name)
  local fine, value = pcall(function() return object[name] end)
  return fine and value or nil
end

local function counters_of(sim)
  local counters = { integrator = {} }
  for _, name in ipairs { "steps", "publishes", "discrete_updates", "unrestricted_updates" } do
    counters[name] = sim.stats[name]
  end
  for key, getter in pairs(getters) do
    local method = read(sim.integrator, getter)
    counters.integrator[key] = method and method(sim.integrator)
  end
  return counters
end

-- The monitor of the replay: it always watches where steps end, and logs when the recording has a monitor.
local function monitor_of(run, recorded)
  local status = expression.status(recorded and recorded.status, function(name)
    if name == "t" then return "e.time" end
    error("a monitor that reads " .. name .. " is not in the recorded format", 0)
  end)
  return function(ctx)
    local state = run.built.read(ctx)
    run.steps[#run.steps + 1] = { t = ctx.time, state = state, op = #run.ops + 1 }
    if not recorded then return end
    local rule = status(ctx)
    local returns = rule and rule.is ~= "succeeded" and rule.is or nil
    local log = run.built.log
    log[#log + 1] = { t = ctx.time, event = "monitor", kind = "monitor", steps = run.sim.stats.steps, state = state,
      returns = returns }
    return drake_model.outcome(run.saltus, rule, run.built.path_of)
  end
end

local deeds = {}

function deeds.initialize(run, op)
  return run.sim:initialize { suppress_initialization_events = op.suppress or nil } or run.sim.status
end
function deeds.advance_to(run, op) return run.sim:advance_to(op.t + 0.0) end
function deeds.advance_pending(run) return run.sim:advance_pending_events() end
function deeds.set_time(run, op) run.sim.context.time = op.t + 0.0 end
function deeds.reset_statistics(run) run.sim.stats:reset() end
function deeds.clear_monitor(run) run.sim.monitor = monitor_of(run, nil) end
function deeds.set_monitor(run, op) run.sim.monitor = monitor_of(run, op.monitor) end
function deeds.reset_integrator(run, op)
  run.sim:set_integrator(op.scheme, { max_step = op.max_step_size, fixed_step = op.fixed_step,
    accuracy = op.target_accuracy, initial_step = op.initial_step_size, min_step = op.min_step_size })
end
function deeds.start_dense(run) run.sim.integrator:start_dense_output() end

function deeds.stop_dense(run, op)
  local dense = run.sim.integrator:stop_dense_output()
  local breaks = dense:breaks()
  local result = { breaks = {}, segments = #breaks - 1, start = breaks[1], samples = {} }
  for i, t in ipairs(breaks) do result.breaks[i], result["end"] = t, t end
  for i, t in ipairs(op.at) do
    local value, derivative = dense:value(t), dense:derivative(t)
    result.samples[i] = { t = t, value = { table.unpack(value) }, derivative = { table.unpack(derivative) } }
  end
  return nil, result
end

-- Runs the whole case; an engine that refuses the options returns `refused`. `change` may hold max_step (another
-- maximum), own_dense_output and rest (see drake_model).
function drake_replay.run(saltus, case, change)
  change = change or {}
  local options = drake_replay.options(case.settings or {})
  options.max_step = change.max_step or options.max_step
  for _, op in ipairs(case.run) do
    if op.op == "start_dense" and not change.own_dense_output then options.dense_output = "hermite" end
  end
  local run = { saltus = saltus, ops = {}, steps = {}, built = drake_model.build(saltus, case.model, change.rest) }
  local accepted, sim = pcall(saltus.simulator, run.built.system, options)
  if not accepted then
    run.refused = tostring(sim)
    return run
  end
  run.sim = sim
  sim.monitor = monitor_of(run, case.settings and case.settings.monitor)

  for i, op in ipairs(case.run) do
    local deed = deeds[op.op] or error(("operation %q is not in the recorded format"):format(op.op), 0)
    run.built.log = {}
    local made = { op = op.op, t = op.t }
    local fine, status, result = pcall(deed, run, op)
    if fine then
      made.status = type(status) == "table" and {
        reason = status.reason, return_time = status.time, boundary_time = status.boundary_time,
        message = status.message, system = status.system,
      } or nil
      made.result = result
    else
      made.error = tostring(status)
      made.failure = sim.failure
    end
    made.log = run.built.log
    made.after = { t = sim.context.time, state = run.built.read(sim.context), counters = counters_of(sim) }
    run.ops[i] = made
  end
  return run
end

return drake_replay
