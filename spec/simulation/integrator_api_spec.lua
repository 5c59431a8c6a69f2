-- Mirrors lua/saltus/simulation/integrator_api.lua: the integrator by the names of its getters and setters, and another
-- in its place.
local saltus = require "saltus"
local fails = require "spec.support.fails"

local function decay(more)
  local def = { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end }
  for k, v in pairs(more or {}) do def[k] = v end
  return saltus.system(def)
end

describe("sim.integrator", function()
  it("counts its work", function()
    local sim = saltus.simulator(decay(), { integrator = "runge_kutta3", max_step = 0.1 })
    sim:advance_to(1)
    local i = sim.integrator
    assert.equal(sim.stats.steps, i:get_num_steps_taken())
    assert.equal(sim.stats.derivative_evaluations, i:get_num_derivative_evaluations())
    assert.same({ 0.1, 1e-6, "runge_kutta3" }, { i:get_maximum_step_size(), i:get_target_accuracy(), i.name })
    assert.is_truthy(tostring(i):find("num_steps_taken", 1, true))
  end)

  it("takes another largest step and accuracy", function()
    local sim = saltus.simulator(decay())
    sim.integrator:set_maximum_step_size(0.01)
    sim:advance_to(1)
    assert.is_true(sim.stats.steps >= 100)
    sim.integrator:set_target_accuracy(1e-9)
    assert.equal(1e-9, sim.integrator:get_target_accuracy())
    fails("set_maximum_step_size: -1 cannot be used here", sim.integrator.set_maximum_step_size, sim.integrator, -1)
    fails('set_target_accuracy: "x" cannot be used here', sim.integrator.set_target_accuracy, sim.integrator, "x")
  end)

  it("takes all of Drake's settings, and a clone has them", function()
    local sim = saltus.simulator(decay(), { integrator = "runge_kutta3", max_step = 0.5 })
    sim.integrator:set_requested_minimum_step_size(1e-6)
    sim.integrator:request_initial_step_size_target(0.25)
    sim.integrator:set_throw_on_minimum_step_size_violation(false)
    sim.integrator:set_fixed_step_mode(true)
    sim.integrator:set_maximum_step_size(0.4)
    for _, i in ipairs { sim.integrator, sim:clone().integrator } do
      assert.same({ 1e-6, 0.25, false, true, 0.4, 1.01 }, { i:get_requested_minimum_step_size(),
        i:get_initial_step_size_target(), i:get_throw_on_minimum_step_size_violation(), i:get_fixed_step_mode(),
        i:get_maximum_step_size(), i:get_stretch_factor() })
    end
    sim:advance_to(0.8)
    assert.equal(2, sim.integrator:get_num_steps_taken())
    assert.equal(1, #sim.integrator:get_error_estimate())
    assert.same({ 1 }, sim.integrator:get_state_weight_vector())
    sim.integrator:reset_statistics()
    assert.equal(0, sim.integrator:get_num_steps_taken())
  end)

  it("weighs v by the characteristic time, z and q not (D-206)", function()
    local system = saltus.system { name = "s", q = { { "x", 0, weight = 2 } }, v = { { "u", 0, weight = 3 } },
      z = { { "z", 0, weight = 5 } }, derivatives = function(_, dot) dot.x, dot.u, dot.z = 0, 0, 0 end }
    local sim = saltus.simulator(system, { characteristic_time = 0.5 })
    local i = sim.integrator
    assert.same({ 2, 1.5, 5 }, i:get_state_weight_vector())
    assert.same({ { 3 }, { 5 } }, { i:get_generalized_state_weight_vector(), i:get_misc_state_weight_vector() })
    i:set_generalized_state_weight_vector { 4 }
    i:set_misc_state_weight_vector { 0 }
    assert.same({ 4, 2, 0 }, i:get_state_weight_vector())
    fails("set_misc_state_weight_vector: weight [1] must be a number of at least 0, got -1",
      i.set_misc_state_weight_vector, i, { -1 })
    fails("set_generalized_state_weight_vector takes a list of 1 weights, got 2",
      i.set_generalized_state_weight_vector, i, { 1, 2 })
  end)

  it("keeps relative errors of v and z that are large, absolute ones of q (D-207)", function()
    local function steps(partition, more, weights)
      local e = { "a", 1e6 }
      for k, v in pairs(more or {}) do e[k] = v end
      local sim = saltus.simulator(saltus.system { name = "s", [partition] = { e },
        derivatives = function(ctx, dot) dot.a = -ctx.a end },
        { integrator = "runge_kutta3", accuracy = 1e-4, error_weights = weights })
      sim:advance_to(1)
      return sim.stats.steps
    end
    local relative, absolute = steps "z", steps("z", { error = "absolute" })
    assert.is_true(10 * relative < absolute)
    assert.same({ relative, absolute, absolute, absolute },
      { steps "v", steps("v", { error = "absolute" }), steps "q", steps("z", {}, "absolute") })
  end)

  it("has only its own names", function()
    local sim = saltus.simulator(decay())
    fails('unknown method of the integrator "get_num_step_taken"; did you mean "get_num_steps_taken"?',
      function() return sim.integrator:get_num_step_taken() end)
    fails('method of the integrator "accuracy"; see get_accuracy_in_use, get_target_accuracy, set_target_accuracy',
      function() return sim.integrator.accuracy end)
    fails("sim.integrator has no field acuracy to set; see its set_ methods",
      function() sim.integrator.acuracy = 1 end)
    fails("write sim.integrator:set_target_accuracy(value)",
      function() sim.integrator.accuracy = 3 end)
  end)
end)

describe("a step", function()
  it("is as long for the state as for the time, at any time and by any method", function()
    local clock = saltus.system { name = "clock", z = { { "x", 0 } }, derivatives = function(_, dot) dot.x = 1 end }
    for _, start in ipairs { 0, 1e6, -1e9, 1.7e9 } do
      for _, method in ipairs { "tsitouras5", "dormand_prince8", "radau5", "rodas4", "implicit_euler" } do
        local sim = saltus.simulator(clock, { start_time = start, max_step = 1.37e-3, integrator = method })
        sim:advance_to(start + 1)
        assert.near(sim.context.time - start, sim.context.x, 1e-12)
      end
    end
  end)
end)

describe("options", function()
  it("that are misspelt or out of range are errors, with a similar name", function()
    fails('saltus.simulator: unknown option "acuracy"; did you mean "accuracy"?', saltus.simulator, decay(),
      { acuracy = 1 })
    fails('saltus.simulator: unknown integrator "runge_kuta3"; did you mean "runge_kutta3"?', saltus.simulator, decay(),
      { integrator = "runge_kuta3" })
    fails('option "max_step" must be greater than 0, got -1', saltus.simulator, decay(), { max_step = -1 })
    fails('option "accuracy" must not be NaN', saltus.simulator, decay(), { accuracy = 0 / 0 })
    fails("runge_kutta2 with fixed steps needs max_step", saltus.simulator, decay(), { integrator = "runge_kutta2" })
    fails("integrator_api_spec.lua:", function() saltus.simulator(decay(), { acuracy = 1 }) end)
  end)

  it("of weights that are negative or NaN are refused where they are declared", function()
    for _, weight in ipairs { -1, -math.huge, 0 / 0 } do
      fails("weight must be a number, 0 or more; 0 leaves it out of the error, got", decay,
        { z = { { "x", 1, weight = weight } } })
    end
  end)
end)

describe("set_integrator", function()
  it("puts another in its place; the next advance initializes (D-014)", function()
    local sim = saltus.simulator(decay { discrete = { "n" }, events = { { at = "initialization",
      discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } })
    sim:advance_to(1)
    sim:set_integrator("runge_kutta3", { max_step = 0.01 })
    sim:advance_to(2)
    assert.same({ 2, "runge_kutta3" }, { sim.context.n, sim.integrator.name })
    assert.near(math.exp(-2), sim.context.x, 1e-5)
    assert.is_true(sim.stats.steps >= 100 and sim.stats.steps < 110)
    fails('set_integrator: unknown integrator "rk3"', sim.set_integrator, sim, "rk3")
    fails('set_integrator: unknown option "max_stepp"', sim.set_integrator, sim, "runge_kutta3", { max_stepp = 1 })
  end)

  it("rejects options that an integrator does not have, and lists those it has", function()
    local sim = saltus.simulator(decay {}, { max_step = 0.5 })
    sim:advance_to(1)
    local name = sim.integrator.name
    for _, option in ipairs { "seed", "isolation", "error_weights", "start_time", "integrator" } do
      fails(('set_integrator: %q is an option of saltus.simulator, not of this; known: accuracy, max_step, min_step, '
        .. "initial_step, fixed_step, dense_output, throw_on_min_step, jacobian, jacobian_pattern"):format(option),
        sim.set_integrator, sim, "runge_kutta3", { [option] = 1 })
    end
    fails('set_integrator: option "accuracy" must be greater than 0 and finite, got 0', sim.set_integrator, sim,
      "runge_kutta3", { accuracy = 0 })
    assert.equal(name, sim.integrator.name)
    for _, option in ipairs(require("saltus.simulation.integrator_options").set_integrator) do
      sim:set_integrator("radau5", { max_step = 0.25, [option.name] = option.default })
    end
    sim:advance_to(2)
    assert.same({ "radau5", 2 }, { sim.integrator.name, sim.context.time })
  end)

  it("is refused while the simulator runs", function()
    local sim
    sim = saltus.simulator(decay { events = { { every = 1,
      publish = function() sim:set_integrator "runge_kutta3" end } } })
    fails("settings can be changed between calls only", sim.advance_to, sim, 1)
    assert.equal("auto", sim.integrator.name)
  end)
end)

describe("an error weight of 0", function()
  it("leaves a variable out of the step's size", function()
    local function steps(weight)
      local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 }, { "fast", 0, weight = weight } },
        derivatives = function(ctx, dot) dot.x, dot.fast = -ctx.x, math.sin(300 * ctx.time) end })
      sim:advance_to(5)
      return sim.stats.steps
    end
    assert.is_true(steps(0) * 5 < steps(1))
  end)
end)

describe("without continuous state", function()
  it("a run without events is one step, and derivatives are never called (D-027, D-028)", function()
    local n = 0
    local sim = saltus.simulator(saltus.system { name = "s", discrete = { "a" },
      derivatives = function() n = n + 1 end },
      { max_step = 0.1 })
    sim:advance_to(10)
    assert.same({ 1, 0 }, { sim.stats.steps, n })
  end)
end)
