-- Difference equations, x[n+1] = f(n, x, u), y = g(n, x, u): sampled, held, beside what flows.
local saltus = require "saltus"

local h = 0.02

-- S = 0, 10, 20, ...: x+ = x + 1, y = 10 x.
local example = saltus.system { name = "example", discrete = { x = 0 },
  outputs = { y = function(ctx) return 10 * ctx.x end },
  events = { { name = "count", every = h, discrete_update = function(ctx, next) next.x = ctx.x + 1 end } } }

describe("a difference equation", function()
  it("returns the next samples until another view is requested", function()
    local sim = saltus.simulator(saltus.system { name = "s", discrete = { "n" }, z = { "x" },
      derivatives = function(_, dot) dot.x = 1 end,
      events = { { every = 1, discrete_update = function(_, next) next.n = next.n + 1 end } } },
      { integrator = "explicit_euler", max_step = 0.5 })
    sim:advance_to(1)
    local coming = sim:sampled()
    assert.equal(2, coming.n)
    assert.equal(0.75, sim:state_at(0.75).x)
    assert.error_matches(function() return coming.n end,
      "the context that sampled returned at t = 1 is no longer available; copy what you need")
  end)

  it("gives its sequence at the samples, seen before the update (x-)", function()
    local shown = {}
    local sim = saltus.simulator(saltus.system { name = "shown", discrete = { x = 0 },
      outputs = { y = function(ctx) return 10 * ctx.x end },
      events = { { every = h, discrete_update = function(ctx, next) next.x = ctx.x + 1 end },
        { every = h, publish = function(ctx, event) shown[#shown + 1] = { event.count, ctx.y, ctx.time } end } } })
    sim:advance_to(3 * h)
    assert.same({ { 0, 0, 0 }, { 1, 10, h }, { 2, 20, 2 * h }, { 3, 30, 3 * h } }, shown)
    assert.equal(30, sim.context.y) -- x-(3 h): its update is still due
    sim:advance_pending_events()
    assert.equal(40, sim.context.y) -- x+(3 h)
  end)

  it("holds x[n+1] from just after sample n until sample n + 1 (sample and hold at the start of the step)", function()
    local sim = saltus.simulator(example)
    local log = saltus.log(sim, { "y" })
    sim:advance_to(3 * h)
    assert.same({ 0, 10, 10, 20, 20, 30, 30 }, { table.unpack(log.y, 1, #log.y) })
    assert.same({ 0, 0, h, h, 2 * h, 2 * h, 3 * h }, { table.unpack(log.time, 1, #log.time) })
    assert.equal(30, sim:state_at(2.5 * h).y)
  end)

  it("has its step number n, for all offsets", function()
    local seen = {}
    local sim = saltus.simulator(saltus.system { name = "s", discrete = { "x", "n" },
      events = { { every = 0.25, offset = 0.1, discrete_update = function(ctx, next, event)
        next.x, next.n = ctx.x + event.count ^ 2, event.count + 1 -- f(n, x), and n for g
        seen[#seen + 1] = event.count
      end } } })
    sim:advance_to(1)
    assert.same({ 0, 1, 2, 3 }, seen)
    assert.same({ 0 + 1 + 4 + 9, 4 }, { sim.context.x, sim.context.n })
  end)

  it("steps from sample to sample", function()
    local d = saltus.diagram "two"
    d:add(example, "a")
    d:add(saltus.system { name = "b", discrete = { "m" }, inputs = { "u" },
      events = { { every = 0.05, discrete_update = function(ctx, next) next.m = ctx.u end } } })
    d:connect("a.y", "b.u")
    local sim = saltus.simulator(d)
    local times = {}
    for t in sim:steps(1) do times[#times + 1] = t end
    local instants = {}
    for k = 1, 100 do
      if k % 2 == 0 or k % 5 == 0 then instants[#instants + 1] = k end
    end
    assert.equal(#instants, #times)
    for i, k in ipairs(instants) do assert.near(k / 100, times[i], 1e-15) end
    assert.equal(0, sim.stats.derivative_evaluations)
    -- at 0.95 b saw u-, before the update of the sample at 0.96: ceil(0.95 / h) updates of a were done
    assert.equal(10 * 48, sim.context.b.m)
  end)

  it("reads inputs before the updates of its instant, for all orders of the parts", function()
    local delay = saltus.system { name = "delay", discrete = { { "x", 7 } }, inputs = { "u" },
      events = { { every = 1, discrete_update = function(ctx, next) next.x = ctx.u end } } }
    for _, order in ipairs { { "d1", "d2", "d3" }, { "d3", "d1", "d2" }, { "d2", "d3", "d1" } } do
      local d = saltus.diagram "line"
      for _, name in ipairs(order) do d:add(delay, name) end
      d:add(example:with { x = 5 }, "source")
      d:connect("source.x", "d1.u")
      d:connect("d1.x", "d2.u")
      d:connect("d2.x", "d3.u")
      local sim = saltus.simulator(d)
      sim:advance_to(1.5)
      -- samples at 0 and 1: source.x- was 5 at 0, and 55 at 1
      assert.same({ 55, 5, 7 }, { sim.context.d1.x, sim.context.d2.x, sim.context.d3.x })
    end
  end)

  it("may have several groups of state, each with its own updates", function()
    local sim = saltus.simulator(saltus.system { name = "groups",
      discrete = { { "fast", { 0, 0 } }, { "slow", { 1 } } }, events = {
        { every = 0.1, discrete_update = function(ctx, next) next.fast = { ctx.fast[1] + 1, ctx.slow[1] } end },
        { every = 0.5, discrete_update = function(ctx, next) next.slow[1] = ctx.slow[1] + ctx.fast[1] end } } })
    sim:advance_to(0.95)
    assert.same({ { 10, 6 }, { 6 } }, { { sim.context.fast[1], sim.context.fast[2] }, { sim.context.slow[1] } })
  end)
end)

describe("a discrete controller of a continuous plant", function()
  it("reads x- at its sample and holds its output: the exact zero-order-hold recursion", function()
    -- x' = -x + u, u held over h: x[n+1] = e x[n] + (1 - e) u[n], e = exp(-h); u[n] = -2 x[n].
    local step = 0.25
    local plant = saltus.system { name = "plant", z = { { "x", 1 } }, inputs = { "u" },
      derivatives = function(ctx, dot) dot.x = ctx.u - ctx.x end }
    local control = saltus.system { name = "control", inputs = { "x" }, discrete = { "u" },
      events = { { every = step, discrete_update = function(ctx, next) next.u = -2 * ctx.x end } } }
    local d = saltus.diagram "loop"
    d:add(control)
    d:add(plant)
    d:connect("plant.x", "control.x")
    d:connect("control.u", "plant.u")
    local sim = saltus.simulator(d, { accuracy = 1e-11 })
    local e, x = math.exp(-step), 1
    for n = 1, 8 do
      x = e * x + (1 - e) * -2 * x
      sim:advance_to(n * step)
      assert.near(x, sim.context.plant.x, 1e-9)
    end
  end)

  it("may change parameters in unrestricted updates", function()
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, params = { rate = 1 },
      derivatives = function(ctx, dot) dot.x = ctx.rate end,
      events = { { every = 1, offset = 1, unrestricted_update = function(ctx, next) next.rate = 2 * ctx.rate end } } })
    sim:advance_to(3)
    assert.near(1 + 2 + 4, sim.context.x, 1e-9)
    assert.equal(4, sim.context.rate) -- the update of t = 3 is still due
  end)
end)

describe("the one period of a model (D-055)", function()
  local function clock(name, every, offset, kind)
    return saltus.system { name = name, discrete = { "x" }, inputs = { { "u", 1 } }, events = {
      { name = "tick", every = every, offset = offset,
        [kind or "discrete_update"] = function(ctx, next, event) next.x = ctx.x + ctx.u + 10 * event.count end } } }
  end
  local function pair(a, b)
    local d = saltus.diagram "pair"
    d:add(a)
    d:add(b)
    d:connect(a.name .. ".x", b.name .. ".u")
    return d
  end

  it("is returned when all periodic discrete updates share it", function()
    assert.same({ 0.1, 0.05 }, { clock("a", 0.1, 0.05):sampling() })
    assert.same({ 0.1, 0 }, { pair(clock("a", 0.1), clock("b", 0.1)):sampling() })
    assert.same({ 0.1, 0 }, { pair(clock("a", 0.1), clock("b", 0.3, 0, "unrestricted_update")):sampling() })
  end)

  it("is nil when two differ, or nothing is sampled", function()
    assert.same({ nil, '"pair" has no unique period: "a.tick" (every 0.1 s, offset 0 s) and "b.tick" (every 0.2 s, '
      .. "offset 0 s) differ" }, { pair(clock("a", 0.1), clock("b", 0.2)):sampling() })
    assert.matches("no unique period", select(2, pair(clock("a", 0.1), clock("b", 0.1, 0.05)):sampling()))
    assert.same({ nil, '"s" has no periodic discrete update' }, { saltus.system({ name = "s" }):sampling() })
  end)

  it("makes the update a function without side effects", function()
    local sim = saltus.simulator(pair(clock("a", 0.1), clock("b", 0.1)))
    sim:advance_to(0.15) -- n = 0 and 1 were
    local hash, updates = sim:hash(), sim.stats.discrete_updates
    local next = sim:sampled()
    assert.same({ 12, 12 + 1 + 20 }, { sim.context.a.x, next.a.x })
    assert.same({ 1 + 10, 11 + 12 + 20 }, { sim.context.b.x, next.b.x })
    assert.equal(hash, sim:hash())
    assert.equal(updates, sim.stats.discrete_updates)
    local before = next.a.x
    sim:advance_to(0.25)
    assert.equal(before, sim.context.a.x)
  end)

  it("is named in the error when there are two", function()
    local sim = saltus.simulator(pair(clock("a", 0.1), clock("b", 0.2)))
    assert.error_matches(function() sim:sampled() end,
      'sampled: "pair" has no unique period: "a%.tick" .* and "b%.tick"')
  end)

  it("fails as the update fails, and does not change the run", function()
    local sim = saltus.simulator(saltus.system { name = "s", discrete = { "x" }, events = {
      { name = "tick", every = 1, discrete_update = function(_, next) next.x = 5 error "not now" end } } })
    assert.error_matches(function() sim:sampled() end, "not now %(in tick of s at t = 0%)")
    assert.equal(0, sim.context.x)
  end)
end)
