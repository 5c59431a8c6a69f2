-- Mirrors src/engine/witness/witness.c: which crossings fire, when, and what is seen there.
local saltus = require "saltus"

-- x flows at `rate`(t); a witness on w(ctx) notes its firings and, with `kind`, handles them.
local function crossing(w, more, options)
  local fired = {}
  more = more or {}
  local e = { name = "cross", witness = w, direction = more.direction, when = more.when, on_zeno = more.on_zeno }
  local kind = more.kind or "publish"
  e[kind] = function(ctx, next, event)
    local told = kind == "publish" and next or event
    fired[#fired + 1] = { t = ctx.time, x = ctx.x, event = told, interval = told.interval,
      before = { told.before.time, told.before.x } }
    if more.handle then return more.handle(ctx, next, event) end
  end
  local s = saltus.system { name = "s", z = { { "x", more.x or 0 } }, discrete = { "n" }, params = { p = 1 },
    events = { e },
    derivatives = function(ctx, dot) dot.x = more.rate and more.rate(ctx.time) or 1 end }
  return saltus.simulator(s, options), fired
end

local function times_of(fired)
  local out = {}
  for i, f in ipairs(fired) do out[i] = f.t end
  return out
end

local function near(wanted, fired, tolerance)
  local times = times_of(fired)
  assert.equal(#wanted, #times, table.concat(times, " "))
  for i, t in ipairs(wanted) do assert.near(t, times[i], tolerance or 1e-8) end
end

local function sine(ctx) return math.sin(ctx.time * math.pi) end

local hundredths = { max_step = 0.3 }

describe("a direction", function()
  local function run(direction, w, t)
    local sim, fired = crossing(w or sine, { direction = direction }, hundredths)
    sim:advance_to(t or 4.5)
    return fired
  end

  it("says which crossings fire", function()
    near({ 1, 2, 3, 4 }, run "crossing")
    near({ 1, 3 }, run "falling")
    near({ 2, 4 }, run "rising")
    near({}, run "none")
    near({ 1, 2, 3, 4 }, run(nil))
  end)

  it("follows the half-open rule: a zero ends a crossing, and begins none", function()
    local function bend(ctx) return math.max(0, ctx.time - 1) end
    near({}, run("rising", bend, 3))
    local function from_zero(ctx) return ctx.time end
    near({}, run("rising", from_zero, 1))
    local function to_zero(ctx) return math.min(0, ctx.time - 1) end
    near({ 1 }, run("rising", to_zero, 3))
    near({}, run("crossing", function() return 0 end, 3))
  end)
end)

describe("a handler of a witness", function()
  it("sees the far side of the crossing, never before the root", function()
    for _, root in ipairs { 0.1, 1 / 3, 0.7, 1.1 } do
      local value
      local sim = crossing(function(ctx) return ctx.x - root end, { direction = "rising", kind = "unrestricted_update",
        handle = function(ctx) value = ctx.x - root end })
      sim:advance_to(2)
      assert.is_true(value >= 0 and value < 1e-8)
    end
  end)

  it("receives the step that crossed and the context at its start", function()
    local sim, fired = crossing(function(ctx) return ctx.x - 0.5 end, nil, { integrator = "runge_kutta3",
      fixed_step = true,
      max_step = 0.2, context_accuracy = 1e-6 })
    sim:advance_to(1)
    local f = fired[1]
    assert.near(0.5, f.t, 1e-9)
    assert.near(0.4, f.interval[1], 1e-12)
    assert.near(0.6, f.interval[2], 1e-12)
    assert.same({ f.interval[1], true }, { f.before[1], math.abs(f.before[2] - 0.4) < 1e-12 })
    assert.same({ "cross", 1 }, { f.event.name, f.event.count })
    assert.error_matches(function() return f.event.before.x end, "available only while its handler runs")
  end)

  it("ends the step, also when it only publishes or is missing", function()
    local n = 0
    local s = saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end,
      events = { { witness = function(ctx) return ctx.x - 0.55 end } } }
    local sim = saltus.simulator(s, { integrator = "runge_kutta3", fixed_step = true, max_step = 0.5,
      isolation = 1e-6 })
    for t in sim:steps(1) do n = n + 1 if n == 2 then assert.near(0.55, t, 1e-6) end end
    assert.is_true(n >= 3)
  end)
end)

describe("after it fired, a witness", function()
  it("does not fire again where it was not moved", function()
    for _, kind in ipairs { "publish", "discrete_update", "unrestricted_update" } do
      local sim, fired = crossing(function(ctx) return ctx.x - 1 end, { kind = kind, handle = function() end })
      sim:advance_to(3)
      near({ 1 }, fired)
    end
  end)

  it("fires again after it was back on its side", function()
    local sim, fired = crossing(function(ctx) return ctx.x - 1 end, { direction = "rising",
      kind = "unrestricted_update",
      handle = function(_, next) next.x = 0 end })
    sim:advance_to(3.5)
    near({ 1, 2, 3 }, fired)
  end)

  it("fires nothing by an update's change of sign", function()
    local sim, fired = crossing(function(ctx) return ctx.x - 10 end, {})
    sim:advance_to(1)
    sim.context.x = 20
    sim:advance_to(2)
    near({}, fired)
  end)

  it("fires for a ball whose height is never set, so the ball does not fall through", function()
    local ball = saltus.system { name = "ball", q = { { "h", 1 } }, v = { "w" },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 end,
      events = { { name = "hit", witness = function(ctx) return ctx.h end, direction = "falling",
        unrestricted_update = function(ctx, next) next.w = -0.8 * ctx.w end,
        on_zeno = function() return saltus.terminate "at rest" end } } }
    local sim = saltus.simulator(ball)
    local lowest = 0
    sim.monitor = function(ctx) lowest = math.min(lowest, ctx.h) end
    assert.equal("at rest", sim:advance_to(5).message)
    assert.near(4.0637, sim.context.time, 1e-3)
    assert.is_true(lowest > -1e-6)
  end)
end)

describe("several witnesses", function()
  it("fire each at its own root, earliest first, though one step spans them all", function()
    local seen = {}
    local events = {}
    for i, root in ipairs { 0.9, 0.3, 0.6 } do
      events[i] = { name = "w" .. i, witness = function(ctx) return ctx.x - root end,
        unrestricted_update = function(ctx, next) seen[#seen + 1] = { i, ctx.time } next.x = ctx.x end }
    end
    local s = saltus.system { name = "s", z = { "x" }, events = events, derivatives = function(_, dot) dot.x = 1 end }
    local sim = saltus.simulator(s, { initial_step = 5 })
    sim:advance_to(1)
    local roots = { { 2, 0.3 }, { 3, 0.6 }, { 1, 0.9 } }
    for k, r in ipairs(roots) do
      assert.equal(r[1], seen[k][1])
      assert.near(r[2], seen[k][2], 1e-8)
    end
  end)

  it("with one root fire at one instant, in declaration order", function()
    local seen = {}
    local function e(name) return { name = name, witness = function(ctx) return ctx.x - 0.5 end,
      unrestricted_update = function(ctx) seen[#seen + 1] = { name, ctx.time } end } end
    local s = saltus.system { name = "s", z = { "x" }, events = { e "b", e "a" },
      derivatives = function(_, dot) dot.x = 1 end }
    saltus.simulator(s):advance_to(1)
    assert.same({ 2, "b", "a", true }, { #seen, seen[1][1], seen[2][1], seen[1][2] == seen[2][2] })
  end)

  it("fire once each, also when the first attempt to reach one failed", function()
    for _, refused in ipairs { 0.3, 0.31, 0.32, 0.33 } do
      local failing, seen = true, {}
      local function at(level)
        return { witness = function(ctx) return ctx.x - level end, publish = function() seen[#seen + 1] = level end }
      end
      local sim = saltus.simulator(saltus.system { name = "ramp", z = { "x" },
        derivatives = function(_, dot) dot.x = 1 end,
        project = function(ctx)
          if failing and math.abs(ctx.x - refused) < 1e-3 then
            failing = false
            error "not here"
          end
        end,
        events = { at(0.31), at(0.33), at(0.3), at(0.32) } }, { initial_step = 1, max_step = 1 })
      assert.error_matches(function() sim:advance_to(1) end, "not here")
      sim:advance_to(1)
      assert.same({ 0.3, 0.31, 0.32, 0.33 }, seen)
    end
  end)

  it("without isolation fire together at the end of the step", function()
    local seen = {}
    local function e(root) return { witness = function(ctx) return ctx.x - root end,
      publish = function(ctx) seen[#seen + 1] = { root, ctx.time } end } end
    local s = saltus.system { name = "s", z = { "x" }, events = { e(0.45), e(0.3), e(0.6) },
      derivatives = function(_, dot) dot.x = 1 end }
    local sim = saltus.simulator(s, { integrator = "runge_kutta3", fixed_step = true, max_step = 0.5,
      isolation = false })
    sim:advance_to(1)
    assert.same({ { 0.45, 0.5 }, { 0.3, 0.5 }, { 0.6, 1 } }, seen)
    assert.is_nil(sim:window())
  end)
end)

describe("two crossings inside a step", function()
  local function dip(ctx) return (ctx.time - 0.5) ^ 2 - 1e-4 end

  it("are both found", function()
    local sim, fired = crossing(dip, nil, { initial_step = 0.9, integrator = "runge_kutta3", fixed_step = true,
      max_step = 1, context_accuracy = 1e-8 })
    sim:advance_to(1)
    near({ 0.49, 0.51 }, fired)
  end)

  it("are not searched without `interior_search`", function()
    local sim, fired = crossing(dip, nil, { integrator = "runge_kutta3", fixed_step = true, max_step = 1,
      context_accuracy = 1e-8, interior_search = false })
    sim:advance_to(1)
    near({}, fired)
    assert.equal(0, sim.stats.searches)
  end)
end)

describe("an event's time", function()
  it("is accurate to the window, and costs no derivative evaluation", function()
    local sim, fired = crossing(function(ctx) return ctx.x - 0.5 end, { kind = "publish" })
    assert.equal(1e-8, sim:window())
    sim:advance_to(1)
    local alone = crossing(function() return 1 end, {})
    alone:advance_to(1)
    near({ 0.5 }, fired, 1e-8)
    assert.equal(0.25, select(2, pcall(function()
      local coarse = crossing(sine, nil, { isolation = 0.25 })
      return coarse:window()
    end)))
  end)

  it("is that of the timed event or the boundary when its root is within the window of it", function()
    local seen = {}
    local s = saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end, events = {
      { witness = function(ctx) return ctx.x - 0.49 end, publish = function(ctx) seen[#seen + 1] = ctx.time end },
      { every = 0.5, offset = 0.5, publish = function(ctx) seen[#seen + 1] = ctx.time end } } }
    saltus.simulator(s, { isolation = 0.05 }):advance_to(0.9)
    assert.same({ 0.5, 0.5 }, seen)
  end)

  it("may be integrated to again", function()
    for _, state in ipairs { "interpolate", "reintegrate" } do
      local sim, fired = crossing(function(ctx) return ctx.x - 0.5 end,
        { rate = function(t) return math.cos(t) end, kind = "unrestricted_update" }, { event_state = state })
      sim:advance_to(2)
      near({ math.asin(0.5) }, fired, 1e-5)
      assert.near(math.sin(fired[1].t), fired[1].x, 1e-5)
      assert.is_true(fired[1].before[1] < fired[1].t)
      assert.near(math.sin(2), sim.context.x, 1e-5)
    end
  end)

  it("is accepted where the way to it is too short to move the state", function()
    local r = require("spec.support.random").new(5)
    local function three(low) return { r:real() * 2 + low, r:real() * 2 + low, r:real() * 2 + low } end
    for _ = 1, 100 do
      local q, v = three(-1), three(-0.6)
      local way = v[1] + v[2] + v[3] > 0 and 1 or -1
      local border = q[1] + q[2] + q[3] + way * r:integer(1, 4) * 0x1p-54
      local sim = saltus.simulator(saltus.system { name = "s", q = { { "q", q } }, v = { { "v", v } },
        derivatives = function(ctx, dot)
          dot.q = ctx.v
          for i = 1, 3 do dot.v[i] = -(i + 1) * ctx.q[i] end
        end,
        events = { { witness = function(ctx) return ctx.q[1] + ctx.q[2] + ctx.q[3] - border end,
          publish = function() end } } },
        { event_state = "reintegrate", integrator = "tsitouras5", accuracy = 1e-6, max_steps_per_call = 3000 })
      assert.equal("reached_boundary_time", sim:advance_to(0.5).reason)
    end
  end)
end)

describe("a guarded witness", function()
  it("is neither evaluated nor armed while its guard is false", function()
    local asked = {}
    local sim, fired = crossing(function(ctx) asked[#asked + 1] = ctx.n return ctx.n > 0 and ctx.x - 2.5 or 0 / 0 end,
      { when = function(ctx) return ctx.n > 0 end })
    sim:advance_to(2)
    assert.equal(0, #asked)
    sim.context.n = 1
    sim:advance_to(3)
    near({ 2.5 }, fired)
    for _, n in ipairs(asked) do assert.equal(1, n) end
  end)
end)

describe("without continuous state", function()
  it("a witness is a function of time over the whole span", function()
    local seen = {}
    local s = saltus.system { name = "s", events = { { witness = function(ctx) return ctx.time - 3.25 end,
      publish = function(ctx) seen[#seen + 1] = ctx.time end } } }
    local sim = saltus.simulator(s)
    sim:advance_to(10)
    assert.equal(1, #seen)
    assert.near(3.25, seen[1], 1e-8)
    assert.equal(2, sim.stats.steps)
  end)
end)

describe("sim:witness(path)", function()
  local function sim_of(more)
    local e = { name = "low", doc = "comes down", witness = function(ctx) return ctx.x - 2 end, direction = "falling" }
    for k, v in pairs(more or {}) do e[k] = v end
    local s = saltus.system { name = "s", z = { { "x", 3 } }, derivatives = function(_, dot) dot.x = -1 end,
      events = { e, { name = "shout", at = "demand" } } }
    local d = saltus.diagram "d"
    d:add(s, "part")
    return saltus.simulator(d)
  end

  it("has description, direction, event, system and value (Drake's WitnessFunction)", function()
    local sim = sim_of { publish = function() end }
    local w = sim:witness "part.low"
    assert.same({ "part.low", "comes down", "falling", "publish", "part", 1 },
      { w.name, w.description, w.direction, w.event, w.system, w:value() })
    assert.equal(0, sim.stats.witness_evaluations)
    sim:advance_to(2)
    assert.near(-1, w:value(), 1e-12)
    assert.equal("witness part.low of part (falling)", tostring(w))
    local bare = sim_of { direction = "none", doc = false or nil }:witness "part.low"
    assert.same({ "none", true }, { bare.direction, bare.event == nil })
  end)

  it("returns what should trigger, half open (D-080, D-081)", function()
    local fires = { falling = { "1 0", "1 -1" }, rising = { "-1 0", "-1 1" },
      crossing = { "1 0", "1 -1", "-1 0", "-1 1" }, none = {} }
    for direction, wanted in pairs(fires) do
      local w, found = sim_of { direction = direction }:witness "part.low", {}
      for _, w0 in ipairs { 1, -1, 0 } do
        for _, w1 in ipairs { 1, 0, -1 } do
          if w:should_trigger(w0, w1) then found[#found + 1] = w0 .. " " .. w1 end
        end
      end
      table.sort(found)
      table.sort(wanted)
      assert.same(wanted, found)
    end
  end)

  it("rejects events without a witness, and raises the witness's own error", function()
    local sim = sim_of { witness = function(ctx) return ctx.x > 2 and 1 or error "my own" end }
    local function message(fn, ...) return tostring(select(2, pcall(fn, ...))) end
    assert.is_truthy(message(sim.witness, sim, "part.lwo"):find('did you mean "part.low"?', 1, true))
    assert.is_truthy(message(sim.witness, sim, "part.shout"):find('"part.shout" has no witness', 1, true))
    local w = sim:witness "part.low"
    assert.equal(1, w:value())
    sim.context.part.x = 1
    assert.is_truthy(message(w.value, w):find("my own", 1, true))
    sim.context.part.x = 3
    assert.equal(1, w:value())
  end)
end)

describe("the witness of a block", function()
  it("describes itself, also where it searches for turning points", function()
    local d = saltus.diagram "d"
    d:add(saltus.blocks.sine { amplitude = 1, frequency = 1 }, "wave")
    d:add(saltus.blocks.maximum {}, "top")
    d:connect("wave", "top")
    local sim = saltus.simulator(d)
    local w = sim:witness "top.turns"
    assert.same({ "turning", "top", false }, { w.direction, w.system, w:should_trigger(1, -1) })
    assert.equal("rising", sim:witness("top.emerges").direction)
  end)
end)
