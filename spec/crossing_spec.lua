-- Mirrors src/engine/instant.c and accumulation.c: every crossing is an event once, where it is stored, whatever else
-- happens there; runs of firings are judged by themselves.
local saltus = require "saltus"
local random = require "spec.support.random"

-- Where f changes sign in (a, b), by bisection between points `width` apart: { time, rising }.
local function crossings_of(f, a, b, width)
  local out, n = {}, math.ceil((b - a) / width)
  local t0, f0 = a, f(a)
  for k = 1, n do
    local t1 = a + (b - a) * k / n
    local f1 = f(t1)
    if (f0 < 0) ~= (f1 < 0) then
      local lo, hi = t0, t1
      for _ = 1, 60 do
        local m = lo + (hi - lo) / 2
        if (f(m) < 0) == (f0 < 0) then lo = m else hi = m end
      end
      out[#out + 1] = { hi, f0 < 0 }
    end
    t0, f0 = t1, f1
  end
  return out
end

describe("a witness of state and time", function()
  -- x = sin(t - start) against a threshold that moves with the time.
  local function run(start, phase, handler, options)
    local function w(x, t) return x - 0.5 * math.sin(0.37 * t + phase) end
    local seen = {}
    options = options or {}
    options.start_time = start
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x", { "y", 1 } }, discrete = { "n" },
      derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x end,
      events = { { name = "cross", witness = function(ctx) return w(ctx.x, ctx.time) end,
        [handler] = function(ctx, next)
          seen[#seen + 1] = { ctx.time, w(ctx.x, ctx.time) }
          if handler ~= "publish" then next.n = ctx.n + 1 end
        end } } }, options)
    sim:advance_to(start + 20)
    local exact = crossings_of(function(s) return w(math.sin(s), start + s) end, 0, 20, 0.05)
    assert.equal(#exact, #seen, ("from %g, phase %g"):format(start, phase))
    for i, e in ipairs(exact) do
      assert.near(start + e[1], seen[i][1], 1e-4)
      assert.is_true(e[2] and seen[i][2] >= 0 or not e[2] and seen[i][2] <= 0, seen[i][2])
    end
  end

  for _, start in ipairs { -1e6, 0, 100, 1e4, 1.7e9 } do
    it(("fires once for each, and its handler never sees the old side, from time %g on"):format(start), function()
      for k = 1, 12 do
        run(start, k, "discrete_update")
        run(start, k + 0.5, "publish", { integrator = "dormand_prince8", accuracy = 1e-9 })
      end
    end)
  end

  it("is told of a slow rotation once a turn", function()
    local rate, n = 1.078e-3, 0
    local function w(x, t) return x * math.cos(1e-4 * t) - 0.3 end
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x", { "y", 1 } }, discrete = { "n" },
      derivatives = function(ctx, dot) dot.x, dot.y = rate * ctx.y, -rate * ctx.x end,
      events = { { name = "up", direction = "rising", witness = function(ctx) return w(ctx.x, ctx.time) end,
        discrete_update = function(ctx, next) n, next.n = n + 1, ctx.n + 1 end } } }, { accuracy = 1e-9 })
    sim:advance_to(80000)
    local rising = 0
    for _, c in ipairs(crossings_of(function(t) return w(math.sin(rate * t), t) end, 0, 80000, 10)) do
      rising = rising + (c[2] and 1 or 0)
    end
    assert.equal(rising, n)
  end)
end)

describe("crossings a few ulp apart", function()
  -- Two saw-teeth: up to `level` at `rate`, then back to zero.
  local function teeth(a, b, options)
    local count = { 0, 0 }
    local function tooth(i, name, rate, level)
      local direction = rate > 0 and 1 or -1
      return { name = "w" .. i, witness = function(ctx) return ctx[name] - level end,
        unrestricted_update = function(ctx, next)
          assert.is_true((ctx[name] - level) * direction >= 0)
          count[i], next[name] = count[i] + 1, 0
        end }
    end
    local sim = saltus.simulator(saltus.system { name = "teeth", z = { "a", "b" },
      derivatives = function(_, dot) dot.a, dot.b = a.rate, b.rate end,
      events = { tooth(1, "a", a.rate, a.level), tooth(2, "b", b.rate, b.level) } }, options)
    sim:advance_to(2.99)
    return count
  end

  it("are all told, at one instant", function()
    for _, options in ipairs { {}, { integrator = "dormand_prince5" }, { integrator = "dormand_prince8" },
      { integrator = "runge_kutta3" }, { integrator = "radau5" }, { interior = false }, { event_state = "retake" } } do
      assert.same({ 17, 35 }, teeth({ rate = 2.25, level = 0.375 }, { rate = -4.5, level = -0.375 }, options))
    end
  end)

  it("are told for commensurate teeth of any rates", function()
    for p = 1, 12 do
      for q = 1, 12 do -- periods p / 48 and q / 48
        local a, b = { rate = 48 / p * 0.7, level = 0.7 }, { rate = -48 / q * 0.3, level = -0.3 }
        assert.same({ math.floor(2.99 * 48 / p), math.floor(2.99 * 48 / q) }, teeth(a, b), p .. " " .. q)
      end
    end
  end)
end)

describe("crossings near a limit", function()
  local gaps = { { 3e-15, 1e-15 },
    { 1e-14, 5e-15 }, { 3e-13, 1e-13 }, { 1e-11, 5e-12 }, { 1e-9, 5e-10 }, { 1e-7, 5e-8 } }
  local function run(gap, kind, how)
    local n = { 0, 0 }
    local events = {}
    for i = 1, 2 do
      events[i] = { name = "w" .. i, witness = function(ctx) return ctx.x - (1 - gap[i]) end,
        [kind] = function() n[i] = n[i] + 1 end }
    end
    events[3] = how == "sample" and { name = "tick", every = 0.5, publish = function() end } or nil
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end,
      events = events })
    if how == "boundary" then sim:advance_to(1) end
    sim:advance_to(3)
    return n
  end

  for _, how in ipairs { "sample", "boundary", "nothing" } do
    it("are each told: before a " .. how, function()
      for _, kind in ipairs { "publish", "discrete_update", "unrestricted_update" } do
        for _, gap in ipairs(gaps) do assert.same({ 1, 1 }, run(gap, kind, how), kind .. " " .. gap[1]) end
      end
    end)
  end

  it("stay where they are when the run is cut there", function()
    local r = random.new(12)
    local function told(cuts, levels)
      local seen, events = {}, {}
      for i, level in ipairs(levels) do
        events[i] = { name = "w" .. i, witness = function(ctx) return ctx.x - level end,
          publish = function() seen[#seen + 1] = i end }
      end
      local sim = saltus.simulator(saltus.system { name = "s", z = { "x", { "v", 1 } }, events = events,
        derivatives = function(ctx, dot) dot.x, dot.v = ctx.v, -ctx.x end })
      for _, t in ipairs(cuts) do sim:advance_to(t) end
      return seen
    end
    for _ = 1, 100 do
      local cuts, levels = { 7 }, {}
      for k = 1, 6 do -- pairs of levels, each crossed within the window before a cut or after it
        local t = r:real() * 1.5
        levels[2 * k - 1] = math.sin(t)
        levels[2 * k] = math.sin(t + 1e-8 * r:real())
        table.insert(cuts, 1, t + 2e-8 * (r:real() - 0.3))
      end
      table.sort(cuts)
      assert.same(told({ 7 }, levels), told(cuts, levels))
    end
  end)
end)

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

  it("of a ball accumulates on floors of any height, at every accuracy", function()
    for _, floor in ipairs { 0, 1 } do
      for _, accuracy in ipairs { 1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9 } do
        for _, e in ipairs { 0.2, 0.8, 0.95 } do
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
  it("that ends exactly with its step ends in a bounce", function()
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

  it("ends where rounding eats its height, also with the state at events integrated to once more", function()
    local g, keeps, speed = 1.62, 0.9, 3.1144159543384582
    local first = 2 * speed / g
    for _, max_step in ipairs { first / 10, first / 4, 1 } do
      local sim = saltus.simulator(saltus.system { name = "ball", q = { { "h", 1 } }, v = { { "w", speed } },
        derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -g end,
        events = { { name = "hit", witness = function(ctx) return ctx.h - 1 end, direction = "falling",
          unrestricted_update = function(ctx, next) next.w = -keeps * ctx.w end,
          on_zeno = function() return saltus.terminate "at rest" end } } },
        { accuracy = 1e-9, event_state = "retake", max_step = max_step, max_steps_per_call = 20000 })
      assert.equal("at rest", sim:advance_to(1.5 * first / (1 - keeps)).message)
      assert.near(first / (1 - keeps), sim.context.time, 1e-3)
    end
  end)

  it("that no integration shows to end, for the height stays as it is, ends where the interpolant says", function()
    local g, keeps, floor, speed = 1.62, 0.8, -3, 0.09771051614013293
    local sim = saltus.simulator(saltus.system { name = "ball", q = { { "h", floor } }, v = { { "w", speed } },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -g end,
      events = { { name = "hit", witness = function(ctx) return ctx.h - floor end,
        unrestricted_update = function(ctx, next) next.h, next.w = floor, -keeps * ctx.w end,
        on_zeno = function() return saltus.terminate "at rest" end } } },
      { accuracy = 1e-10, event_state = "retake", integrator = "tsitouras5", max_steps_per_call = 20000 })
    assert.equal("at rest", sim:advance_to(0.9).message)
    assert.near(2 * speed / g / (1 - keeps), sim.context.time, 1e-4)
  end)

  it("that a cut ends exactly where it began, its height lost in rounding, ends in a bounce", function()
    local g, floor, keeps, speed = 9.81, 2.9029782507722341, 0.2, 6.4346914889878217
    local first, r = 2 * speed / g, random.new(5)
    for _ = 1, 300 do
      local sim = saltus.simulator(saltus.system { name = "ball", q = { { "h", floor } }, v = { { "w", speed } },
        discrete = { { "flies", 1 } }, derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -g * ctx.flies end,
        events = { { name = "hit", witness = function(ctx) return ctx.h - floor end, direction = "falling",
          when = function(ctx) return ctx.flies > 0 end,
          unrestricted_update = function(ctx, next) next.w = -keeps * ctx.w end,
          on_zeno = function(_, next) next.h, next.w, next.flies = floor, 0, 0 end } } },
        { integrator = "runge_kutta4", max_step = first / 4, fixed_step = true, accuracy = 1e-6, interior = false })
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
  local function bounces_at_cuts(options, k, ulps, exact)
    local floor, speed, seen = 1 + k % 3, 0.01 * 1.3 ^ k, {}
    local flight = 2 * speed / 9.81
    local ball = saltus.system { name = "ball", q = { { "h", floor } }, v = { { "w", speed } },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 end,
      events = { { name = "hit", witness = function(ctx) return ctx.h - floor end,
        unrestricted_update = function(ctx, next)
          seen[#seen + 1] = ctx.time
          next.w = speed
          if exact then next.h = floor end
        end } } }
    saltus.simulator(ball, options):advance_to(1.5 * flight)
    local root = seen[1]
    seen = {}
    local sim = saltus.simulator(ball, options)
    for _, t in ipairs { root, root * (1 + ulps * 0x1p-52), 1.5 * flight } do sim:advance_to(t) end
    assert.equal(1, #seen, ("speed %g, %d ulp"):format(speed, ulps))
    assert.near(root, seen[1], 1e-9)
  end

  it("lasts where a cut is so soon that it is not seen to have begun", function()
    for _, options in ipairs { {}, { event_state = "retake" }, { integrator = "radau5" }, { interior = false,
      max_step = 0.01 }, { integrator = "runge_kutta4", max_step = 1e-3, fixed_step = true },
      { integrator = "runge_kutta2", max_step = 1e-3, fixed_step = true, accuracy = 1e-6 },
      { isolation = false, max_step = 1e-3 } } do
      for k = 0, 20 do
        for _, ulps in ipairs { 1, 3, 7, 20, 100, 500 } do
          bounces_at_cuts(options, k, ulps, true)
          bounces_at_cuts(options, k, ulps, false)
        end
      end
    end
  end)

  it("begins below the surface where a bounce is taken late, whatever else happens on its way up", function()
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

  it("on which rounding hardly lets it set out lasts until it is back", function()
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

describe("two crossings close together", function()
  it("are both told, as long as rounding shows them", function()
    for k = 6, 14 do
      local d, seen = 10.0 ^ -k, {}
      local sim = saltus.simulator(saltus.system { name = "s", z = { "x" },
        derivatives = function(_, dot) dot.x = 1 end,
        events = { { name = "pair", witness = function(ctx) return (ctx.x - 1) ^ 2 - d end,
          publish = function(ctx) seen[#seen + 1] = ctx.time end } } })
      sim:advance_to(2)
      assert.equal(2, #seen, d)
      assert.near(1 - math.sqrt(d), seen[1], 1e-3 * math.sqrt(d) + 1e-9)
      assert.near(1 + math.sqrt(d), seen[2], 1e-3 * math.sqrt(d) + 1e-9)
    end
  end)

  it("beyond a surface on which it starts are told once, however short the way out is", function()
    local half = math.pi / 8
    for k = 5, 9 do
      local rate, seen = 10.0 ^ -k, {}
      local sim = saltus.simulator(saltus.system { name = "s", q = { "angle" }, v = { "rate" },
        derivatives = function(ctx, dot) dot.angle, dot.rate = ctx.rate, math.sin(ctx.angle) end,
        events = {
          { name = "put", every = 100, offset = 1,
            unrestricted_update = function(_, next) next.angle, next.rate = -half, rate end },
          { name = "back", witness = function(ctx) return ctx.angle + half end, direction = "falling",
            publish = function(ctx) seen[#seen + 1] = ctx.time end } } })
      sim:advance_to(2)
      assert.equal(1, #seen, rate)
      assert.is_true(seen[1] > 1 and seen[1] < 1 + 2.1 * rate / math.sin(half) + 1e-9)
    end
  end)
end)

describe("a flow that the host turns back where it has just crossed", function()
  -- The second crossing, after the start, of a flow that is turned back `late` after the first.
  local function crossed_again(direction, start, late, saves)
    local seen = {}
    local function witness(name, way)
      return { name = name, direction = way, witness = function(ctx) return ctx.x - 0.5 end,
        publish = function(ctx) seen[#seen + 1] = ctx.time - start end }
    end
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, params = { u = 1 },
      derivatives = function(ctx, dot) dot.x = ctx.u end,
      events = { witness("pass", direction == "crossing" and "crossing" or "rising"),
        direction == "falling" and witness("back", "falling") or nil } }, { start_time = start })
    sim:advance_to(start + 0.5 + late)
    assert.equal(1, #seen)
    sim.context.u = -1
    if saves then sim:load(sim:save()) end
    sim:advance_to(start + 1)
    assert.equal(2, #seen, late)
    return seen[2]
  end

  for _, direction in ipairs { "crossing", "falling" } do
    it("crosses again: " .. direction, function()
      for _, start in ipairs { 0, -1, 1e6 } do
        for _, late in ipairs { 1e-10, 3e-9, 8e-9 } do -- within the window, the crossing is told where the run is cut
          assert.near(0.5 + 2 * late, crossed_again(direction, start, late, false), 1e-8)
          assert.near(0.5 + 2 * late, crossed_again(direction, start, late, true), 1e-8)
        end
      end
    end)
  end
end)

-- A stone thrown up at 8 m/s passes each height twice.
describe("a height that a stone passes twice", function()
  local g, speed = 9.81, 8
  local function stone(height, seen, from)
    return saltus.system { name = "stone", q = { { "h", from or 0 } }, v = { { "w", speed } },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -g end,
      events = { { name = "pass", witness = function(ctx) return ctx.h - height end,
        publish = function(ctx) seen[#seen + 1] = { time = ctx.time, side = (ctx.h - height) * ctx.w } end } } }
  end

  it("is passed twice, on the right side, also where the state at an event is integrated to once more", function()
    for _, accuracy in ipairs { 1e-3, 1e-6, 1e-10 } do
      for k = 1, 100 do
        local height, seen = 0.3 + k * 0.02, {}
        local sim = saltus.simulator(stone(height, seen), { accuracy = accuracy, event_state = "retake" })
        sim:advance_to(1.6)
        assert.equal(2, #seen, height)
        for i, sign in ipairs { -1, 1 } do
          assert.near((speed + sign * math.sqrt(speed ^ 2 - 2 * g * height)) / g, seen[i].time, 1e-8)
          assert.is_true(seen[i].side >= 0)
        end
      end
    end
  end)

  it("is passed twice, also where the run is cut at a passage and a few ulp later", function()
    for k = 1, 100 do
      local height, seen = speed ^ 2 / (2 * g) * (1 - 10 ^ -(1 + k / 20)), {}
      saltus.simulator(stone(height, seen)):advance_to(1.6)
      local up = seen[1].time
      for _, ulps in ipairs { 1, 3, 10, 26, 100 } do
        seen = {}
        local sim = saltus.simulator(stone(height, seen))
        sim:advance_to(up)
        sim:advance_to(up * (1 + ulps * 0x1p-52))
        sim:advance_to(1.6)
        assert.equal(2, #seen, height)
      end
    end
  end)

  it("is passed twice, also after a step too short to show how it moves", function()
    for k = 1, 100 do
      local height = 7 + speed ^ 2 / (2 * g) * (1 - 10 ^ -(2 + k / 30))
      local before = 0.99 * (speed - math.sqrt(speed ^ 2 - 2 * g * (height - 7))) / g
      for _, ulps in ipairs { 1, 5, 30, 200, 2000 } do
        local seen = {}
        local sim = saltus.simulator(stone(height, seen, 7))
        for _, t in ipairs { before, before * (1 + ulps * 0x1p-52), 1.6 } do sim:advance_to(t) end
        assert.equal(2, #seen, height)
      end
    end
  end)

  it("is passed twice, also where the run is cut at both passages", function()
    for _, from in ipairs { 0, 1000 } do -- where heights are rounded more, they may be met exactly both times
      for k = 1, 200 do
        local height, seen = from + speed ^ 2 / (2 * g) * (1 - 10 ^ -(1 + k / 50)), {}
        saltus.simulator(stone(height, seen, from)):advance_to(1.6)
        local up, down = seen[1].time, seen[2].time
        for ulps = -2, 2 do
          seen = {}
          local sim = saltus.simulator(stone(height, seen, from))
          sim:advance_to(up)
          sim:advance_to(down + ulps * 2e-16 * math.max(1, 10 * from))
          sim:advance_to(1.6)
          assert.equal(2, #seen, height)
        end
      end
    end
  end)
end)

describe("a witness that comes back to zero itself", function()
  local ways = {
    function(ctx) return (ctx.time - 1) * (2 - ctx.time) end, -- 0.0 at 1 and at 2
    function(ctx) return (ctx.time - 1) * (ctx.time - 2) * (ctx.x + 1) end,
    function(ctx) return (ctx.x - 1) * (2 - ctx.x) end,
  }
  local first = { "rising", "falling", "rising" } -- which way it crosses at 1

  local function crossings(witness, direction, handler, cuts)
    local seen = {}
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end,
      events = { { name = "w", witness = witness, direction = direction,
        [handler] = function(ctx) seen[#seen + 1] = ctx.time end } } })
    for _, t in ipairs(cuts) do sim:advance_to(t) end
    return seen
  end

  local function crosses(way, direction, cuts)
    local exact = direction == "crossing" and { 1, 2 } or { direction == first[way] and 1 or 2 }
    for _, handler in ipairs { "publish", "discrete_update", "unrestricted_update" } do
      local seen = crossings(ways[way], direction, handler, cuts)
      assert.equal(#exact, #seen, ("%d, %s, %s"):format(way, direction, handler))
      for k, t in ipairs(exact) do assert.near(t, seen[k], 1e-9) end
    end
  end

  for _, cuts in ipairs { { 1, 2, 3 }, { 2, 3 }, { 1, 1.5, 2, 3 }, { 3 } } do
    it("at a step's end has crossed it there, cut at " .. table.concat(cuts, ", "), function()
      for way = 1, #ways do
        for _, direction in ipairs { "crossing", "rising", "falling" } do crosses(way, direction, cuts) end
      end
    end)
  end
end)

-- It leaves its surface so slowly, and the run is cut so soon behind, that it reads an ulp of the old side there.
describe("a crossing at a snail's pace", function()
  local amplitude = math.sqrt(1.09)
  local function crossings(level, cuts)
    local times = {}
    local sim = saltus.simulator(saltus.system { name = "swing", q = { { "q", 0.3 } }, v = { { "v", 1 } },
      derivatives = function(ctx, dot) dot.q, dot.v = ctx.v, -ctx.q end,
      events = { { name = "pass", witness = function(ctx) return ctx.q - level end,
        publish = function(ctx) times[#times + 1] = ctx.time end } } },
      { integrator = "symplectic4", max_step = 0.05, fixed_step = true, event_state = "retake", accuracy = 1e-10 })
    for _, t in ipairs(cuts) do sim:advance_to(t) end
    sim:advance_to(2)
    return times
  end

  it("is told once, however soon behind it the run is cut", function()
    local r = random.new(7)
    for _ = 1, 500 do
      local level = amplitude * (1 - 10 ^ (-6 + r:real()))
      local plain, cuts = crossings(level, {}), {}
      for i, t in ipairs(plain) do cuts[i] = t + 10 ^ (-12.8 + 1.2 * r:real()) end
      assert.equal(#plain, #crossings(level, cuts))
    end
  end)
end)
