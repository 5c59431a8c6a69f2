-- Mirrors src/engine/constraint/constraint.c and projection.c: what flows stays where it belongs.
local saltus = require "saltus"
local mechanisms = require "spec.support.mechanisms"
local fails = require "spec.support.fails"

local by_angle = mechanisms.by_angle

-- Largest stretch of a rod and largest rate of stretch over all steps.
local function drift(system, t, options)
  local sim = saltus.simulator(system, options)
  local worst, rate = 0, 0
  for _, ctx in sim:steps(t) do
    worst = math.max(worst, mechanisms.stretch(ctx.r, nil, 1, 1))
    rate = math.max(rate, math.abs(ctx.r[1] * ctx.u[1] + ctx.r[2] * ctx.u[2]))
  end
  return worst, rate, sim
end

describe("a pendulum in x and y", function()
  it("keeps its length to 1e-10 for 1,000 s at accuracy 1e-6", function()
    local length, rate = drift(mechanisms.pendulum(), 1000, { accuracy = 1e-6 })
    assert.is_true(length <= 1e-10, tostring(length))
    assert.is_true(rate <= 1e-10, tostring(rate))
  end)

  it("loses it without constraints", function()
    local free = saltus.system { name = "free", q = { { "r", { 1, 0 } } }, v = { { "u", { 0, 0 } } },
      derivatives = mechanisms.pendulum().derivatives }
    assert.is_true(drift(free, 100, { accuracy = 1e-6 }) > 1e-4)
  end)

  for _, method in ipairs { "tsitouras5", "runge_kutta3", "dormand_prince8", "radau5", "rodas4", "implicit_euler" } do
    it("keeps it with " .. method, function()
      local length, rate = drift(mechanisms.pendulum(), 2, { integrator = method, accuracy = 1e-5 })
      assert.is_true(length <= 1e-9 and rate <= 1e-9, ("%g %g"):format(length, rate))
    end)
  end

  it("meets it with fixed steps of a method without error estimate", function()
    local length = drift(mechanisms.pendulum(), 2, { integrator = "runge_kutta2", max_step = 0.01 })
    assert.is_true(length <= 1e-10, tostring(length))
  end)

  it("matches the angle form, better for finer accuracies", function()
    local exact = by_angle(1e-12, 5)
    local function error_at(accuracy)
      local sim = saltus.simulator(mechanisms.pendulum(), { accuracy = accuracy })
      sim:advance_to(5)
      local dx, dy = sim.context.r[1] - math.cos(exact.angle), sim.context.r[2] - math.sin(exact.angle)
      return math.sqrt(dx ^ 2 + dy ^ 2)
    end
    assert.is_true(error_at(1e-6) < 1e-4)
    assert.is_true(error_at(1e-10) < 1e-8)
  end)

  it("keeps the order of its scheme: halving the step divides the error by 2^5", function()
    local exact = by_angle(1e-13, 2)
    local function error_of(h)
      local sim = saltus.simulator(mechanisms.pendulum(), { fixed_step = true, max_step = h })
      sim:advance_to(2)
      return math.abs(math.atan(sim.context.r[2], sim.context.r[1]) - exact.angle % (-2 * math.pi))
    end
    local ratio = error_of(1 / 64) / error_of(1 / 128)
    assert.is_true(math.log(ratio, 2) > 4.8, tostring(math.log(ratio, 2)))
  end)

  it("continues from a snapshot to the same bits", function()
    local sim = saltus.simulator(mechanisms.pendulum(), { accuracy = 1e-6 })
    sim:advance_to(1)
    local other = sim:clone()
    sim:advance_to(3)
    other:advance_to(3)
    assert.equal(sim:hash(), other:hash())
  end)

  it("is on its circle at every read", function()
    local sim = saltus.simulator(mechanisms.pendulum(), { accuracy = 1e-5 })
    local log = saltus.log(sim, { "r", every = 0.013 })
    sim:advance_to(3)
    for i = 1, #log.r do assert.is_true(mechanisms.stretch(log.r[i], nil, 1, 1) < 1e-9) end
    local before = sim:state_at(3 - 1e-4)
    assert.is_true(mechanisms.stretch(before.r, nil, 1, 1) < 1e-9)
  end)
end)

describe("a constrained system", function()
  it("lists its constraints, and has them with other defaults too", function()
    local system = mechanisms.pendulum():with { r = { 0, -1 } }
    assert.is_truthy(tostring(system):find("closure   constraints  function(ctx, residual)", 1, true))
    local sim = saltus.simulator(system:with { u = { 1, 0.5 } })
    sim:initialize { consistent = true }
    assert.near(0, sim.context.u[2], 1e-10)
  end)
end)

describe("mechanisms", function()
  it("a double pendulum keeps both rods, and its energy to the accuracy", function()
    local sim = saltus.simulator(mechanisms.double_pendulum(), { accuracy = 1e-8 })
    local first = sim.context.energy
    for _, ctx in sim:steps(10) do
      assert.is_true(mechanisms.stretch(ctx.r, nil, 1, 1) < 1e-11)
      assert.is_true(mechanisms.stretch(ctx.r, 1, 2, 1) < 1e-11)
    end
    assert.near(first, sim.context.energy, 1e-5)
  end)

  -- One degree of freedom: (m1 a^2 + m2 X'^2) w' + m2 X' X'' w^2 = -m1 g a cos, X = a cos + sqrt(b^2 - a^2 sin^2).
  it("a slider-crank turns as its one angle does", function()
    local a, b, g, m1, m2 = mechanisms.CRANK, mechanisms.ROD, mechanisms.GRAVITY, 1, 2
    local crank = saltus.system { name = "crank", q = { { "angle", 0 } }, v = { { "speed", 9 } },
      derivatives = function(ctx, dot)
        local s, c, w = math.sin(ctx.angle), math.cos(ctx.angle), ctx.speed
        local root = math.sqrt(b ^ 2 - a ^ 2 * s ^ 2)
        local d1 = -a * s - a ^ 2 * s * c / root
        local d2 = -a * c - a ^ 2 * (c ^ 2 - s ^ 2) / root - a ^ 4 * s ^ 2 * c ^ 2 / root ^ 3
        dot.angle = w
        dot.speed = (-m1 * g * a * c - m2 * d1 * d2 * w ^ 2) / (m1 * a ^ 2 + m2 * d1 ^ 2)
      end }
    local reference = saltus.simulator(crank, { accuracy = 1e-11 })
    reference:advance_to(4)
    local sim = saltus.simulator(mechanisms.slider_crank(9), { accuracy = 1e-9 })
    for _, ctx in sim:steps(4) do
      assert.is_true(mechanisms.stretch(ctx.r, nil, 1, a) < 1e-12)
      assert.is_true(mechanisms.stretch(ctx.r, 1, 2, b) < 1e-12)
      assert.is_true(math.abs(ctx.r[4]) < 1e-12)
    end
    assert.near(a * math.cos(reference.context.angle), sim.context.r[1], 1e-6)
    assert.near(a * math.sin(reference.context.angle), sim.context.r[2], 1e-6)
  end)

  it("a redundant constraint counts once", function()
    local once, twice = mechanisms.pendulum(), mechanisms.pendulum {
      constraints = function(ctx, residual)
        residual[1] = ctx.r[1] ^ 2 + ctx.r[2] ^ 2 - 1
        residual[2] = 3 * residual[1]
      end }
    local function ending(system)
      local sim = saltus.simulator(system, { accuracy = 1e-8 })
      sim:advance_to(1)
      return sim.context.r
    end
    local r1, r2 = ending(once), ending(twice)
    assert.near(r1[1], r2[1], 1e-9)
    assert.near(r1[2], r2[2], 1e-9)
  end)

  it("follow a constraint that depends on time", function()
    local w = 7 -- on a rail y = sin(w t): y is told, x flows freely
    local driven = saltus.system { name = "driven", q = { { "x", 0 }, { "y", 0 } }, v = { { "u", 1 }, { "s", w } },
      derivatives = function(ctx, dot)
        dot.x, dot.y, dot.u, dot.s = ctx.u, ctx.s, 0, -w ^ 2 * math.sin(w * ctx.time)
      end,
      constraints = function(ctx, residual) residual[1] = ctx.y - math.sin(w * ctx.time) end }
    local sim = saltus.simulator(driven, { accuracy = 1e-5 })
    for t, ctx in sim:steps(5) do
      assert.near(math.sin(w * t), ctx.y, 1e-9)
      assert.near(w * math.cos(w * t), ctx.s, 1e-7)
    end
    assert.near(5, sim.context.x, 1e-9)
  end)

  it("are independent of the other parts of a diagram", function()
    local d = saltus.diagram "two"
    d:add(mechanisms.pendulum(), "left")
    d:add(mechanisms.pendulum(), "right")
    local both = saltus.simulator(d, { accuracy = 1e-7 })
    local alone = saltus.simulator(mechanisms.pendulum(), { accuracy = 1e-7 })
    both:advance_to(2)
    alone:advance_to(2)
    assert.same(alone.context.r, both.context.left.r)
    assert.same(alone.context.u, both.context.right.u)
  end)
end)

describe("constraint_rates", function()
  -- A skate moves along its blade alone; turning at a steady rate w it runs a circle of radius v / w.
  local function skate(more)
    local def = { name = "skate", q = { "x", "y", "angle" }, v = { { "u", 1 }, { "w", 0 }, { "turn", 2 } },
      derivatives = function(ctx, dot)
        local s, c = math.sin(ctx.angle), math.cos(ctx.angle)
        local side = ctx.turn * (ctx.u * c + ctx.w * s)
        dot.x, dot.y, dot.angle = ctx.u, ctx.w, ctx.turn
        dot.u, dot.w, dot.turn = -side * s, side * c, 0
      end,
      constraint_rates = function(ctx, rate)
        rate[1] = -ctx.u * math.sin(ctx.angle) + ctx.w * math.cos(ctx.angle)
      end }
    for k, v in pairs(more or {}) do def[k] = v end
    return saltus.system(def)
  end

  it("work for constraints without an integral", function()
    local sim = saltus.simulator(skate(), { accuracy = 1e-7 })
    for _, ctx in sim:steps(20) do
      assert.near(0, -ctx.u * math.sin(ctx.angle) + ctx.w * math.cos(ctx.angle), 1e-10)
    end
    assert.near(math.sin(40) / 2, sim.context.x, 1e-5)
    assert.near((1 - math.cos(40)) / 2, sim.context.y, 1e-5)
  end)

  it("replace differences", function()
    local given = mechanisms.pendulum { constraint_rates = function(ctx, rate)
      rate[1] = ctx.r[1] * ctx.u[1] + ctx.r[2] * ctx.u[2]
    end }
    local function ending(system)
      local sim = saltus.simulator(system, { accuracy = 1e-8 })
      sim:advance_to(2)
      return sim.context.r
    end
    local a, b = ending(given), ending(mechanisms.pendulum())
    assert.near(a[1], b[1], 1e-8)
    assert.near(a[2], b[2], 1e-8)
  end)
end)

describe("wrong constraints", function()
  local function with(more) return function() saltus.simulator(mechanisms.pendulum(more)):initialize() end end

  it("are reported at the line of the model", function()
    fails("constraints must be a function(ctx, residual), got 3", with { constraints = 3 })
    fails("project must be a function(ctx, next)", with { project = {} })
    fails('constraints of "pendulum" leaves [1] unset; it writes numbers to [1], [2] ...',
      with { constraints = function() end })
    local here = debug.getinfo(1, "l").currentline
    local elsewhere = with { constraints = function(_, r) r.length = 0 end }
    assert.matches(("constraints_spec.lua:%d: constraints of"):format(here + 1), select(2, pcall(elsewhere)))
    fails('constraints of "pendulum" leaves [2] unset', with { constraints = function(_, r) r[1], r[3] = 0, 0 end })
    fails('constraints of "pendulum" sets ["length"] to 0', with { constraints = function(_, r) r.length = 0 end })
    fails("r is read-only here", with { constraints = function(ctx, r) r[1] = 0 ctx.r = 3 end })
    fails("constraints may read positions and time only, and these read velocities; "
      .. "constraint_rates may read velocities (in pendulum",
      with { constraints = function(ctx, r) r[1] = ctx.r[1] ^ 2 + ctx.r[2] ^ 2 - 1 + ctx.u[1] end })
    fails("no state near this one meets constraint 1 (in pendulum",
      with { constraints = function(_, r) r[1] = 0 / 0 end })
    fails("constraints is about continuous state, and there is none in q, v, z", saltus.system,
      { name = "s", constraints = function() end })
    fails("velocity_map is about continuous state, and there is none in q or v", saltus.system,
      { name = "s", v = { "w" }, derivatives = function() end, velocity_map = function() end })
  end)

  it("are reported in the run too", function()
    local function later(fn)
      return function()
        saltus.simulator(mechanisms.pendulum { constraints = function(ctx, r)
          r[1] = ctx.r[1] ^ 2 + ctx.r[2] ^ 2 - 1
          if ctx.time > 0.5 then fn(r) end
        end }):advance_to(2)
      end
    end
    fails("boom (in constraints of pendulum at t =", later(function() error "boom" end))
    fails('constraints of "pendulum" has residual[1] to [1], not [2]', later(function(r) r[2] = 0 end))
    fails('constraints of "pendulum" sets "residual[1]" to "a"; it must be a number', later(function(r) r[1] = "a" end))
  end)
end)

describe("derivatives without the constraint forces", function()
  local function pendulum(force)
    return saltus.system { name = "bob", q = { { "x", 0.6 }, { "y", -0.8 } }, v = { "u", "w" },
      derivatives = function(ctx, dot)
        local pull = force * (ctx.u ^ 2 + ctx.w ^ 2 - 9.81 * ctx.y) / (ctx.x ^ 2 + ctx.y ^ 2)
        dot.x, dot.y, dot.u, dot.w = ctx.u, ctx.w, -pull * ctx.x, -pull * ctx.y - 9.81
      end,
      constraints = function(ctx, residual) residual[1] = ctx.x ^ 2 + ctx.y ^ 2 - 1 end }
  end

  local function warnings_of(force, options)
    local sim = saltus.simulator(pendulum(force), options)
    sim:advance_to(10)
    return sim.warnings
  end

  for _, integrator in ipairs { "auto", "dormand_prince5", "dormand_prince8", "radau5", "runge_kutta3" } do
    for _, accuracy in ipairs { 1e-4, 1e-6, 1e-9 } do
      it(("are noticed by %s at %g, once"):format(integrator, accuracy), function()
        local found = warnings_of(0, { integrator = integrator, accuracy = accuracy })
        assert.equal(1, #found)
        assert.equal("constraints", found[1].kind)
        assert.matches("^bob has constraints that its derivatives do not keep", found[1].message)
        assert.same({}, warnings_of(1, { integrator = integrator, accuracy = accuracy }))
      end)
    end
  end
end)
