-- Mirrors lua/saltus/simulation/standalone_integrator.lua and src/binding/integrator/standalone_integrator.c: an
-- integrator without a simulator, by the names of Drake's IntegratorBase.
local saltus = require "saltus"
local fails = require "spec.support.fails"

local function fall(_, x, dx) dx[1], dx[2] = x[2], -10 end

local function make(more)
  local def = { f = fall, x = { 0, 10 } }
  for k, v in pairs(more or {}) do def[k] = v end
  return saltus.integrator(def)
end

describe("saltus.integrator", function()
  it("integrates a plain function exactly to a time", function()
    local i = saltus.integrator { f = function(t, x, dx) dx[1] = -2 * t * x[1] end, x = { 1 }, accuracy = 1e-10 }
    assert.equal("reached_boundary_time", i:integrate_with_multiple_steps_to_time(2))
    assert.equal(2, i.time)
    assert.near(math.exp(-4), i.x[1], 1e-9)
  end)

  for _, method in ipairs(require("saltus.core").methods()) do
    it("takes " .. method.name, function()
      local i = make { integrator = method.name, max_step = 0.01, q = 1, v = 1 }
      i:integrate_with_multiple_steps_to_time(1)
      assert.near(5, i.x[1], 0.06)
      assert.near(0, i.x[2], 1e-9)
      assert.is_true(i:get_num_steps_taken() > 0)
    end)
  end

  it("returns what ended a step: Drake's six results", function()
    local i = make { max_step = 0.25, witness = function(_, x) return x[1] end }
    assert.equal("time_has_advanced", i:integrate_no_further_than_time(1, 1, 1))
    assert.equal(0.025, i.time)
    assert.equal("reached_publish_time", i:integrate_no_further_than_time(0.03, 1, 1))
    assert.equal("reached_update_time", i:integrate_no_further_than_time(0.04, 0.04, 1))
    assert.equal("reached_boundary_time", i:integrate_no_further_than_time(1, 1, 0.05))
    assert.equal("reached_zero_crossing", i:integrate_with_multiple_steps_to_time(3))
    assert.near(2, i.time, 1e-12)
    assert.is_true(i.x[1] <= 0 and i.x[1] > -1e-11)
    local short = make { integrator = "runge_kutta2", max_step = 0.125, max_steps_per_call = 3 }
    assert.equal("reached_step_limit", short:integrate_with_multiple_steps_to_time(1))
    assert.equal(0.375, short.time)
    assert.equal("reached_step_limit", short:integrate_no_further_than_time(2, 2, 1))
    assert.equal("reached_boundary_time", short:integrate_no_further_than_time(2, 2, 1))
  end)

  it("takes a single step of fixed step mode, or says that it cannot", function()
    local refuses = false
    local i = saltus.integrator { integrator = "implicit_euler", fixed_step = true, max_step = 0.1, x = { 1 },
      f = function(_, x, dx) dx[1] = refuses and 0 / 0 or -x[1] end }
    assert.is_true(i:integrate_with_single_fixed_step_to_time(0.5))
    assert.same({ 0.5, 1 }, { i.time, i:get_num_steps_taken() })
    refuses = true
    local x = i.x[1]
    assert.is_false(i:integrate_with_single_fixed_step_to_time(1))
    assert.same({ 0.5, x }, { i.time, i.x[1] })
    fails("a single fixed step needs fixed step mode", make().integrate_with_single_fixed_step_to_time, make(), 1)
  end)

  it("continues from the state that it is given", function()
    local i = make()
    i:integrate_with_multiple_steps_to_time(1)
    i.time, i.x = 10, { 1, 0 }
    i:integrate_with_multiple_steps_to_time(11)
    assert.near(-4, i.x[1], 1e-10)
    i:reset()
    assert.same({ 0, 0, 10, false }, { i.time, i.x[1], i.x[2], i:is_initialized() })
  end)

  it("uses error weights", function()
    local function steps(more)
      local i = saltus.integrator { x = { 1, 0 }, accuracy = more.accuracy or 1e-6, error_weights = "absolute",
        weights = more.weights, f = function(t, x, dx) dx[1], dx[2] = -x[1], 300 * math.cos(300 * t) end }
      i:integrate_with_multiple_steps_to_time(5)
      return i:get_num_steps_taken(), i:get_state_weight_vector()
    end
    local all, ones = steps {}
    local without, weights = steps { weights = { 1, 0 } }
    assert.same({ { 1, 1 }, { 1, 0 } }, { ones, weights })
    assert.is_true(without * 5 < all)
    assert.equal((steps { weights = { 10, 10 } }), (steps { accuracy = 1e-7 }))
    fails("an error weight is negative; 0 leaves a variable out of the norm", steps, { weights = { 1, -1 } })
    local i = make { q = 1, v = 1 }
    i:set_generalized_state_weight_vector { 3 }
    assert.same({ { 3, 3 }, { 3 }, {} }, { i:get_state_weight_vector(), i:get_generalized_state_weight_vector(),
      i:get_misc_state_weight_vector() })
  end)

  it("has Drake's getters, sorted and each once", function()
    local i = make { accuracy = 1e-3, max_step = 0.5, integrator = "runge_kutta3" }
    assert.is_true(i:get_previous_integration_step_size() ~= i:get_previous_integration_step_size()) -- NaN
    assert.is_nil(i:get_error_estimate())
    assert.is_false(i:is_initialized())
    i:integrate_with_multiple_steps_to_time(1)
    assert.same({ 1.01, 3, true, false, 0.5, 0.05, 1e-3, 1e-3, true },
      { i:get_stretch_factor(), i:get_error_estimate_order(), i:supports_error_estimation(), i:get_fixed_step_mode(),
        i:get_maximum_step_size(), i:get_initial_step_size_target(), i:get_target_accuracy(),
        i:get_accuracy_in_use(), i:is_initialized() })
    assert.equal(0.05, i:get_actual_initial_step_size_taken())
    assert.is_true(i:get_largest_step_size_taken() >= i:get_smallest_adapted_step_size_taken())
    assert.same({ 2, "number" }, { #i:get_error_estimate(), math.type(i:get_num_steps_taken()) and "number" })
    local last
    for name in tostring(i):gmatch "([%w_]+) +[^\n]+" do
      assert.is_true(last == nil or last < name)
      last = name
    end
    i:reset_statistics()
    assert.equal(0, i:get_num_steps_taken())
  end)

  it("takes other settings, checked against the rest", function()
    local i = make { max_step = 0.5, integrator = "runge_kutta3" }
    i:set_target_accuracy(10)
    assert.same({ 10, 0.1 }, { i:get_target_accuracy(), i:get_accuracy_in_use() })
    i:request_initial_step_size_target(0.125)
    i:set_requested_minimum_step_size(0.01)
    i:set_throw_on_minimum_step_size_violation(false)
    assert.same({ 0.125, 0.01, 0.01, false }, { i:get_initial_step_size_target(), i:get_requested_minimum_step_size(),
      i:get_working_minimum_step_size(), i:get_throw_on_minimum_step_size_violation() })
    fails("set_requested_minimum_step_size: 0.6 cannot be used here", i.set_requested_minimum_step_size, i, 0.6)
    fails("request_initial_step_size_target: 0.001 cannot be used", i.request_initial_step_size_target, i, 0.001)
    i:set_fixed_step_mode(true)
    i:integrate_with_multiple_steps_to_time(2)
    assert.equal(4, i:get_num_steps_taken())
    local two = make { integrator = "runge_kutta2", max_step = 0.1 }
    fails("set_fixed_step_mode: false cannot be used here", two.set_fixed_step_mode, two, false)
    fails("set_target_accuracy: 0.1 cannot be used here", two.set_target_accuracy, two, 0.1)
  end)

  it("returns its run as a piecewise polynomial, which remains valid after it", function()
    local i = make { max_step = 0.25 }
    assert.is_nil(i:get_dense_output())
    i:start_dense_output()
    i:integrate_with_multiple_steps_to_time(1)
    local half = i:get_dense_output()
    i:integrate_with_multiple_steps_to_time(2)
    local dense = i:stop_dense_output()
    local steps = i:get_num_steps_taken()
    i = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.equal(steps, dense:segments())
    assert.near(10 * 1.3 - 5 * 1.69, dense:value(1.3)[1], 1e-12)
    assert.near(-3, dense:derivative(1.3)[1], 1e-11)
    assert.same({ 0, 2 }, { dense:breaks()[1], dense:breaks()[steps + 1] })
    assert.is_truthy(tostring(dense):find(("%d segments of degree 4"):format(steps), 1, true))
    assert.near(10 * 0.3 - 5 * 0.09, half:value(0.3)[1], 1e-12)
    fails("the dense output covers t = 0.0 to 1.0, not 1.5", half.value, half, 1.5)
  end)

  it("raises the function's own error, and does not change", function()
    local mine = { "my own" }
    local broken = false
    local i = saltus.integrator { x = { 1 }, f = function(_, x, dx)
      if broken then error(mine) end
      dx[1] = -x[1]
    end }
    i:integrate_with_multiple_steps_to_time(1)
    local x = i.x[1]
    broken = true
    local ok, message = pcall(i.integrate_with_multiple_steps_to_time, i, 2)
    assert.is_false(ok)
    assert.equal(mine, message)
    assert.same({ 1, x }, { i.time, i.x[1] })
    broken = false
    i:integrate_with_multiple_steps_to_time(2)
    assert.near(math.exp(-2), i.x[1], 1e-5)
  end)

  it("reports wrong arguments", function()
    fails("saltus.integrator: f must be a function, got nil", saltus.integrator, { x = { 1 } })
    fails('saltus.integrator: unknown option "acuracy"; did you mean "accuracy"?', make, { acuracy = 1 })
    fails("saltus.integrator: x[2] must be a number, got \"a\"", make, { x = { 1, "a" } })
    fails("saltus.integrator: weights must have 2 numbers, got 1", make, { weights = { 1 } })
    fails("runge_kutta2 with fixed steps needs max_step", make, { integrator = "runge_kutta2" })
    fails('unknown integrator "rk3"; did you mean "runge_kutta3"?', make, { integrator = "rk3" })
    local here = "standalone_integrator_spec.lua:" .. debug.getinfo(1, "l").currentline + 1
    local forgetful = make { f = function(_, _, dx) dx[1] = 0 end }
    fails(here .. ": f(t, x, dx) leaves dx[2] unset; it must be a number",
      forgetful.integrate_with_multiple_steps_to_time, forgetful, 1)
    fails("the witness returns no number", make().integrate_with_multiple_steps_to_time,
      make { witness = function() end }, 1)
    local jumps = make { min_step = 0.125, accuracy = 1e-9, f = function(t, _, dx)
      dx[1], dx[2] = 0, t < 0.6 and 1e6 or -1e6
    end }
    fails("x[2] needs steps below the minimum (0.125 s)", jumps.integrate_with_multiple_steps_to_time, jumps, 1)
    local i = make()
    i:integrate_with_multiple_steps_to_time(1)
    fails("time is 1 and cannot go back", i.integrate_with_multiple_steps_to_time, i, 0.5)
    fails('unknown method of the integrator "get_num_step_taken"; did you mean "get_num_steps_taken"?',
      function() return i:get_num_step_taken() end)
    fails('unknown field of the integrator that can be set "tme"; did you mean "time"?', function() i.tme = 3 end)
    local nan = make { f = function(t, _, dx) dx[1], dx[2] = 0, t > 0.5 and 0 / 0 or 1 end }
    fails("the step from t =", nan.integrate_with_multiple_steps_to_time, nan, 1)
    fails("the derivative or value of x[2] is NaN", nan.integrate_with_multiple_steps_to_time, nan, 1)
    local again
    again = make { f = function() again:integrate_with_multiple_steps_to_time(2) end }
    fails("the integrator is already stepping; its function cannot step it",
      again.integrate_with_multiple_steps_to_time, again, 1)
  end)
end)
