-- Integrators by the names of Drake's IntegratorBase: `sim.integrator` of a simulator, and
-- `saltus.integrator { ... }` of a plain x' = f(t, x), lua/saltus/simulation/standalone_integrator.lua.
--
--   Drake                                              here
--   Initialize                                         :initialize(); sim:initialize() of a simulator
--   is_initialized                                     :is_initialized()
--   Reset                                              :reset(); sim:set_integrator(name) of a simulator
--   reset_context, get_mutable_context                 .time = t, .x = { ... }; sim.context
--   get_context, get_system                            .time, .x; sim.context, sim.system
--   IntegrateNoFurtherThanTime                         :integrate_no_further_than_time(publish, update, boundary)
--   IntegrateWithMultipleStepsToTime                   :integrate_with_multiple_steps_to_time(t)
--   IntegrateWithSingleFixedStepToTime                 :integrate_with_single_fixed_step_to_time(t)
--   StepResult                                         "reached_publish_time", "reached_zero_crossing",
--                                                      "reached_update_time", "time_has_advanced",
--                                                      "reached_boundary_time", "reached_step_limit"
--   set_target_accuracy, get_target_accuracy           the same; option accuracy
--   get_accuracy_in_use                                the same
--   supports_error_estimation                          the same
--   get_error_estimate_order                           the same
--   get_error_estimate                                 the same: a list by element of x, nil without one
--   get_ideal_next_step_size                           the same
--   set_fixed_step_mode, get_fixed_step_mode           the same; option fixed_step
--   get_generalized_state_weight_vector, get_misc_...  the same, and get_state_weight_vector() of all x
--   get_mutable_generalized_state_weight_vector, ...   set_generalized_state_weight_vector(list), set_misc_...; a model
--                                                      says weight = on its q, v and z, x' = f(t, x) the option weights
--   request_initial_step_size_target,                  the same; option initial_step
--     get_initial_step_size_target
--   set_maximum_step_size, get_maximum_step_size       the same; option max_step
--   get_stretch_factor                                 the same
--   set_requested_minimum_step_size,                   the same; option min_step
--     get_requested_minimum_step_size
--   get_working_minimum_step_size                      the same
--   set_throw_on_minimum_step_size_violation, get_...  the same; option throw_on_min_step
--   get_previous_integration_step_size                 the same
--   get_actual_initial_step_size_taken,                the same
--     get_smallest_adapted_step_size_taken,
--     get_largest_step_size_taken
--   get_num_steps_taken, get_num_derivative_evaluations, get_num_substep_failures,
--     get_num_step_shrinkages_from_substep_failures, get_num_step_shrinkages_from_error_control: the same
--   ResetStatistics                                    reset_statistics()
--   add_derivative_evaluations                         in C: sal_integrator_add_derivative_evaluations
--   StartDenseIntegration, StopDenseIntegration        start_dense_output(), stop_dense_output()
--   get_dense_output                                   the same: a copy of what there is so far; nil: none was started
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local integrator_api = {}

-- Calls the engine, which refuses some calls while a closure runs.
local function protected(...) return require("saltus.simulation.build").call_engine(...) end

-- The option that each sets, and its type.
local setters = {
  set_maximum_step_size = { "max_step", "number" },
  set_target_accuracy = { "accuracy", "number" },
  set_requested_minimum_step_size = { "min_step", "number" },
  request_initial_step_size_target = { "initial_step", "number" },
  set_fixed_step_mode = { "fixed_step", "boolean" },
  set_throw_on_minimum_step_size_violation = { "throw_on_min_step", "boolean" },
}

integrator_api.setters = setters

local actions = {
  start_dense_output = "start_dense_output", stop_dense_output = "stop_dense_output",
  get_dense_output = "dense_output", get_error_estimate = "error_estimate", get_state_weight_vector = "weights",
  reset_statistics = "reset_integrator_statistics",
}

local bare = { supports_error_estimation = true, is_initialized = true } -- getters without get_

-- Drake's two weight vectors: that of v, without the characteristic time (and of q, if q and v have the same size), and
-- that of z.
local function weight_range(extent, key)
  local size, _, n = extent()
  if key:find "generalized" then return n.q, n.v end
  return n.q + n.v, size - n.q - n.v
end

local function get_weights(core, extent, key)
  local _, tau = extent()
  local first, count = weight_range(extent, key)
  local all, scale = core:weights(), key:find "generalized" and tau or 1
  local list = {}
  for i = 1, count do list[i] = all[first + i] / scale end
  return list
end

local function set_weights(core, extent, key, list)
  local _, tau, n = extent()
  local first, count = weight_range(extent, key)
  local length = type(list) == "table" and #list
  names.check(length == count, length or list, "%s takes a list of %d weights", key, count)
  for i, weight in ipairs(list) do
    names.check(numerals.is_finite(weight) and weight >= 0, weight,
      "%s: weight [%d] must be a number of at least 0", key, i)
  end
  for i, weight in ipairs(list) do
    protected(key, core.set_weight, core, first + i, key:find "generalized" and weight * tau or weight)
    if key:find "generalized" and n.q == n.v then protected(key, core.set_weight, core, i, weight) end
  end
end

local weights = {
  get_generalized_state_weight_vector = get_weights, get_misc_state_weight_vector = get_weights,
  set_generalized_state_weight_vector = set_weights, set_misc_state_weight_vector = set_weights,
}

local function known_methods(values, more)
  local known = names.joined(names.sorted_keys(setters), names.sorted_keys(actions), names.sorted_keys(weights),
    names.sorted_keys(more))
  for name in pairs(values) do known[#known + 1] = bare[name] and name or "get_" .. name end
  table.sort(known)
  return known
end

-- The methods with a word in their names: for "accuracy" get_accuracy_in_use and two more.
local function speaking_of(word, known)
  return names.filter(known, function(name) return #word > 3 and name:find(word, 1, true) end)
end

local function getter(core, key, more)
  local field = bare[key] and key or key:match "^get_(.+)$"
  local values = core:integrator()
  if not field or values[field] == nil then
    local known = known_methods(values, more)
    local text, found = names.unknown("method of the integrator", key, known), speaking_of(key, known)
    names.fail("%s%s", text, not names.near(key, known) and found[1] and "; see " .. table.concat(found, ", ") or "")
  end
  return function() return core:integrator()[field] end
end

local function setter(core, key, remember)
  local option, kind = table.unpack(setters[key])
  return function(_, value)
    local sound = type(value) == kind and value == value
    names.fail_if(not sound or not protected(key, core.set_option, core, option, value),
      "%s: %s cannot be used here", key, names.show(value))
    remember(option, value)
  end
end

local function action(core, key)
  return function()
    local result, wrong = protected(key, core[actions[key]], core)
    if wrong then names.fail(wrong) end
    return result
  end
end

-- Lines "name value", by name.
function integrator_api.text(core)
  local values, lines = core:integrator(), {}
  for name, value in pairs(values) do lines[#lines + 1] = numerals.format("%-44s %s", name, value) end
  table.sort(lines)
  return table.concat(lines, "\n")
end

-- The method `key` of any integrator. extent() returns the number of elements of x, the characteristic time and the
-- numbers { q =, v = } of them. `more`: methods of this integrator, for the error message.
function integrator_api.method(core, key, remember, extent, more)
  if key == "name" then return core:integrator().name end
  if setters[key] then return setter(core, key, remember) end
  if actions[key] then return action(core, key) end
  if weights[key] then return function(_, list) return weights[key](core, extent, key, list) end end
  return getter(core, numerals.text(key), more)
end

-- The integrator of a simulator; remember(option, value) receives what was set.
function integrator_api.new(core, remember, extent)
  return setmetatable({}, {
    __name = "saltus.integrator",
    __index = function(_, key) return integrator_api.method(core, key, remember, extent, {}) end,
    __newindex = function(_, key)
      for method, setter_of in pairs(setters) do
        if setter_of[1] == key then names.fail("write sim.integrator:%s(value)", method) end
      end
      names.fail("sim.integrator has no field %s to set; see its set_ methods", numerals.text(key))
    end,
    __tostring = function() return integrator_api.text(core) end,
  })
end

return integrator_api
