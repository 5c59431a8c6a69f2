-- Mirrors src/engine/event/instant.c: every crossing is an event once, where it is stored, whatever else happens there.
local saltus = require "saltus"
local cases = require "spec.support.cases"
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

  it("fires once in each turn of a slow rotation", function()
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

  it("all fire, at one instant", function()
    for _, options in ipairs { {}, { integrator = "dormand_prince5" }, { integrator = "dormand_prince8" },
      { integrator = "runge_kutta3" }, { integrator = "radau5" }, { interior_search = false },
      { event_state = "reintegrate" } } do
      assert.same({ 17, 35 }, teeth({ rate = 2.25, level = 0.375 }, { rate = -4.5, level = -0.375 }, options))
    end
  end)

  local function any_rates(options)
    for p = 1, 12 do
      for q = 1, 12 do -- periods p / 48 and q / 48
        local a, b = { rate = 48 / p * 0.7, level = 0.7 }, { rate = -48 / q * 0.3, level = -0.3 }
        assert.same({ math.floor(2.99 * 48 / p), math.floor(2.99 * 48 / q) }, teeth(a, b, options), p .. " " .. q)
      end
    end
  end

  it("fire for commensurate sawteeth of any rates", function() any_rates() end)

  -- At its end the step reads one tooth an ulp short of its level. Integrated once more, the other tooth's crossing
  -- finds it there.
  it("fire where the step ends, in a state that is integrated once more", function()
    any_rates { integrator = "symplectic4", fixed_step = true, max_step = 1 / 48, event_state = "reintegrate" }
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
    it("all fire: before a " .. how, function()
      for _, kind in ipairs { "publish", "discrete_update", "unrestricted_update" } do
        for _, gap in ipairs(gaps) do assert.same({ 1, 1 }, run(gap, kind, how), kind .. " " .. gap[1]) end
      end
    end)
  end

  it("do not move when the run is cut there", function()
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
    for _ = 1, cases(100) do
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

describe("two crossings close together", function()
  it("both fire, as long as rounding shows them", function()
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

  it("fire once if the first is where an update put the state, at any distance", function()
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

  it("is passed twice, on the right side, also with event_state = \"reintegrate\"", function()
    for _, accuracy in ipairs { 1e-3, 1e-6, 1e-10 } do
      for k = 1, cases(100) do
        local height, seen = 0.3 + k * 0.02, {}
        local sim = saltus.simulator(stone(height, seen), { accuracy = accuracy, event_state = "reintegrate" })
        sim:advance_to(1.6)
        assert.equal(2, #seen, height)
        for i, sign in ipairs { -1, 1 } do
          assert.near((speed + sign * math.sqrt(speed ^ 2 - 2 * g * height)) / g, seen[i].time, 1e-8)
          assert.is_true(seen[i].side >= 0)
        end
      end
    end
  end)

  -- Runs the same stone again from its start, cut at these times; returns its passages.
  local function thrower(height, from)
    local seen = {}
    local sim = saltus.simulator(stone(height, seen, from))
    local start = sim:save()
    return function(...)
      for i = #seen, 1, -1 do seen[i] = nil end
      sim:load(start)
      for _, t in ipairs { ... } do sim:advance_to(t) end
      sim:advance_to(1.6)
      return seen
    end
  end

  it("is passed twice, also where the run is cut at a passage and a few ulp later", function()
    for k = 1, cases(100) do
      local height = speed ^ 2 / (2 * g) * (1 - 10 ^ -(1 + k / 20))
      local throw = thrower(height)
      local up = throw()[1].time
      for _, ulps in ipairs { 1, 3, 10, 26, 100 } do
        assert.equal(2, #throw(up, up * (1 + ulps * 0x1p-52)), height)
      end
    end
  end)

  it("is passed twice, also after a step too short to show how it moves", function()
    for k = 1, cases(100) do
      local height = 7 + speed ^ 2 / (2 * g) * (1 - 10 ^ -(2 + k / 30))
      local before = 0.99 * (speed - math.sqrt(speed ^ 2 - 2 * g * (height - 7))) / g
      local throw = thrower(height, 7)
      for _, ulps in ipairs { 1, 5, 30, 200, 2000 } do
        assert.equal(2, #throw(before, before * (1 + ulps * 0x1p-52)), height)
      end
    end
  end)

  it("is passed twice, also where the run is cut at both passages", function()
    for _, from in ipairs { 0, 1000 } do -- where heights are rounded more, they may be met exactly both times
      for k = 1, cases(200) do
        local height = from + speed ^ 2 / (2 * g) * (1 - 10 ^ -(1 + k / 50))
        local throw = thrower(height, from)
        local passages = throw()
        local up, down = passages[1].time, passages[2].time
        for ulps = -2, 2 do
          assert.equal(2, #throw(up, down + ulps * 2e-16 * math.max(1, 10 * from)), height)
        end
      end
    end
  end)
end)

describe("a wave that falls in the step in which it rises, and is integrated once more up to there,", function()
  local beside = {
    ["a condition"] = function(above) return { name = "rise", becomes = function(ctx) return above(ctx) > 0 end,
      publish = function() end } end,
    ["a witness"] = function(above) return { name = "rise", direction = "rising", witness = above,
      publish = function() end } end,
  }
  for name, rise in pairs(beside) do
    it("falls once in each period, beside " .. name .. " that fires where it rises", function()
      for _, integrator in ipairs { "tsitouras5", "rodas4", "radau5", "runge_kutta3" } do
        for k = 1, 100 do
          local function above(ctx) return math.sin(ctx.angle) - 0.005 * k end
          local sim = saltus.simulator(saltus.system { name = "wave", z = { { "angle", -0.5 } },
            derivatives = function(_, dot) dot.angle = 1 end,
            events = { { name = "fall", direction = "falling", witness = above, publish = function() end },
              rise(above) } }, { integrator = integrator, event_state = "reintegrate", initial_step = 5 })
          local log = saltus.log(sim, {})
          sim:advance_to(14)
          assert.same({ 2, 3 }, { #log:times "fall", #log:times "rise" }, integrator .. " " .. k)
        end
      end
    end)
  end
end)

describe("a witness that returns to zero by itself", function()
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

-- The witness leaves its surface so slowly, and the run is cut so soon after, that its value there is an ulp on the old
-- side.
describe("a very slow crossing", function()
  local amplitude = math.sqrt(1.09)
  local function crossings(level, cuts)
    local times = {}
    local sim = saltus.simulator(saltus.system { name = "swing", q = { { "q", 0.3 } }, v = { { "v", 1 } },
      derivatives = function(ctx, dot) dot.q, dot.v = ctx.v, -ctx.q end,
      events = { { name = "pass", witness = function(ctx) return ctx.q - level end,
        publish = function(ctx) times[#times + 1] = ctx.time end } } },
      { integrator = "symplectic4", max_step = 0.05, fixed_step = true, event_state = "reintegrate", accuracy = 1e-10 })
    for _, t in ipairs(cuts) do sim:advance_to(t) end
    sim:advance_to(2)
    return times
  end

  it("fires once, also when the run is cut just after it", function()
    local r = random.new(7)
    for _ = 1, 500 do
      local level = amplitude * (1 - 10 ^ (-6 + r:real()))
      local plain, cuts = crossings(level, {}), {}
      for i, t in ipairs(plain) do cuts[i] = t + 10 ^ (-12.8 + 1.2 * r:real()) end
      assert.equal(#plain, #crossings(level, cuts))
    end
  end)
end)
