-- Mirrors src/engine/witness/zeno.c: runs of firings are judged by themselves; flights end where
-- the next one begins.
local saltus = require "saltus"
local random = require "spec.support.random"

describe("a run of firings", function()
  -- Turns of an oscillator that starts at f0 Hz and speeds up by `gain` a turn.
  local function chirp(f0, gain, turns)
    local n = 0
    local sim = saltus.simulator(saltus.system { name = "vco", z = { "phase" }, discrete = { { "k", 1 } },
      derivatives = function(ctx, dot) dot.phase = f0 * (1 + gain * ctx.time * f0) end,
      events = { { name = "edge", direction = "rising", witness = function(ctx) return ctx.phase - ctx.k end,
        discrete_update = function(ctx, next) n, next.k = n + 1, ctx.k + 1 end } } })
    local s = (math.sqrt(1 + 2 * gain * (turns + 0.5)) - 1) / gain -- phase = s + gain s^2 / 2, s = f0 t
    sim:advance_to(s / f0)
    assert.equal(turns, n, f0)
  end

  it("of an oscillator does not accumulate, however fast it is and speeds up", function()
    for _, f0 in ipairs { 1, 1e3, 2e6, 2e7, 1e9 } do
      for _, gain in ipairs { 1e-5, 1e-3, 0.1 } do chirp(f0, gain, 300) end
    end
  end)

  local function ball(floor, restitution, handle)
    return saltus.system { name = "ball", q = { { "h", floor + 1 } }, v = { "w" },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 end,
      events = { { name = "hit", witness = function(ctx) return ctx.h - floor end, direction = "falling",
        unrestricted_update = function(ctx, next) next.h, next.w = floor, -restitution * ctx.w end,
        on_zeno = handle } } }
  end

  -- From 1 s the turns get shorter by 10 % each, down to 5 ms. When they are short, the temperature moves by a few ulp.
  it("that get shorter for a while does not accumulate beside a state that settles", function()
    for tau = 0.3, 0.42, 0.02 do
      local sim = saltus.simulator(saltus.system { name = "sweep", z = { "phase", { "temperature", 20 } },
        discrete = { { "next", 1 }, { "length", 1 }, "n" },
        derivatives = function(ctx, dot) dot.phase, dot.temperature = 1, (300 - ctx.temperature) / tau end,
        events = { { name = "turn", witness = function(ctx) return ctx.phase - ctx.next end, direction = "rising",
          discrete_update = function(ctx, next)
            local length = ctx.length * (ctx.n < 50 and 0.9 or 1)
            next.n, next.length, next.next = ctx.n + 1, length, ctx.next + length
          end } } })
      sim:advance_to(12)
      assert.is_true(sim.context.n > 400)
    end
  end)

  it("of a ball accumulates on floors of any height, at every accuracy", function()
    for _, floor in ipairs { 0, 1 } do
      for _, accuracy in ipairs { 1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9 } do
        for _, e in ipairs { 0.01, 0.05, 0.2, 0.8, 0.95 } do
          local limit
          local sim = saltus.simulator(ball(floor, e, function(_, _, event)
            limit = event.limit
            return saltus.terminate "at rest"
          end), { accuracy = accuracy })
          local first = math.sqrt(2 / 9.81)
          local exact = first * (1 + e) / (1 - e)
          assert.equal("at rest", sim:advance_to(2 * exact).message)
          assert.near(exact, limit, 1e-3 * exact)
        end
      end
    end
  end)

  -- A rimless wheel on flat ground comes to rest on two feet: each touch makes the other foot's witness exactly zero.
  it("shared by two witnesses accumulates at every accuracy", function()
    local half = math.pi / 8
    for _, accuracy in ipairs { 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9 } do
      local function touch(sign)
        return { name = sign > 0 and "forward" or "back", direction = "falling",
          witness = function(ctx) return half - sign * ctx.angle end,
          unrestricted_update = function(ctx, next)
            next.angle, next.rate = ctx.angle - sign * 2 * half, ctx.rate * math.cos(2 * half)
          end }
      end
      local sim = saltus.simulator(saltus.system { name = "wheel", q = { "angle" }, v = { { "rate", 0.9 } },
        derivatives = function(ctx, dot) dot.angle, dot.rate = ctx.rate, math.sin(ctx.angle) end,
        events = { touch(1), touch(-1) } }, { accuracy = accuracy })
      assert.error_matches(function() sim:advance_to(20) end, "accumulate")
      assert.near(half, math.abs(sim.context.angle), 1e-3)
      assert.near(11.436, sim.failure.limit, 0.05)
    end
  end)
end)

-- Two tanks that lose 0.5 each, and one hose of 0.75 that goes to the one that is empty (Alur and Henzinger).
describe("a run of firings behind guards that shut in between", function()
  local function empty(i)
    local other = 3 - i
    return { name = "empty" .. i, direction = "falling", when = function(ctx) return ctx.filled == other end,
      witness = function(ctx) return ctx["x" .. i] end, discrete_update = function(_, next) next.filled = i end }
  end

  it("accumulates", function()
    for _, accuracy in ipairs { 1e-3, 1e-6, 1e-8 } do
      local sim = saltus.simulator(saltus.system { name = "tanks", z = { { "x1", 1 }, { "x2", 1 } },
        discrete = { { "filled", 1 } }, events = { empty(1), empty(2) },
        derivatives = function(ctx, dot)
          dot.x1 = (ctx.filled == 1 and 0.75 or 0) - 0.5
          dot.x2 = (ctx.filled == 2 and 0.75 or 0) - 0.5
        end }, { accuracy = accuracy })
      assert.error_matches(function() sim:advance_to(10) end, "^empty%d of tanks: its firings accumulate")
      assert.near(2 / (2 * 0.5 - 0.75), sim.failure.limit, 1e-4) -- what is there, by what is lost
    end
  end)
end)

describe("a flight", function()
  it("ends in a bounce when it ends exactly with its step", function()
    for _, method in ipairs { "velocity_verlet", "runge_kutta4", "runge_kutta2", "symplectic4" } do
      for _, g in ipairs { 1, 1.62, 9.81 } do
        local sim = saltus.simulator(saltus.system { name = "ball", q = { "h" }, v = { { "w", g / 2 } },
          derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -g end,
          events = { { name = "hit", witness = function(ctx) return ctx.h end, direction = "falling",
            unrestricted_update = function(ctx, next) next.h, next.w = 0, -0.5 * ctx.w end } } },
          { integrator = method, max_step = 0.25, fixed_step = true })
        assert.error_matches(function() sim:advance_to(3) end, "accumulate")
        assert.near(2, sim.failure.limit, 1e-6)
      end
    end
  end)

  it("ends where rounding removes its height, also when events are integrated to again", function()
    local g, keeps, speed = 1.62, 0.9, 3.1144159543384582
    local first = 2 * speed / g
    for _, max_step in ipairs { first / 10, first / 4, 1 } do
      local sim = saltus.simulator(saltus.system { name = "ball", q = { { "h", 1 } }, v = { { "w", speed } },
        derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -g end,
        events = { { name = "hit", witness = function(ctx) return ctx.h - 1 end, direction = "falling",
          unrestricted_update = function(ctx, next) next.w = -keeps * ctx.w end,
          on_zeno = function() return saltus.terminate "at rest" end } } },
        { accuracy = 1e-9, event_state = "reintegrate", max_step = max_step, max_steps_per_call = 20000 })
      assert.equal("at rest", sim:advance_to(1.5 * first / (1 - keeps)).message)
      assert.near(first / (1 - keeps), sim.context.time, 1e-3)
    end
  end)

  it("ends also on a floor far above the height to which it rises", function()
    for _, floor in ipairs { 10, -300, 1e4 } do
      for _, keeps in ipairs { 0.3, 0.8, 0.95, 0.98 } do
        local g, speed = 1.62, 0.1
        local first = 2 * speed / g
        local sim = saltus.simulator(saltus.system { name = "ball", q = { { "h", floor } }, v = { { "w", speed } },
          derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -g end,
          events = { { name = "hit", witness = function(ctx) return ctx.h - floor end, direction = "falling",
            unrestricted_update = function(ctx, next) next.w = -keeps * ctx.w end,
            on_zeno = function() return saltus.terminate "at rest" end } } },
          { accuracy = 1e-6, integrator = "symplectic4", max_step = first / 4.1, event_state = "reintegrate",
            max_steps_per_call = 20000 })
        assert.equal("at rest", sim:advance_to(1.5 * first / (1 - keeps)).message)
        assert.near(first / (1 - keeps), sim.context.time, 0.01 * first / (1 - keeps))
      end
    end
  end)

  it("ends where the interpolant says, when the integrated height does not change", function()
    local g, keeps, floor, speed = 1.62, 0.8, -3, 0.09771051614013293
    local sim = saltus.simulator(saltus.system { name = "ball", q = { { "h", floor } }, v = { { "w", speed } },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -g end,
      events = { { name = "hit", witness = function(ctx) return ctx.h - floor end,
        unrestricted_update = function(ctx, next) next.h, next.w = floor, -keeps * ctx.w end,
        on_zeno = function() return saltus.terminate "at rest" end } } },
      { accuracy = 1e-10, event_state = "reintegrate", integrator = "tsitouras5", max_steps_per_call = 20000 })
    assert.equal("at rest", sim:advance_to(0.9).message)
    assert.near(2 * speed / g / (1 - keeps), sim.context.time, 1e-4)
  end)

  it("ends in a bounce, when a cut ends exactly where it began and rounding removes its height", function()
    local g, floor, keeps, speed = 9.81, 2.9029782507722341, 0.2, 6.4346914889878217
    local first, r = 2 * speed / g, random.new(5)
    for _ = 1, 300 do
      local sim = saltus.simulator(saltus.system { name = "ball", q = { { "h", floor } }, v = { { "w", speed } },
        discrete = { { "flies", 1 } }, derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -g * ctx.flies end,
        events = { { name = "hit", witness = function(ctx) return ctx.h - floor end, direction = "falling",
          when = function(ctx) return ctx.flies > 0 end,
          unrestricted_update = function(ctx, next) next.w = -keeps * ctx.w end,
          on_zeno = function(_, next) next.h, next.w, next.flies = floor, 0, 0 end } } },
        { integrator = "runge_kutta4", max_step = first / 4, fixed_step = true, accuracy = 1e-6,
          interior_search = false })
      local cuts = { 2.4 }
      for k = 1, 12 do
        cuts[k + 1] = r:chance(0.5) and 2.4 * r:real() or first / (1 - keeps) * (1 - 10 ^ (-8 * r:real()))
      end
      table.sort(cuts)
      for _, t in ipairs(cuts) do sim:advance_to(t) end
      assert.same({ 0, floor }, { sim.context.flies, sim.context.h })
    end
  end)

  -- A ball thrown up from its floor: cut at its bounce, which waits there, and a few ulp later, too soon to be seen to
  -- have left the floor.
  local function bounces_at_cuts(options, k, exact)
    local floor, speed, seen = 1 + k % 3, 0.01 * 1.3 ^ k, {}
    local flight = 2 * speed / 9.81
    local sim = saltus.simulator(saltus.system { name = "ball", q = { { "h", floor } }, v = { { "w", speed } },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 end,
      events = { { name = "hit", witness = function(ctx) return ctx.h - floor end,
        unrestricted_update = function(ctx, next)
          seen[#seen + 1] = ctx.time
          next.w = speed
          if exact then next.h = floor end
        end } } }, options)
    local start = sim:save()
    sim:advance_to(1.5 * flight)
    local root = seen[1]
    for _, ulps in ipairs { 1, 3, 7, 20, 100, 500 } do
      seen = {}
      sim:load(start)
      for _, t in ipairs { root, root * (1 + ulps * 0x1p-52), 1.5 * flight } do sim:advance_to(t) end
      assert.equal(1, #seen, ("speed %g, %d ulp"):format(speed, ulps))
      assert.near(root, seen[1], 1e-9)
    end
  end

  it("continues where a cut comes too soon to show its start", function()
    for _, options in ipairs { {}, { event_state = "reintegrate" }, { integrator = "radau5" },
      { interior_search = false,
      max_step = 0.01 }, { integrator = "runge_kutta4", max_step = 1e-3, fixed_step = true },
      { integrator = "runge_kutta2", max_step = 1e-3, fixed_step = true, accuracy = 1e-6 },
      { isolation = false, max_step = 1e-3 } } do
      for k = 0, 20 do
        bounces_at_cuts(options, k, true)
        bounces_at_cuts(options, k, false)
      end
    end
  end)

  it("begins below the surface where a bounce is handled late, with other events on its way up", function()
    local hits, marks = 0, 0
    local sim = saltus.simulator(saltus.system { name = "ball", q = { { "h", 1 } }, v = { "w" }, discrete = { "n" },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -2 end,
      events = { { name = "hit", witness = function(ctx) return ctx.h end, unrestricted_update = function(ctx, next)
        hits, next.w = hits + 1, -ctx.w
      end },
        { name = "mark", direction = "rising", witness = function(ctx) return ctx.h + 5e-9 end,
          discrete_update = function(ctx, next) marks, next.n = marks + 1, ctx.n + 1 end } } })
    sim:advance_to(1 + 4e-9) -- within the window: there it is at -8e-9
    sim:advance_to(2)
    assert.same({ 1, 1 }, { hits, marks })
  end)

  it("ends when the ball is back, where rounding nearly hides its start", function()
    local half, keeps, rate = 0.27512076952816461, 0.54531393772317571, 0.12971119752814717
    local function foot(sign)
      return { name = sign > 0 and "forward" or "back", direction = "falling",
        witness = function(ctx) return half - sign * ctx.a end,
        unrestricted_update = function(ctx, next) next.a, next.w = ctx.a - sign * 2 * half, keeps * ctx.w end }
    end
    local wheel = saltus.system { name = "wheel", z = { "a", { "w", rate } }, events = { foot(1), foot(-1) },
      derivatives = function(ctx, dot) dot.a, dot.w = ctx.w, ctx.a end }
    for _, max_step in ipairs { 10, 1e300 } do
      local sim = saltus.simulator(wheel, { max_step = max_step })
      assert.error_matches(function() sim:advance_to(6) end, "accumulate")
    end
  end)
end)
