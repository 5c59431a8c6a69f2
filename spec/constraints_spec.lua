-- Mirrors src/engine/constraint/constraint.c and projection.c: what flows stays where it belongs.
local saltus = require "saltus"
local mechanisms = require "spec.support.mechanisms"
local fails = require "spec.support.fails"

-- The same pendulum by its angle from the x axis.
local function by_angle(accuracy, t, more)
  local def = { name = "angle", q = { { "angle", 0 } }, v = { { "speed", 0 } },
    derivatives = function(ctx, dot)
      dot.angle, dot.speed = ctx.speed, -mechanisms.GRAVITY * math.cos(ctx.angle)
    end }
  for k, v in pairs(more or {}) do def[k] = v end
  local sim = saltus.simulator(saltus.system(def), { accuracy = accuracy })
  local log = saltus.log(sim, { "angle" })
  sim:advance_to(t)
  return sim.context, log
end

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

describe("a start", function()
  local function at(x, y, u, w)
    return mechanisms.pendulum():with { r = { x, y }, u = { u or 0, w or 0 } }
  end

  it("far off is refused, with the way out, and nothing moves", function()
    local sim = saltus.simulator(at(0.6, -0.7))
    fails('the state does not meet the constraints; initialize{ consistent = true } moves it there (in pendulum at ' ..
      't = 0)', sim.advance_to, sim, 1)
    assert.equal("off_constraints", sim.failure.reason)
    assert.same({ 0, 0.6, -0.7 }, { sim.context.time, sim.context.r[1], sim.context.r[2] })
  end)

  it("is moved on request to the nearest consistent state, first positions, then velocities", function()
    local sim = saltus.simulator(at(0.6, -0.7, 1, 1))
    sim:initialize { consistent = true }
    local r, u = sim.context.r, sim.context.u
    local size = math.sqrt(0.6 ^ 2 + 0.7 ^ 2)
    assert.near(0.6 / size, r[1], 1e-9) -- along the radius
    assert.near(-0.7 / size, r[2], 1e-9)
    assert.near(0, r[1] * u[1] + r[2] * u[2], 1e-10)
    assert.near(1 * -r[2] + 1 * r[1], u[1] * -r[2] + u[2] * r[1], 1e-8) -- the tangential part stays
    sim:advance_to(1)
    assert.is_true(mechanisms.stretch(sim.context.r, nil, 1, 1) < 1e-10)
  end)

  it("with a few digits is treated as consistent", function()
    local sim = saltus.simulator(at(0.7071, -0.7071))
    sim:initialize()
    assert.near(math.sqrt(0.5), sim.context.r[1], 1e-9)
  end)

  it("goes to the nearest state in the norm of the error weights", function()
    local system = saltus.system { name = "line", z = { { "a", 0, weight = 10, error = "absolute" },
      { "b", 0, error = "absolute" } },
      derivatives = function(_, dot) dot.a, dot.b = 0, 0 end,
      constraints = function(ctx, residual) residual[1] = ctx.a + ctx.b - 1 end }
    local sim = saltus.simulator(system)
    sim:initialize { consistent = true }
    assert.near(1 / 101, sim.context.a, 1e-9) -- shares as 1 / weight^2
    assert.near(100 / 101, sim.context.b, 1e-9)
  end)

  it("is an error where no state meets the constraints", function()
    local system = saltus.system { name = "s", q = { { "x", 1 } },
      derivatives = function(_, dot) dot.x = 0 end,
      constraints = function(ctx, residual) residual[1] = ctx.x ^ 2 + 1 end }
    local sim = saltus.simulator(system)
    fails("no state near this one meets constraint 1 (in s at t = 0)", sim.initialize, sim, { consistent = true })
    assert.equal(1, sim.context.x)
  end)
end)

describe("an edit between calls", function()
  it("is corrected if it is small, and rejected if it is large", function()
    local sim = saltus.simulator(mechanisms.pendulum())
    sim:advance_to(1)
    local r = sim.context.r
    sim.context.r = { r[1] * 1.0001, r[2] * 1.0001 }
    sim:advance_to(2)
    assert.is_true(mechanisms.stretch(sim.context.r, nil, 1, 1) < 1e-10)
    sim.context.r = { 3, 3 }
    fails("initialize{ consistent = true } moves it there", sim.advance_to, sim, 3)
    sim:initialize { consistent = true }
    sim:advance_to(3)
    assert.is_true(mechanisms.stretch(sim.context.r, nil, 1, 1) < 1e-10)
  end)
end)

describe("unrestricted updates", function()
  it("are projected before the step and before discrete updates", function()
    local seen
    local system = mechanisms.pendulum { discrete = { "n" }, events = {
      { name = "kick", every = 0.5, offset = 0.5,
        unrestricted_update = function(ctx, next) next.u = { ctx.u[1] + 3, ctx.u[2] + 1 } end },
      { name = "look", every = 0.5, offset = 0.5,
        discrete_update = function(ctx, next)
          seen = ctx.r[1] * ctx.u[1] + ctx.r[2] * ctx.u[2]
          next.n = ctx.n + 1
        end } } }
    local sim = saltus.simulator(system)
    local log = saltus.log(sim, { "r", "u" })
    sim:advance_to(0.7)
    assert.near(0, seen, 1e-10)
    assert.equal(1, sim.context.n)
    local before, after
    for i = 2, #log.time do if log.time[i] == log.time[i - 1] then before, after = i - 1, i end end
    local r, u0, u1 = log.r[after], log.u[before], log.u[after]
    assert.same(log.r[before], r)
    assert.near((u0[1] + 3) * -r[2] + (u0[2] + 1) * r[1], u1[1] * -r[2] + u1[2] * r[1], 1e-8)
  end)

  it("without a consistent state fail, are rolled back and remain due", function()
    local impossible = true
    local system = mechanisms.pendulum { params = { length = 1 },
      constraints = function(ctx, residual) residual[1] = ctx.r[1] ^ 2 + ctx.r[2] ^ 2 - ctx.length end,
      events = { { name = "tear", every = 1, offset = 1,
        unrestricted_update = function(_, next) next.length = impossible and -1 or 4 end } } }
    local sim = saltus.simulator(system)
    fails("after the update no state nearby meets constraint 1", sim.advance_to, sim, 2)
    assert.same({ 1, 1 }, { sim.context.time, sim.context.length })
    assert.is_true(mechanisms.stretch(sim.context.r, nil, 1, 1) < 1e-9)
    impossible = false
    sim:advance_to(1.5)
    assert.is_true(mechanisms.stretch(sim.context.r, nil, 1, 2) < 1e-9)
  end)

  it("at initialization too", function()
    local system = mechanisms.pendulum { events = { { at = "initialization",
      unrestricted_update = function(_, next) next.r = { 0, -3 } end } } }
    local sim = saltus.simulator(system)
    sim:initialize()
    assert.near(-1, sim.context.r[2], 1e-9)
  end)
end)

describe("witnesses", function()
  it("fire where the angle's do, once, and their handlers see a consistent state with the new sign", function()
    local wrong, off = 0, 0
    local system = mechanisms.pendulum { events = { { name = "low", direction = "falling",
      witness = function(ctx) return ctx.r[1] end,
      publish = function(ctx)
        if ctx.r[1] > 0 then wrong = wrong + 1 end
        off = math.max(off, mechanisms.stretch(ctx.r, nil, 1, 1))
      end } } }
    local sim = saltus.simulator(system, { accuracy = 1e-7 })
    local log = saltus.log(sim, {})
    sim:advance_to(10)
    local _, reference = by_angle(1e-11, 10, { events = { { name = "low", direction = "falling",
      witness = function(ctx) return math.cos(ctx.angle) end, publish = function() end } } })
    local times, exact = log:times "low", reference:times "low"
    assert.equal(#exact, #times)
    for i, t in ipairs(exact) do assert.near(t, times[i], 2e-5) end
    assert.equal(0, wrong)
    assert.is_true(off < 1e-10, tostring(off))
  end)

  it("fire once each at any accuracy, on the side that they crossed to", function()
    for _, method in ipairs { "runge_kutta3", "tsitouras5" } do
      local events, wrong = {}, 0
      for i = 1, 9 do
        for _, way in ipairs { "falling", "rising" } do
          events[#events + 1] = { name = way .. i, direction = way,
            witness = function(ctx) return ctx.r[2] + i / 10 end,
            publish = function(ctx)
              local w = ctx.r[2] + i / 10
              if (way == "falling" and w > 0) or (way == "rising" and w < 0) then wrong = wrong + 1 end
            end }
        end
      end
      local sim = saltus.simulator(mechanisms.pendulum { events = events }, { accuracy = 1e-3, integrator = method })
      local log = saltus.log(sim, {})
      sim:advance_to(20) -- 17 times down and up again
      for _, e in ipairs(events) do assert.equal(17, #log:times(e.name)) end
      assert.equal(0, wrong)
    end
  end)

  it("that read the constraint itself, whose crossings the projection removes, do not block the run", function()
    local system = mechanisms.pendulum { events = { { name = "off",
      witness = function(ctx) return ctx.r[1] ^ 2 + ctx.r[2] ^ 2 - 1 - 1e-9 end, publish = function() end } } }
    local sim = saltus.simulator(system, { accuracy = 1e-4 })
    sim:advance_to(2)
    assert.equal(2, sim.context.time)
  end)

  it("reflect a bead on a circle between two stops", function()
    local stop = -0.5
    local system = mechanisms.pendulum { events = { { name = "stop", direction = "falling",
      witness = function(ctx) return ctx.r[2] - stop end,
      unrestricted_update = function(ctx, next) next.u = { -ctx.u[1], -ctx.u[2] } end } } }
    local sim = saltus.simulator(system, { accuracy = 1e-8 })
    local log = saltus.log(sim, {})
    for _, ctx in sim:steps(5) do
      assert.is_true(ctx.r[2] >= stop - 1e-7)
      assert.is_true(mechanisms.stretch(ctx.r, nil, 1, 1) < 1e-10)
    end
    local times = log:times "stop"
    assert.is_true(#times > 4)
    for i = 3, #times do assert.near(times[2] - times[1], times[i] - times[i - 1], 1e-5) end
  end)
end)

describe("a step", function()
  it("that cannot be corrected is shortened, and fails with the name of the system", function()
    local system = saltus.system { name = "ramp", q = { { "x", 1 }, "y" },
      derivatives = function(_, dot) dot.x, dot.y = -1, 0 end,
      constraints = function(ctx, residual)
        residual[1] = ctx.y
        residual[2] = ctx.x ^ 2 - (1 - ctx.time)
      end }
    local sim = saltus.simulator(system, { accuracy = 1e-4 })
    fails('it leads to where constraint 2 of "ramp" cannot be met', sim.advance_to, sim, 2)
    assert.is_true(sim.context.time > 0.9 and sim.context.time <= 1.001)
    assert.equal("step_failed", sim.failure.reason)
  end)

  it("that is not moved costs no derivative evaluation", function()
    local function evaluations(constraints)
      local sim = saltus.simulator(saltus.system { name = "s", z = { { "a", 0.25 }, { "b", 0.75 } },
        derivatives = function(ctx, dot)
          local flow = ctx.a - 2 * ctx.b
          dot.a, dot.b = -flow, flow
        end, constraints = constraints })
      sim:advance_to(3)
      return sim.stats.derivative_evaluations, sim.context.a
    end
    local free, a1 = evaluations()
    local held, a2 = evaluations(function(ctx, residual) residual[1] = ctx.a + ctx.b - 1 end)
    assert.equal(free, held)
    assert.equal(a1, a2)
  end)

  it("is controlled by the error along the constraint only", function()
    -- On the circle the fourth derivative, an error of order 4, points inwards.
    local function steps(constraints)
      local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 }, { "y", 0 } },
        derivatives = function(ctx, dot) dot.x, dot.y = -ctx.y, ctx.x end, constraints = constraints },
        { integrator = "rodas4", accuracy = 1e-5 })
      sim:advance_to(20)
      return sim.stats.steps
    end
    local bound = steps(function(ctx, residual) residual[1] = ctx.x ^ 2 + ctx.y ^ 2 - 1 end)
    assert.is_true(1.5 * bound < steps())
  end)
end)

describe("wrong constraints", function()
  local function with(more) return function() saltus.simulator(mechanisms.pendulum(more)):initialize() end end

  it("are reported at the line of the model", function()
    fails("constraints must be a function(ctx, residual), got 3", with { constraints = 3 })
    fails("project must be a function(ctx, next)", with { project = {} })
    fails('constraints of "pendulum" leaves [1] unset; it writes numbers to [1], [2] ...',
      with { constraints = function() end })
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
