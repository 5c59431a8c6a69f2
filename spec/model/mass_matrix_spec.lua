-- Mirrors lua/saltus/model/mass_matrix.lua and src/engine/settings.c: systems M x' = derivatives, some of whose
-- equations may have no derivative at all.
local saltus = require "saltus"

local function fails(text, fn, ...)
  local arguments = table.pack(...)
  assert.error_matches(function() fn(table.unpack(arguments, 1, arguments.n)) end, text, nil, true)
end

-- x falls as x' = -w; w is what solves 0 = w - x^3. So x = 1 / sqrt(1 + 2 t).
local function cubic(mass)
  return saltus.system { name = "cubic", z = { { "x", 1 }, { "w", 1 } }, mass = mass,
    derivatives = function(ctx, dot)
      dot.x = -ctx.w
      dot.w = ctx.x ^ 3 - ctx.w
    end }
end

describe("mass", function()
  for _, method in ipairs { "radau5", "rodas4" } do
    for what, mass in pairs { names = { w = 0 }, rows = { { 1, 0 }, { 0, 0 } } } do
      it("leaves " .. method .. " an equation without derivative, given by " .. what, function()
        local sim = saltus.simulator(cubic(mass), { integrator = method, accuracy = 1e-8 })
        sim:advance_to(4)
        assert.near(1 / 3, sim.context.x, 1e-7)
        assert.near(1 / 27, sim.context.w, 1e-7)
      end)
    end

    it("couples derivatives in " .. method .. " by rows of numbers", function()
      -- x' + v' = 3 v, 2 v' = v
      local system = saltus.system { name = "coupled", q = { { "x", 0 } }, v = { { "v", 1 } },
        mass = { { 1, 1 }, { 0, 2 } },
        derivatives = function(ctx, dot)
          dot.x = 3 * ctx.v
          dot.v = ctx.v
        end }
      local sim = saltus.simulator(system, { integrator = method, accuracy = 1e-9 })
      sim:advance_to(2)
      assert.near(math.exp(1), sim.context.v, 1e-7)
      assert.near(5 * (math.exp(1) - 1), sim.context.x, 1e-6)
    end)
  end

  it("belongs to its own part in a diagram", function()
    local d = saltus.diagram "both"
    d:add(saltus.system { name = "clock", q = { { "angle", 0 } }, v = { { "rate", 2 } },
      derivatives = function(ctx, dot) dot.angle, dot.rate = ctx.rate, 0 end }, "clock")
    d:add(cubic { w = 0 }, "cubic")
    d:add(saltus.system { name = "slow", v = { { "speed", 1 } }, mass = { speed = 4 },
      derivatives = function(ctx, dot) dot.speed = -ctx.speed end }, "slow")
    local sim = saltus.simulator(d, { integrator = "radau5", accuracy = 1e-8 })
    sim:advance_to(4)
    assert.near(8, sim.context.clock.angle, 1e-9)
    assert.near(1 / 27, sim.context.cubic.w, 1e-7)
    assert.near(math.exp(-1), sim.context.slow.speed, 1e-7)
  end)

  it("goes with events, which are located on the collocation polynomial", function()
    local hit
    local system = saltus.system { name = "cubic", z = { { "x", 1 }, { "w", 1 } }, mass = { w = 0 },
      derivatives = function(ctx, dot) dot.x, dot.w = -ctx.w, ctx.x ^ 3 - ctx.w end,
      events = { { name = "half", witness = function(ctx) return ctx.x - 0.5 end,
        publish = function(ctx) hit = ctx.time end } } }
    saltus.simulator(system, { integrator = "radau5", accuracy = 1e-9 }):advance_to(4)
    assert.near(1.5, hit, 1e-6)
  end)

  it("is refused by integrators that cannot use it, with those that can", function()
    fails('system "cubic" (', saltus.simulator, cubic { w = 0 }, { integrator = "runge_kutta3" })
    fails('integrator "runge_kutta3" does not take; choose integrator = "radau5" or "rodas4"', saltus.simulator,
      cubic { w = 0 }, { integrator = "runge_kutta3" })
    local sim = saltus.simulator(cubic { w = 0 }, { integrator = "radau5" })
    fails('integrator "radau1" does not take', sim.set_integrator, sim, "radau1")
    fails('hides the derivatives that dense_output = "hermite" needs', saltus.simulator, cubic { w = 0 },
      { integrator = "radau5", dense_output = "hermite" })
  end)

  it("does not go with a past", function()
    local both = saltus.system { name = "both", z = { { "x", 1 } }, mass = { x = 2 }, past = { x = 1 },
      history = { x = 1 },
      derivatives = function(ctx, dot) dot.x = -ctx.past.x(1) end }
    fails('has a mass matrix; a past, which this model keeps too, does not go with one', saltus.simulator, both,
      { integrator = "radau5" })
  end)

  -- y^3 + y = x + s, solved for y by Cardano's formula; x' = -y.
  local function root(sum)
    local r = math.sqrt(sum ^ 2 / 4 + 1 / 27)
    return (sum / 2 + r) ^ (1 / 3) - (r - sum / 2) ^ (1 / 3)
  end
  local function chemistry(more)
    local def = { name = "d", z = { { "x", 2 }, { "y", 1 } }, mass = { y = 0 }, discrete = { "s" },
      derivatives = function(ctx, dot) dot.x, dot.y = -ctx.y, ctx.y ^ 3 + ctx.y - ctx.x - ctx.s end }
    for k, v in pairs(more) do def[k] = v end
    return saltus.system(def)
  end
  local function check_rows(log, s_at)
    for i = 2, #log.time do
      local t = (log.time[i - 1] + log.time[i]) / 2
      if log.time[i] > log.time[i - 1] then
        local there = log:at(t)
        assert.near(root(there.x + s_at(t)), there.y, 1e-4)
      end
    end
  end

  for _, method in ipairs { "radau5", "rodas4", "auto" } do
    it("lets updates change equations without derivative: their variables are solved anew by " .. method, function()
      local kinds = { discrete_update = function(ctx, next) next.s = 3 - ctx.s end,
        unrestricted_update = function(ctx, next) next.x = ctx.x + 1 end }
      for kind, update in pairs(kinds) do
        local sim = saltus.simulator(chemistry { events = { { name = "switch", every = 0.5, offset = 0.5,
          [kind] = update } } }, { integrator = method })
        local log = saltus.log(sim)
        sim:advance_to(2.2)
        local ctx = sim.context
        assert.near(root(ctx.x + ctx.s), ctx.y, 1e-5)
        check_rows(log, function(t) return kind == "discrete_update" and math.floor(t / 0.5) % 2 * 3 or 0 end)
      end
    end)

    it("lets the host write what its equations read, and begin anywhere, with " .. method, function()
      local sim = saltus.simulator(chemistry { z = { { "x", 2 }, { "y", 9 } } }, { integrator = method })
      for k = 1, 4 do
        sim.context.s = 5 * (k % 2)
        sim:advance_to(k / 4)
        assert.near(root(sim.context.x + sim.context.s), sim.context.y, 1e-5)
      end
    end)
  end

  it("is met from the start on, if initialize is asked for that", function()
    local sim = saltus.simulator(chemistry { z = { { "x", 2 }, { "y", 0.5 } } })
    sim:initialize { consistent = true }
    assert.near(1, sim.context.y, 1e-9)
    assert.equal(2, sim.context.x)
    sim:advance_to(1)
    assert.near(root(sim.context.x), sim.context.y, 1e-5)
  end)

  it("couples equations without derivative of several parts", function()
    local d = saltus.diagram "two"
    for _, name in ipairs { "a", "b" } do
      d:add(saltus.system { name = name, inputs = { { "u", 0 } }, z = { { "x", 2 }, { "y", 1 } }, mass = { y = 0 },
        discrete = { "s" }, derivatives = function(ctx, dot)
          dot.x, dot.y = -ctx.y, ctx.y ^ 3 + ctx.y - ctx.x - ctx.s - 0.3 * ctx.u
        end, events = { { name = "switch", every = 0.5, offset = 0.5,
          discrete_update = function(ctx, next) next.s = 3 - ctx.s end } } }, name)
    end
    d:connect("a.y", "b.u")
    d:connect("b.y", "a.u")
    local sim = saltus.simulator(d)
    sim:advance_to(2.2)
    for one, other in pairs { a = "b", b = "a" } do
      local ctx = sim.context[one]
      assert.near(root(ctx.x + ctx.s + 0.3 * sim.context[other].y), ctx.y, 1e-5)
    end
  end)

  it("reports the equation that no value meets, with what is left of it and the cure", function()
    local sim = saltus.simulator(saltus.system { name = "d", z = { { "x", 2 }, { "y", 1.5 } }, mass = { y = 0 },
      discrete = { "s" }, derivatives = function(ctx, dot) dot.x, dot.y = 0, ctx.y ^ 2 - 2.25 + ctx.s end,
      events = { { name = "switch", every = 0.5, offset = 0.5,
        discrete_update = function(_, next) next.s = 3 end } } }, { integrator = "radau5" })
    fails('the step from t = 0.5 failed: the equation of "y" of "d", which has no derivative, is not met: it computes '
      .. "3, not 0, and no value near this one makes it 0", sim.advance_to, sim, 1)
    local start = saltus.simulator(saltus.system { name = "d", z = { { "x", 2 }, { "y", 0.5 } }, mass = { y = 0 },
      derivatives = function(ctx, dot) dot.x, dot.y = 0, ctx.y ^ 2 + 1 end })
    fails('no state near this one meets the equation of "y"', start.initialize, start, { consistent = true })
    assert.equal(0.5, start.context.y)
  end)

  it("that determines a variable nowhere is reported with its line", function()
    local sim = saltus.simulator(saltus.system { name = "lost", z = { { "a", 1 }, "b" }, mass = { b = 0 },
      derivatives = function(ctx, dot) dot.a, dot.b = -ctx.a, ctx.a - 1 end })
    fails("check that the equations without a derivative determine their variables", sim.advance_to, sim, 1)
  end)

  it("is checked where it is written", function()
    fails('system "cubic": unknown continuous variable "v" in mass', cubic, { v = 0 })
    fails('system "cubic": mass of "w" must be a finite number, got "0"', cubic, { w = "0" })
    fails('system "cubic": row 2 of mass must hold 2 numbers', cubic, { { 1, 0 }, { 0 } })
    fails('system "cubic": mass must have 2 rows', cubic, { { 1, 0 } })
    fails('system "cubic": mass[1][2] must be a finite number', cubic, { { 1, 0 / 0 }, { 0, 0 } })
    fails('system "cubic": mass is zero everywhere', cubic, { x = 0, w = 0 })
    fails('system "cubic": mass must be rows of numbers, or a table by names, got 1', cubic, 1)
    fails('system "still": mass is about continuous state', saltus.system, { name = "still", mass = { x = 0 } })
  end)

  it("stays with the system that has other defaults", function()
    local half = cubic { w = 0 }:with { x = 0.5, w = 0.125 }
    local sim = saltus.simulator(half, { integrator = "radau5", accuracy = 1e-8 })
    sim:advance_to(1)
    assert.near(1 / math.sqrt(6), sim.context.x, 1e-7)
  end)
end)

describe("jacobian_pattern", function()
  local n = 40
  local rod = saltus.system { name = "rod", z = { { "u", size = n } },
    derivatives = function(ctx, dot)
      local u, rate = ctx.u, {}
      for i = 1, n do rate[i] = (n + 1) ^ 2 * ((u[i - 1] or 0) - 2 * u[i] + (u[i + 1] or 0)) end
      dot.u = rate
    end }
  local function run(options)
    options.integrator = options.integrator or "radau5"
    local sim = saltus.simulator(rod, options)
    local u = {}
    for i = 1, n do u[i] = math.sin(math.pi * i / (n + 1)) end
    sim.context.u = u
    sim:advance_to(0.1)
    return sim
  end

  it("costs one evaluation a diagonal when it is given, and one for each variable, once, when it is found", function()
    local told = run { jacobian_pattern = { lower = 1, upper = 1 } }
    local found, dense = run {}, run { jacobian_pattern = "dense" }
    local function cost(sim) return sim.integrator:get_num_derivative_evaluations_for_jacobian() end
    local function jacobians(sim) return sim.integrator:get_num_jacobian_evaluations() end
    assert.equal(3 * jacobians(told), cost(told))
    assert.equal(n + 1 + 4 * jacobians(found), cost(found))
    assert.equal(n * jacobians(dense), cost(dense))
    for i = 1, n do
      assert.equal(told.context.u[i], found.context.u[i])
      assert.near(told.context.u[i], dense.context.u[i], 1e-9)
    end
  end)

  it("is treated as dense where the model fails at a probe, without an error", function()
    local calm = saltus.system { name = "calm", z = { { "u", size = 20 } },
      derivatives = function(ctx, dot)
        local u, rate = ctx.u, {}
        for i = 1, 20 do
          if u[i] > 1e-10 then error "u is never greater than that" end
          rate[i] = -1000 * u[i]
        end
        dot.u = rate
      end }
    local sim = saltus.simulator(calm, { integrator = "radau5" })
    assert.equal("reached_boundary_time", sim:advance_to(1).reason)
    assert.is_nil(sim.failure)
    assert.equal(0, sim.context.u[20])
    local jacobians = sim.integrator:get_num_jacobian_evaluations()
    assert.equal(1 + 20 * jacobians, sim.integrator:get_num_derivative_evaluations_for_jacobian())
  end)

  it("doubles with central differences", function()
    local sim = run { jacobian_pattern = { lower = 1, upper = 1 }, jacobian = "central" }
    assert.equal(6 * sim.integrator:get_num_jacobian_evaluations(),
      sim.integrator:get_num_derivative_evaluations_for_jacobian())
  end)

  it("must fit the model", function()
    fails('option "jacobian_pattern" has upper = 40, but there are only 40 continuous variables', run,
      { jacobian_pattern = { lower = 0, upper = 40 } })
  end)
end)
