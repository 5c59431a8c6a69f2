-- Mirrors lua/saltus/simulation/: sim:configuration, and the statistics of a run.
local saltus = require "saltus"

describe("sim:configuration", function()
  local function still()
    return saltus.system { name = "still", z = { x = 0 }, derivatives = function(_, dot) dot.x = 0 end }
  end

  it("of \"drake\" is Drake's own", function()
    local sim = saltus.simulator(still(), { integrator = "drake" })
    assert.same({ integrator = "runge_kutta3", max_step = 0.1, accuracy = 1e-4, fixed_step = false, start_time = 0.0,
      target_realtime_rate = 0 }, sim:configuration())
  end)

  it("goes round", function()
    local first = saltus.simulator(still(), { integrator = "runge_kutta5", max_step = 0.003, accuracy = 0.0005,
      start_time = 0.5, target_realtime_rate = 3 })
    local second = saltus.simulator(still())
    second:configuration(first:configuration())
    assert.same(first:configuration(), second:configuration())
  end)

  it("survives a round trip through text, with the accuracy in use once it runs (D-261)", function()
    local given = { integrator = "runge_kutta5", max_step = 0.003, accuracy = 0.03, fixed_step = false,
      start_time = 0.5, target_realtime_rate = 3.0 }
    local sim = saltus.simulator(still())
    sim:configuration(given)
    assert.same(given, sim:configuration())
    local lines = {}
    for key, value in pairs(sim:configuration()) do
      lines[#lines + 1] = ("[%q] = %s"):format(key, type(value) == "string" and ("%q"):format(value)
        or type(value) == "number" and ("%a"):format(value) or tostring(value))
    end
    local other = saltus.simulator(still())
    other:configuration(load("return {" .. table.concat(lines, ",") .. "}")())
    assert.same(given, other:configuration())
    other.target_realtime_rate = 0
    other:initialize()
    assert.equal(1e-3, other:configuration().accuracy)
    assert.equal(0.5, other.context.time)
    other:advance_to(0.506)
    assert.is_true(other.integrator:get_largest_step_size_taken() <= 0.003 * 1.01)
  end)

  it("of a scheme without an error estimate has accuracy 0 and fixed steps (D-262)", function()
    local sim = saltus.simulator(still(), { integrator = "drake" })
    sim:configuration { integrator = "runge_kutta2", max_step = 0.01 }
    assert.same({ integrator = "runge_kutta2", max_step = 0.01, accuracy = 0, fixed_step = true, start_time = 0.0,
      target_realtime_rate = 0 }, sim:configuration())
    local back = saltus.simulator(still())
    back:configuration(sim:configuration())
    assert.same(sim:configuration(), back:configuration())
    back:configuration { integrator = "runge_kutta3", fixed_step = false, accuracy = 1e-4 }
    assert.same({ "runge_kutta3", 1e-4, false }, { back:configuration().integrator, back:configuration().accuracy,
      back:configuration().fixed_step })
  end)

  it("does not change the sizes that it does not contain (D-263)", function()
    local sim = saltus.simulator(still(), { initial_step = 1e-3, min_step = 1e-9, throw_on_min_step = false })
    sim:configuration { max_step = 0.1 }
    local i = sim.integrator
    assert.same({ 1e-3, 1e-9, false }, { i:get_initial_step_size_target(), i:get_requested_minimum_step_size(),
      i:get_throw_on_minimum_step_size_violation() })
  end)

  it("refuses a field that it does not have", function()
    assert.error_matches(function() saltus.simulator(still()):configuration { max_stop = 1 } end,
      'unknown field "max_stop" of a configuration; did you mean "max_step"%?')
  end)
end)

describe("sim.stats", function()
  it("name the variable that limited the steps most often", function()
    local stiff = saltus.system { name = "pair", z = { { "slow", 1 }, { "fast", 0 } },
      derivatives = function(ctx, dot) dot.slow, dot.fast = -ctx.slow, 40 * math.cos(40 * ctx.time) end }
    local sim = saltus.simulator(stiff, { initial_step = 1 })
    sim:advance_to(3)
    assert.equal("fast", sim.stats.limited_by)
    assert.matches("steps_limited_by%s+fast", tostring(sim.stats))
  end)
end)
