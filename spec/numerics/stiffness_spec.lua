-- Mirrors src/numerics/integrator/stiffness.c through the Lua face: "auto" goes over to its stiff method and back, runs
-- can be saved anywhere, and an explicit method that is slowed by stiffness says so once.
local saltus = require "saltus"

local function van_der_pol(mu)
  return saltus.system { name = "vdp", z = { { "x", 2 }, { "y", 0 } }, params = { mu = mu },
    derivatives = function(ctx, dot)
      dot.x = ctx.y
      dot.y = ctx.mu * (1 - ctx.x * ctx.x) * ctx.y - ctx.x
    end }
end

-- Bound to 1, and that hard for half of each period of 2 s, which an event switches.
local function by_turns()
  return saltus.system { name = "turns", z = { { "x", 0 }, { "y", 0 } }, discrete = { pull = 1e4 },
    derivatives = function(ctx, dot)
      dot.x = -ctx.pull * (ctx.x - math.cos(ctx.time))
      dot.y = ctx.x
    end,
    events = { { name = "switch", every = 1, discrete_update = function(ctx, next)
      next.pull = ctx.pull > 1 and 1 or 1e4
    end } } }
end

describe("auto", function()
  it("is the integrator when neither one nor a max_step is named", function()
    assert.equal("auto", saltus.simulator(van_der_pol(1)).integrator.name)
    assert.equal("tsitouras5", saltus.simulator(van_der_pol(1), { max_step = 0.1 }).integrator.name)
    assert.equal("auto", saltus.simulator(van_der_pol(1), { integrator = "auto", max_step = 0.1 }).integrator.name)
    assert.equal("runge_kutta3", saltus.simulator(van_der_pol(1), { integrator = "drake" }).integrator.name)
  end)

  it("uses radau5 for a system with a mass matrix", function()
    local sim = saltus.simulator(saltus.system { name = "dae", z = { { "x", 1 }, { "y", 1 } },
      mass = { { 1, 0 }, { 0, 0 } }, derivatives = function(ctx, dot) dot.x, dot.y = -ctx.y, ctx.x - ctx.y end })
    sim:advance_to(1)
    assert.equal("radau5", sim.integrator.name)
    assert.near(math.exp(-1), sim.context.x, 1e-5)
  end)

  it("solves a stiff system in hundreds of steps, and a nonstiff one as tsitouras5 does", function()
    local sim = saltus.simulator(van_der_pol(1000))
    sim:advance_to(2000)
    assert.near(1.7061677321704649, sim.context.x, 1e-5)
    assert.is_true(sim.stats.steps < 600)
    assert.equal("radau5", sim.integrator:get_method_in_use())
    assert.is_true(sim.integrator:get_num_iteration_matrix_factorizations() > 0)
    assert.equal(0, #sim.warnings)

    local hashes, evaluations = {}, {}
    for i, name in ipairs { "auto", "tsitouras5" } do
      local lively = saltus.simulator(van_der_pol(5), { integrator = name })
      lively:advance_to(20)
      assert.equal("tsitouras5", lively.integrator:get_method_in_use())
      hashes[i], evaluations[i] = lively:hash(), lively.stats.derivative_evaluations
    end
    assert.same({ hashes[2], evaluations[2] }, { hashes[1], evaluations[1] })
  end)

  it("lists which of its methods ran when, and why", function()
    local sim = saltus.simulator(van_der_pol(1000))
    sim:advance_to(2000)
    local methods, steps = sim.stats.methods, 0
    for _, m in ipairs(methods) do steps = steps + m.steps end
    assert.equal(sim.stats.steps, steps)
    assert.same({ "tsitouras5", "at the start" }, { methods[1].method, methods[1].why })
    assert.equal("radau5", methods[#methods].method)
    assert.is_true(methods[2].time > 0 and methods[2].time < 1)
    assert.matches("radau5 +%d+  %(steps from t = 0%.%d+: ", tostring(sim.stats))
    sim.stats:reset()
    assert.same({ "radau5", 0 }, { sim.stats.methods[1].method, sim.stats.methods[1].steps })
  end)

  it("chooses by the accuracy", function()
    for accuracy, wanted in pairs { [1e-3] = { "tsitouras5", "rodas4" }, [1e-6] = { "tsitouras5", "radau5" },
      [1e-8] = { "dormand_prince8", "radau5" } } do
      local sim = saltus.simulator(van_der_pol(1000), { accuracy = accuracy })
      assert.equal(wanted[1], sim.integrator:get_method_in_use())
      sim:advance_to(100)
      assert.equal(wanted[2], sim.integrator:get_method_in_use())
    end
  end)

  it("continues from a save, stiff or not, to the same bits", function()
    local whole = saltus.simulator(by_turns())
    local seen, saved = {}, {}
    for k = 1, 40 do
      whole:advance_to(0.13 * k)
      saved[k] = whole:save()
      seen[whole.integrator:get_method_in_use()] = true
    end
    assert.same({ tsitouras5 = true, radau5 = true }, seen)
    local wanted = whole:hash()
    for k = 1, 40, 3 do
      local other = saltus.simulator(by_turns())
      other:load(saved[k])
      for i = k + 1, 40 do other:advance_to(0.13 * i) end
      assert.equal(wanted, other:hash())
    end
  end)

  it("has dense output as any method", function()
    local sim = saltus.simulator(van_der_pol(100))
    local log = saltus.log(sim, { "x", every = 0.5 })
    local dense = sim.integrator
    dense:start_dense_output()
    sim:advance_to(200)
    local run = dense:stop_dense_output()
    assert.equal(401, #log.time)
    for i = 1, #log.time do assert.near(run:value(log.time[i])[1], log.x[i], 1e-12) end
  end)

  it("has the same configuration after a round trip", function()
    local sim = saltus.simulator(van_der_pol(10))
    local configuration = sim:configuration()
    assert.same({ "auto", 1e-6, math.huge }, { configuration.integrator, configuration.accuracy,
      configuration.max_step })
    local other = saltus.simulator(van_der_pol(10), { integrator = "runge_kutta5", max_step = 0.003 })
    other:configuration(configuration)
    assert.same(configuration, other:configuration())
  end)
end)

-- Each follows the cosine. The matrix is declared dense, which needs too much memory.
local function crowd(n)
  return saltus.system { name = "crowd", z = { { "x", size = n } }, derivatives = function(ctx, dot)
    local x, rates, c = ctx.x, {}, math.cos(ctx.time)
    for i = 1, n do rates[i] = 1e4 * (c - x[i]) end
    dot.x = rates
  end }
end

describe("auto without memory for matrices", function()
  it("continues, and does not recommend itself", function()
    local sim = saltus.simulator(crowd(2001), { jacobian_pattern = "dense", accuracy = 1e-3 })
    sim:advance_to(0.02)
    assert.equal("tsitouras5", sim.integrator:get_method_in_use())
    assert.equal(1, #sim.warnings)
    assert.matches("limits the steps of tsitouras5, .*; jacobian_pattern = { lower, upper }", sim.warnings[1].message)
    assert.is_nil(sim.warnings[1].message:find('integrator =', 1, true))
  end)
end)

describe("an explicit method that stiffness slows", function()
  it("reports it once, with the variable and the remedy", function()
    local sim = saltus.simulator(van_der_pol(1000), { integrator = "runge_kutta5" })
    local said = {}
    local heard = warn
    _G.warn = function(...) said[#said + 1] = table.concat { ... } end -- luacheck: ignore
    sim:advance_to(0.5)
    sim:advance_to(1)
    sim:initialize()
    sim:advance_to(1.5)
    _G.warn = heard -- luacheck: ignore
    assert.equal(1, #said)
    assert.equal(1, #sim.warnings)
    local warning = sim.warnings[1]
    assert.same({ "vdp", '"y" of "vdp"' }, { warning.system, warning.variable })
    assert.is_true(warning.time > 0 and warning.time < 0.5)
    assert.matches("^saltus: vdp is stiff from about t = 0%.%d+ on: stability, not accuracy, limits the steps of " ..
      'runge_kutta5, by "y" of "vdp"; integrator = "auto" or "radau5" takes longer ones$', said[1])
  end)

  it("gives no warning where nothing is stiff", function()
    local sim = saltus.simulator(van_der_pol(5), { integrator = "dormand_prince8" })
    sim:advance_to(30)
    assert.equal(0, #sim.warnings)
  end)
end)

-- Bound so tightly to a sine that an error estimate which is divided by the stiffness twice sees nothing.
describe("a state that follows another", function()
  for _, method in ipairs { "radau5", "rodas4", "auto" } do
    it("has the requested accuracy at all times, for all stiffness: " .. method, function()
      for _, lambda in ipairs { 1e4, 1e6, 1e8 } do
        local follower = saltus.system { name = "follower", z = { "x" }, params = { lambda = lambda },
          derivatives = function(ctx, dot)
            dot.x = -ctx.lambda * (ctx.x - math.sin(ctx.time)) + math.cos(ctx.time)
          end }
        for _, accuracy in ipairs { 1e-4, 1e-6, 1e-8, 1e-10 } do
          local sim, worst = saltus.simulator(follower, { integrator = method, accuracy = accuracy }), 0
          for t, ctx in sim:steps(10) do worst = math.max(worst, math.abs(ctx.x - math.sin(t))) end
          assert.is_true(worst < 50 * accuracy, ("lambda %g, accuracy %g: %g"):format(lambda, accuracy, worst))
        end
      end
    end)

    it("has it inside of steps too, where logs and witnesses read it: " .. method, function()
      for _, lambda in ipairs { 1e3, 1e6, 1e9 } do
        local sensor = saltus.system { name = "sensor", z = { "x" }, params = { lambda = lambda },
          derivatives = function(ctx, dot) dot.x = ctx.lambda * (20 * math.sin(ctx.time) - ctx.x) end,
          events = { { name = "half", direction = "rising", witness = function(ctx) return ctx.x - 10 end } } }
        for _, accuracy in ipairs { 1e-3, 1e-5, 1e-7 } do
          local sim, worst = saltus.simulator(sensor, { integrator = method, accuracy = accuracy }), 0
          local log = saltus.log(sim, { "x", every = 0.01 })
          sim:advance_to(20)
          for row = 2, #log do
            local t = log.time[row] -- without the start, where x is at rest and the sine is not
            local x = 20 * lambda * (lambda * math.sin(t) - math.cos(t) + math.exp(-lambda * t)) / (1 + lambda ^ 2)
            worst = math.max(worst, math.abs(log.x[row] - x) / 20)
          end
          assert.is_true(worst < 2 * accuracy, ("lambda %g, accuracy %g: %g"):format(lambda, accuracy, worst))
          for k, t in ipairs(log:times "half") do
            assert.near((math.pi / 6 + math.atan(1, lambda)) + 2 * math.pi * (k - 1), t, 10 * accuracy)
          end
          assert.equal(4, #log:times "half")
        end
      end
    end)
  end
end)

-- The Jacobian of a fast mode makes each update of Newton's iteration small, and so does the error estimate.
describe("an event that ends a stiff mode", function()
  for _, method in ipairs { "radau5", "radau3", "rodas4", "implicit_euler", "radau1", "velocity_implicit_euler" } do
    it("is followed by steps with a Jacobian of the new mode: " .. method, function()
      for _, lambda in ipairs { 1e4, 1e7, 1e10 } do
        local valve = saltus.system { name = "valve", z = { { "level", 0 }, { "heat", 1 } },
          params = { lambda = lambda }, discrete = { { "drain", "open", values = { "open", "shut" } } },
          derivatives = function(ctx, dot)
            dot.level = ctx.drain == "open" and -ctx.lambda * ctx.level or 0.4
            dot.heat = 1 - 0.1 * ctx.heat
          end,
          events = { { every = 1, offset = 3, discrete_update = function(_, next) next.drain = "shut" end } } }
        local sim = saltus.simulator(valve, { integrator = method, accuracy = 1e-4 })
        sim:advance_to(4)
        assert.near(0.4, sim.context.level, 1e-3)
        assert.is_true(sim.stats.steps < 200, sim.stats.steps .. " steps")
      end
    end)
  end
end)

-- Both variables move along the direction that was never stiff, which hides that they stand still along the other.
describe("an event that ends a stiff mode of two variables together", function()
  for _, method in ipairs { "radau5", "radau3", "rodas4", "implicit_euler", "radau1", "velocity_implicit_euler" } do
    it("is followed by steps with a Jacobian of the new mode: " .. method, function()
      local pair = saltus.system { name = "pair", z = { { "x", 0.7 }, { "y", -0.8 } },
        discrete = { { "mode", "bound", values = { "bound", "free" } } },
        derivatives = function(ctx, dot)
          local pull = 4e5 * (1 - 0.6 * ctx.x - 0.8 * ctx.y)
          if ctx.mode == "bound" then
            dot.x, dot.y = 0.6 * pull + 0.8, 0.8 * pull - 0.6
          else
            dot.x, dot.y = -0.1 * (ctx.x - 1) - 0.5 * ctx.y, 0.5 * ctx.x - 0.1 * ctx.y
          end
        end,
        events = { { every = 1, offset = 2, discrete_update = function(_, next) next.mode = "free" end } } }
      local sim = saltus.simulator(pair, { integrator = method, accuracy = 1e-3 })
      sim:advance_to(5)
      assert.near(1.0941389, sim.context.x, 0.1)
      assert.near(2.3406816, sim.context.y, 0.1)
      assert.is_true(sim.stats.steps < 200)
    end)
  end
end)

-- The iteration's contraction is that of the heat, and the updates of the level, with the Jacobian of an earlier
-- step, are too small to be seen.
describe("a variable that ceases to be stiff", function()
  for _, method in ipairs { "radau5", "auto" } do
    it("is not held back by an old Jacobian: " .. method, function()
      for _, speed in ipairs { 1, 2, 3 } do
        local valve = saltus.system { name = "valve", z = { { "level", 0 }, { "heat", 1 } }, params = { speed = speed },
          derivatives = function(ctx, dot)
            dot.level = 0.4 - 1e8 / (1 + math.exp(ctx.speed * (ctx.time - 3))) * ctx.level
            dot.heat = 1 - 0.1 * ctx.heat
          end }
        local reference = saltus.simulator(valve, { integrator = "rodas4", accuracy = 1e-9 })
        reference:advance_to(10)
        for _, accuracy in ipairs { 1e-5, 1e-6, 1e-8 } do
          local sim = saltus.simulator(valve, { integrator = method, accuracy = accuracy })
          sim:advance_to(10)
          assert.near(reference.context.level, sim.context.level, 20 * accuracy)
          assert.is_true(sim.stats.steps < 200)
        end
      end
    end)
  end
end)

-- A cubic through the slopes at both ends of a long step would leave the range of x a dozen times over.
describe("an implicit method of order 1", function()
  for _, method in ipairs { "implicit_euler", "velocity_implicit_euler", "radau1" } do
    it("has straight lines between the ends of its steps: " .. method, function()
      local decay = saltus.system { name = "decay", z = { { "x", 1 } },
        derivatives = function(ctx, dot) dot.x = -1000 * ctx.x end }
      local sim = saltus.simulator(decay, { integrator = method, max_step = 0.1, fixed_step = true })
      local log = saltus.log(sim, { "x" })
      sim:advance_to(0.1)
      assert.near((1 + log.x[2]) / 2, log:at(0.05).x, 1e-12)
    end)
  end
end)

describe("a transient that is faster than the shortest step", function()
  for _, method in ipairs { "radau5", "auto" } do
    it("is passed over as a jump: " .. method, function()
      local follower = saltus.system { name = "follower", z = { "x", "y" }, discrete = { { "goal", 1 } },
        derivatives = function(ctx, dot)
          dot.x = 1e12 * (ctx.goal - ctx.x)
          dot.y = ctx.x - ctx.y
        end,
        events = { { every = 1, offset = 1, discrete_update = function(ctx, next) next.goal = 3 - ctx.goal end } } }
      local sim, y = saltus.simulator(follower, { integrator = method }), 0
      sim:advance_to(20)
      for k = 1, 20 do
        local goal = 2 - k % 2
        y = goal + (y - goal) * math.exp(-1)
      end
      assert.near(y, sim.context.y, 1e-4)
    end)
  end
end)
