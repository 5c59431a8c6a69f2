-- Mirrors src/engine/constraint/projection.c in runs: starts, edits, updates, events and steps on constraints.
local saltus = require "saltus"
local mechanisms = require "spec.support.mechanisms"
local fails = require "spec.support.fails"

local by_angle = mechanisms.by_angle

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
