-- Mirrors lua/saltus/simulation/jacobian.lua and src/binding/callbacks.c: a Jacobian that the user gives.
local saltus = require "saltus"
local fails = require "spec.support.fails"

-- Robertson's kinetics: Robertson, in Numerical Analysis: an Introduction, Academic Press, 1966, p. 178.
local function robertson(_, x, dx)
  dx[1] = -0.04 * x[1] + 1e4 * x[2] * x[3]
  dx[3] = 3e7 * x[2] * x[2]
  dx[2] = -dx[1] - dx[3]
end

local function slopes(_, x, j)
  j[1][1], j[1][2], j[1][3] = -0.04, 1e4 * x[3], 1e4 * x[2]
  j[3][2] = 6e7 * x[2]
  j[2] = { 0.04, -1e4 * x[3] - 6e7 * x[2], -1e4 * x[2] }
end

describe("saltus.integrator", function()
  for _, method in ipairs { "implicit_euler", "velocity_implicit_euler", "radau1", "radau3", "radau5", "rodas4" } do
    it("(" .. method .. ") takes the Jacobian by forward or central differences, or from a function", function()
      local function run(how)
        local i = saltus.integrator { f = robertson, x = { 1, 0, 0 }, integrator = method, accuracy = 1e-5,
          jacobian = how }
        i:integrate_with_multiple_steps_to_time(1)
        return i.x, i:get_num_derivative_evaluations_for_jacobian(), i:get_num_jacobian_evaluations()
      end
      local x, cost, count = run(slopes)
      assert.same({ 0, true }, { cost, count > 0 })
      local forward, three, times = run "forward"
      local central, six, again = run "central"
      assert.equal(3 * times, three)
      assert.equal(6 * again, six)
      for k = 1, 3 do
        assert.near(forward[k], x[k], 1e-6)
        assert.near(central[k], x[k], 1e-6)
      end
    end)
  end

  local n = 20
  local function heat(_, x, dx)
    for k = 1, n do dx[k] = 400 * ((x[k - 1] or 0) - 2 * x[k] + (x[k + 1] or 0)) end
  end
  local function of_heat(_, _, j)
    for k = 1, n do j[k][k] = -800 end
    for k = 2, n do j[k][k - 1], j[k - 1][k] = 400, 400 end
  end
  local function ones()
    local x = {}
    for k = 1, n do x[k] = 1 end
    return x
  end

  it("takes that of a band", function()
    local function run(pattern)
      local i = saltus.integrator { f = heat, x = ones(), integrator = "radau5", jacobian = of_heat,
        jacobian_pattern = pattern }
      i:integrate_with_multiple_steps_to_time(0.1)
      return i.x, i:get_num_derivative_evaluations_for_jacobian()
    end
    local band, cost = run { lower = 1, upper = 1 }
    local dense = run "dense"
    assert.equal(0, cost)
    for k = 1, n do assert.near(dense[k], band[k], 1e-12) end
    local narrow = saltus.integrator { f = heat, x = ones(), integrator = "radau5", jacobian = of_heat,
      jacobian_pattern = { lower = 0, upper = 1 } }
    fails("jacobian: j[2][1] lies outside of the band of jacobian_pattern",
      narrow.integrate_with_multiple_steps_to_time, narrow, 1)
    fails("lower = 20, but there are only 20 continuous variables", saltus.integrator,
      { f = heat, x = ones(), jacobian_pattern = { lower = 20, upper = 1 } })
  end)

  it("solves M x' = f(t, x)", function()
    local function run(mass, integrator)
      local i = saltus.integrator { x = { 1, 1 }, accuracy = 1e-8, integrator = integrator, mass = mass,
        f = function(_, x, dx) dx[1], dx[2] = -3 * x[1], x[1] - x[2] end }
      i:integrate_with_multiple_steps_to_time(1)
      assert.near(math.exp(-1.5), i.x[1], 1e-7)
      assert.near(math.exp(-1.5), i.x[2], 1e-7) -- an equation without derivative: x2 = x1
    end
    run({ { 2, 0 }, { 0, 0 } }, "radau5")
    run({ { 2, 0 }, { 0, 0 } }, "rodas4")
    run({ { 2, 0 }, { 0, 0 } })
    fails("integrator \"runge_kutta3\" takes no mass matrix", run, { { 2, 0 }, { 0, 0 } }, "runge_kutta3")
    fails("row 2 of mass must hold 2 numbers", run, { { 2, 0 }, { 0 } }, "radau5")
  end)

  it("reports what is wrong with it", function()
    local function run(jacobian)
      local i = saltus.integrator { f = robertson, x = { 1, 0, 0 }, integrator = "radau5", jacobian = jacobian }
      i:integrate_with_multiple_steps_to_time(1)
    end
    fails("jacobian: j[2] must be a row of 3 numbers, got 7", run, function(_, _, j) j[2] = 7 end)
    fails('jacobian: there is no j[1][4]', run, function(_, _, j) j[1][4] = 7 end)
    fails('jacobian: j[1][2] must be a number, got "a"', run, function(_, _, j) j[1][2] = "a" end)
    fails("mine", run, function() error "mine" end)
    fails('option "jacobian" must be one of "forward", "central", got "backward"', run, "backward")
    fails("the step from t = 0 failed", run, function(_, _, j) j[1][1] = 0 / 0 end)
  end)
end)

describe("saltus.simulator", function()
  local function stiff(path)
    local part = saltus.system { name = "part", inputs = { { "u", 0 } }, z = { { "r", { 0, 1 } } },
      derivatives = function(ctx, dot)
        dot.r = { -1000 * (ctx.r[1] - ctx.r[2]), ctx.u - ctx.r[2] }
      end }
    if not path then return part end
    local d = saltus.diagram "pair"
    d:add(part, "a")
    d:add(saltus.system { name = "b", inputs = { "u" }, q = { { "q", 1 } }, v = { "v" },
      derivatives = function(ctx, dot) dot.q, dot.v = ctx.v, -ctx.u end }, "b")
    d:connect("b.q", "a.u")
    d:connect("b.q", "b.u")
    return d
  end

  local asked
  local function alone(ctx, j)
    asked = asked + 1
    assert.equal(2, #ctx.r)
    j["r[1]"]["r[1]"], j["r[1]"]["r[2]"], j["r[2]"]["r[2]"] = -1000, 1000, -1
    assert.same({ -1000, 0 }, { j["r[1]"]["r[1]"], j["r[2]"]["r[1]"] })
  end
  local function of_pair(_, j)
    asked = asked + 1
    j["a.r[1]"]["a.r[1]"], j["a.r[1]"]["a.r[2]"] = -1000, 1000
    j["a.r[2]"]["a.r[2]"], j["a.r[2]"]["b.q"] = -1, 1
    j["b.q"]["b.v"], j["b.v"]["b.q"] = 1, -1
  end

  for name, fn in pairs { lone = alone, wired = of_pair } do
    it("takes that of a " .. name .. " model by names, a clone and another integrator keep it", function()
      asked = 0
      local model = stiff(name == "wired")
      local sim = saltus.simulator(model, { integrator = "radau5", jacobian = fn })
      local other = saltus.simulator(model, { integrator = "radau5" })
      sim:advance_to(1)
      other:advance_to(1)
      local at = name == "wired" and "a.r" or "r"
      for k = 1, 2 do assert.near(other.context[at][k], sim.context[at][k], 1e-6) end
      assert.is_true(asked > 0)
      assert.same({ asked, 0 }, { sim.integrator:get_num_jacobian_evaluations(),
        sim.integrator:get_num_derivative_evaluations_for_jacobian() })
      local twin = sim:clone()
      sim:advance_to(3)
      twin:advance_to(3)
      assert.equal(sim:hash(), twin:hash())
      sim:set_integrator "rodas4"
      local before = asked
      sim:advance_to(4)
      assert.is_true(asked > before)
      sim:set_integrator("rodas4", { jacobian = "forward" })
      before = asked
      sim:advance_to(5)
      assert.equal(before, asked)
    end)
  end

  it("reports what is wrong with it", function()
    local function run(jacobian)
      local sim = saltus.simulator(stiff(), { integrator = "radau5", jacobian = jacobian })
      sim:advance_to(1)
    end
    fails('jacobian: unknown continuous variable "r[3]"', run, function(_, j) j["r[1]"]["r[3]"] = 1 end)
    fails('jacobian: unknown continuous variable "x"', run, function(_, j) j.x["r[1]"] = 1 end)
    fails('jacobian: j["r[1]"]["r[2]"] must be a number, got nil', run, function(_, j) j["r[1]"]["r[2]"] = nil end)
    fails('jacobian: write its elements: j["r[1]"][name] = number', run, function(_, j) j["r[1]"] = {} end)
    fails("(in the jacobian at t = 0)", run, function() error "mine" end)
  end)
end)
