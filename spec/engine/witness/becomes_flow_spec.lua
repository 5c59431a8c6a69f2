-- Mirrors src/engine/witness/condition.c and condition_search.c: events that fire where flow turns a condition true.
local saltus = require "saltus"
local cases = require "spec.support.cases"
local random = require "spec.support.random"
local recorder = require "spec.support.recorder"
local blocks = saltus.blocks

describe("becomes, by flow", function()
  local function run(spec, options, t)
    local list, note = recorder()
    spec.events = spec.events(note)
    local sim = saltus.simulator(saltus.system(spec), options)
    sim:advance_to(t)
    return list, sim
  end

  local function rising(becomes, when)
    return run({ name = "s", z = { "h" }, discrete = { "p" }, derivatives = function(_, dot) dot.h = 1 end,
      events = function(note)
        return { { name = "seen", becomes = becomes, when = when, publish = note("seen", becomes) } }
      end }, nil, 3)
  end

  it("fires at the first double where the closure is true", function()
    local list = rising(function(c) return c.h >= 1 end)
    assert.same({ 1, true }, { #list, list[1].value })
    assert.near(1, list[1].time, 1e-15)
    list = rising(function(c) return c.h > 1 end)
    assert.same({ 1, true }, { #list, list[1].value })
    assert.near(1, list[1].time, 1e-15)
  end)

  it("fires after an update that ends on its border, if flow crosses it", function()
    local function after_update(becomes)
      local list = run({ name = "s", z = { { "h", 0 } }, discrete = { { "rate", 0 } },
        derivatives = function(c, dot) dot.h = c.rate end,
        events = function(note)
          return { { every = 10, offset = 1, unrestricted_update = function(_, next) next.h, next.rate = 1, 1 end },
            { name = "seen", becomes = becomes, publish = note("seen", function(c) return c.h end) } }
        end }, nil, 3)
      assert.equal(1, #list)
      return list[1].time, list[1].value
    end
    assert.same({ 1, 1 }, { after_update(function(c) return c.h >= 1 end) })
    local time, h = after_update(function(c) return c.h > 1 end)
    assert.same({ 1 + 0x1p-52, 1 + 0x1p-52 }, { time, h })
  end)

  for _, width in ipairs { 1e-2, 1e-6 } do
    it(("finds every pulse of %g by its comparisons"):format(width), function()
      local function turning(state)
        return { name = "s", z = { { "x", 0.5 }, "y" }, params = { width = width },
          derivatives = function(c, dot) dot.x, dot.y = c.y, -c.x end, events = state }
      end
      local becomes = function(c) return c.y > 0 and c.x > 0.3 and c.x < 0.3 + c.width end
      local list, sim = run(turning(function(note)
        return { { name = "seen", becomes = becomes, publish = note("seen", becomes) } }
      end), nil, 200 * 2 * math.pi)
      assert.equal(200, #list)
      for _, e in ipairs(list) do assert.is_true(e.value) end
      assert.equal(0, #sim.warnings)
    end)

    it(("finds every pulse of %g by the finders of a closure that stays in Lua"):format(width), function()
      local opaque = function(c) return c.y > 0 and c.x > 0.3 and c.x < 0.3 + width and #tostring(c.x) > 0 end
      for _, witness in ipairs { function(c) return c.x - 0.3 end, false } do
        local list, sim = run({ name = "s", z = { { "x", 0.5 }, "y" },
          derivatives = function(c, dot) dot.x, dot.y = c.y, -c.x end,
          events = function(note)
            return { { name = "seen", becomes = opaque, witness = witness or nil, publish = note("seen", opaque) } }
          end }, nil, 200 * 2 * math.pi)
        if witness then
          assert.same({ 200, 0 }, { #list, #sim.warnings })
        else
          assert.is_true(#list < 20)
          assert.equal("finders", sim.warnings[1].kind)
          assert.matches("seen of s is evaluated at the ends of steps only", sim.warnings[1].message, nil, true)
        end
      end
    end)
  end

  it("fires, at its point, with the witnesses that cross there", function()
    local last = cases(500)
    for k = 1, last do
      local rise, list, note = 0.05 + (k * 0.618 % 1) * 0.3, recorder()
      local level = -0.3 + rise * (1 - 0.3 * k / last) -- just before 0, where the line is rougher than the time
      local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, discrete = { "n" }, inputs = { u = -0.3 },
        derivatives = function(_, dot) dot.x = 1 end,
        events = { { name = "pass", witness = function(ctx) return ctx.u - level end, publish = note "pass" },
          { name = "over", becomes = function(ctx) return ctx.u > level end, discrete_update = function(ctx, next)
            next.n = ctx.n + 1
          end } } }, { start_time = -1 })
      sim:feed("u", 3, -0.3 + rise * 4)
      sim:advance_to(3)
      assert.same({ 1, 1 }, { #list, sim.context.n }, level)
    end
  end)

  it("takes a list of finders", function()
    local opaque = function(c) return (c.x > 1 or c.x < -1) and #tostring(c.x) > 0 end
    local list = run({ name = "s", z = { { "x", 0 }, { "y", 1.0001 } },
      derivatives = function(c, dot) dot.x, dot.y = c.y, -c.x end,
      events = function(note)
        return { { becomes = opaque, witness = { function(c) return c.x - 1 end, function(c) return c.x + 1 end },
          publish = note("seen", opaque) } }
      end }, { accuracy = 1e-9 }, 10 * 2 * math.pi)
    assert.equal(20, #list)
  end)

  it("fires again only after it was false, for any time", function()
    local list = run({ name = "s", z = { { "x", 0.5 }, { "y", 0 } },
      derivatives = function(c, dot) dot.x, dot.y = c.y, -c.x end,
      events = function(note)
        return { { becomes = function(c) return c.x > -0.5 + 1e-6 end, publish = note "seen" } }
      end }, { accuracy = 1e-10 }, 10 * 2 * math.pi)
    assert.equal(10, #list)
    for k, e in ipairs(list) do assert.near((2 * k - 1) * math.pi + math.acos(1 - 2e-6), e.time, 1e-4) end
  end)

  it("depends on `when` too", function()
    local list = rising(function(c) return c.h > 1 end, function(c) return c.h < 0.5 or c.h > 2 end)
    assert.equal(1, #list)
    assert.near(2, list[1].time, 1e-14)
  end)

  it("ignores comparisons with NaN", function()
    local list = rising(function(c) return c.h > 1 and math.sqrt(c.h - 1) > 0.5 end)
    assert.equal(1, #list)
    assert.near(1.25, list[1].time, 1e-9)
  end)

  it("passes the step and the state before to the handler", function()
    local told
    local s = saltus.system { name = "s", z = { "h" }, derivatives = function(_, dot) dot.h = 1 end, events = {
      { becomes = function(c) return c.h > 1 end, unrestricted_update = function(c, _, event)
        told = { event.interval[1] < 1, event.interval[2] >= c.time, event.before.h < 1, event.count }
      end } } }
    saltus.simulator(s):advance_to(2)
    assert.same({ true, true, true, 1 }, told)
  end)

  it("works for time alone, without continuous state", function()
    local list = run({ name = "s", discrete = { "p" }, events = function(note)
      return { { becomes = function(c) return math.sin(c.time) > 0.5 end, publish = note "seen" } }
    end }, nil, 10)
    assert.equal(2, #list)
    assert.near(math.pi / 6, list[1].time, 1e-12)
    assert.near(2 * math.pi + math.pi / 6, list[2].time, 1e-12)
  end)

  it("locks the clutch and releases it where torque jumps", function()
    local function lock_torque(c) return (c.J2 * (c.Tin - c.b1 * c.w1) + c.J1 * c.b2 * c.w2) / (c.J1 + c.J2) end
    local s = saltus.system { name = "clutch", v = { { "w1", 100 }, "w2" },
      discrete = { { "mode", "slipping", values = { "slipping", "locked" } } },
      params = { J1 = 1, J2 = 2, Tin = 5, b1 = 0.02, b2 = 0.05, Tc = 20, ratio = 1.2 },
      derivatives = function(c, dot)
        if c.mode == "slipping" then
          local T = c.w1 > c.w2 and c.Tc or -c.Tc
          dot.w1, dot.w2 = (c.Tin - c.b1 * c.w1 - T) / c.J1, (T - c.b2 * c.w2) / c.J2
        else
          local a = (c.Tin - c.b1 * c.w1 - c.b2 * c.w2) / (c.J1 + c.J2)
          dot.w1, dot.w2 = a, a
        end
      end,
      events = {
        { name = "lock", witness = function(c) return c.w1 - c.w2 end,
          when = function(c) return c.mode == "slipping" end,
          unrestricted_update = function(c, n)
            n.mode = "locked"
            local w = (c.J1 * c.w1 + c.J2 * c.w2) / (c.J1 + c.J2)
            n.w1, n.w2 = w, w
          end },
        { name = "unlock", becomes = function(c) return math.abs(lock_torque(c)) > c.ratio * c.Tc end,
          when = function(c) return c.mode == "locked" end,
          unrestricted_update = function(_, n) n.mode = "slipping" end },
        { name = "tipin", at = "demand", unrestricted_update = function(_, n) n.Tin = 60 end },
      } }
    local sim = saltus.simulator(s, { accuracy = 1e-9 })
    local log = saltus.log(sim, { "w1" })
    sim:schedule(10, "tipin")
    sim:advance_to(20)
    assert.same({ 10 }, log:times "unlock")
    assert.equal("slipping", sim.context.mode)
  end)

  it("sees delayed jumps", function()
    local d = saltus.diagram "d"
    d:add(blocks.step { time = 1, after = 1 }, "step")
    d:add(blocks.delay { delay = 0.7 }, "late")
    d:connect("step", "late")
    d:add(saltus.system { name = "counter", inputs = { "u" }, discrete = { "n", "at" }, events = {
      { becomes = function(c) return c.u > 0.5 end,
        discrete_update = function(c, next) next.n, next.at = c.n + 1, c.time end } } }, "count")
    d:connect("late", "count.u")
    local sim = saltus.simulator(d)
    sim:advance_to(5)
    assert.equal(1, sim.context.count.n)
    assert.near(1.7, sim.context.count.at, 1e-12)
  end)

  it("is checked for accumulation and chattering as witnesses are", function()
    local ball = saltus.system { name = "ball", q = { { "h", 1 } }, v = { "v" }, params = { e = 0.8 },
      derivatives = function(c, dot) dot.h, dot.v = c.v, -9.81 end, events = {
        { name = "touch", becomes = function(c) return c.h < 0 and c.v < 0 end,
          unrestricted_update = function(c, next) next.h, next.v = 0, -c.e * c.v end } } }
    local sim = saltus.simulator(ball)
    local ok, message = pcall(sim.advance_to, sim, 10)
    assert.is_false(ok)
    assert.matches("accumulat", message)
    -- sum of the hops: sqrt(2 h / g) (1 + e) / (1 - e)
    assert.near(math.sqrt(2 / 9.81) * 9, sim.failure.limit, 1e-4)
  end)

  it("refuses numbers that flow and are compared by ==, as the run is built", function()
    for _, becomes in ipairs { function(c) return c.h == 1 end, function(c) return c.p > 0 and c.h + 1 ~= c.p end } do
      local s = saltus.system { name = "s", z = { "h" }, discrete = { "p" },
        derivatives = function(_, dot) dot.h = 1 end, events = { { name = "e", becomes = becomes } } }
      assert.error_matches(function() saltus.simulator(s) end,
        '`becomes` of event "e" of "s" compares numbers that flow by == or ~=', nil, true)
      local d = saltus.diagram "d"
      d:add(s, "part")
      assert.error_matches(function() d:build() end, 'compares numbers that flow by == or ~=', nil, true)
    end
    local s = saltus.system { name = "s", z = { "h" }, discrete = { "p", { "mode", "a", values = { "a", "b" } } },
      derivatives = function(_, dot) dot.h = 1 end,
      events = { { becomes = function(c) return c.p == 1 and c.mode ~= "b" and c.h > 1 end } } }
    assert.has_no.errors(function() saltus.simulator(s) end)
  end)

  -- Where an ulp of the time is 5e-7 of a step, many points before its end are stored there.
  it("is evaluated once at the end of a step where its finder is zero", function()
    local start = 2 ^ 30
    local function w(ctx)
      local x = 0.5 * (ctx.x + ctx.time - start)
      return (x - 1) * (x - 1.5) * (3.5 - x)
    end
    local seen = {}
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end,
      events = { { becomes = function(ctx) return w(ctx) >= 0 end, witness = w,
        publish = function(ctx) seen[#seen + 1] = ctx.time - start end } } }, { start_time = start, max_step = 0.5,
      integrator = "bogacki_shampine3" })
    sim:advance_to(start + 4)
    assert.same({ 1.5 }, seen)
    assert.is_true(sim.stats.isolations < 20, sim.stats.isolations)
  end)

  it("fires where a step starts and ends at zero and is false in between", function()
    for _, compiled in ipairs { true, false } do
      local zero = { 0 } -- a table: the closure stays in Lua
      local function w(ctx) return (ctx.x - 0.25) * (0.5 - ctx.x) + (compiled and 0 or zero[1]) end
      local seen = {}
      local event = { becomes = function(ctx) return w(ctx) <= 0 end, witness = not compiled and w or nil,
        publish = function(ctx) seen[#seen + 1] = ctx.time end }
      local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, events = { event },
        derivatives = function(_, dot) dot.x = 1 end }, { integrator = "dormand_prince5", max_step = 0.25 })
      for _, t in ipairs { 0.25, 0.5, 1 } do sim:advance_to(t) end -- x is exact there
      assert.same({ 0.5 }, seen)
    end
  end)
end)

-- The state is rounded in every step, so where the run stops a few ulp after a change, a comparison may read as before.
describe("a run that stops a few ulp beside a change", function()
  local r = random.new(3)
  local function near(t) return t + r:integer(-40, 40) * t * 0x1p-53 end

  local function ramp(integrator)
    local count = { 0, 0 }
    local function counts(i) return function() count[i] = count[i] + 1 end end
    local function inside(c) return c.x >= c.from and not (c.x >= c.from + 0.1) end
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, params = { "rate", "from" },
      derivatives = function(c, dot) dot.x = c.rate end, events = {
        { name = "inside", becomes = inside, publish = counts(1) },
        { name = "outside", becomes = function(c) return c.x < c.from or c.x >= c.from + 0.1 end, publish = counts(2) },
      } }, { integrator = integrator, max_step = 0.3 })
    return sim, count
  end

  local function cut_near_changes(sim)
    local c = sim.context
    c.time, c.rate, c.from, c.x = 0, 10 ^ (2 * r:real() - 1), 0.05 + 0.6 * r:real(), 0.04 * r:real()
    local x0, rate = c.x, c.rate
    sim:initialize()
    for _, level in ipairs { c.from, c.from + 0.1 } do
      for _ = 1, 3 do
        local t = near((level - x0) / rate)
        if t > c.time then sim:advance_to(t) end
      end
    end
    sim:advance_to(1 / rate)
  end

  for _, integrator in ipairs { "symplectic4", "runge_kutta4", "tsitouras5", "radau5" } do
    it("has each change once: " .. integrator, function()
      local sim, count = ramp(integrator)
      for i = 1, cases(500) do
        cut_near_changes(sim)
        assert.same({ i, i }, count)
      end
    end)
  end

  -- A second state, which hardly moves, is known no better than to a millisecond.
  local function band(integrator)
    local count = { 0 }
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x", "slow" }, params = { "from", "width" },
      derivatives = function(_, dot) dot.x, dot.slow = 1, 1e-12 end, events = {
        { name = "inside", becomes = function(c) return c.x >= c.from and not (c.x >= c.from + c.width) end,
          publish = function() count[1] = count[1] + 1 end } } }, { integrator = integrator, max_step = 0.3 })
    return sim, count
  end

  local function cut_in_band(sim)
    local c, cuts = sim.context, {}
    c.time, c.x, c.slow, c.from, c.width = 0, 0, 1, 0.5 + 3 * r:real(), 10 ^ (11 * r:real() - 13)
    sim:initialize()
    for k = 1, 6 do cuts[k] = c.from + c.width * (4 * r:real() - 1.5) end
    table.sort(cuts)
    for _, t in ipairs(cuts) do
      if t > c.time then sim:advance_to(t) end
    end
    sim:advance_to(5)
  end

  for _, integrator in ipairs { "symplectic4", "tsitouras5" } do
    it("has each pulse once, however narrow: " .. integrator, function()
      local sim, count = band(integrator)
      for i = 1, cases(500) do
        cut_in_band(sim)
        assert.same({ i }, count)
      end
    end)
  end
end)
