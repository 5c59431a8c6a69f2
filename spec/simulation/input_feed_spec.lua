-- Mirrors lua/saltus/simulation/input_feed.lua and src/engine/feed.c: inputs that a host feeds are straight lines in
-- time.
local saltus = require "saltus"
local fails = require "spec.support.fails"

-- A hand that is fed, and what others make of it; `seen` lists times and values.
local function hand(more)
  local spec = { name = "hand", inputs = { x = 0 }, z = { { "sum", 0 } },
    derivatives = function(ctx, dot) dot.sum = ctx.x end }
  for key, value in pairs(more or {}) do spec[key] = value end
  return saltus.system(spec)
end

local function in_diagram(system, options)
  local d = saltus.diagram "d"
  d:add(system)
  return saltus.simulator(d, options)
end

local function falls_below(level, seen)
  return { { name = "low", direction = "falling", witness = function(ctx) return ctx.x - level end,
    publish = function(ctx) seen[#seen + 1] = { ctx.time, ctx.x } end } }
end

local function on_line(t0, x0, t1, x1, t) return t >= t1 and x1 or x0 + (x1 - x0) * (t - t0) / (t1 - t0) end

local samples = { { 0.1, 1 }, { 0.2, 0.4 }, { 0.3, 0.1 } }

local function feed_samples(sim)
  for _, s in ipairs(samples) do
    sim:feed("hand.x", s[1], s[2])
    sim:advance_to(s[1])
  end
end

describe("a host's samples", function()
  it("are crossed between them, once", function()
    local seen = {}
    local sim = in_diagram(hand { events = falls_below(0.25, seen) })
    feed_samples(sim)
    assert.equal(1, #seen)
    assert.near(0.25, seen[1][1], sim:window())
    assert.near(0.25, seen[1][2], 1e-8)
    local trapezoids = 0.1 * (0 + 1) / 2 + 0.1 * (1 + 0.4) / 2 + 0.1 * (0.4 + 0.1) / 2
    assert.near(trapezoids, sim.context.hand.sum, 1e-12)
  end)

  it("are crossed behind a block and a delay, long after they were fed, also in a run that was saved", function()
    local d, seen = saltus.diagram "d", {}
    d:add(saltus.blocks.gain { gain = 1 })
    d:add(saltus.blocks.delay { delay = 5 })
    d:add(hand { events = falls_below(0.5, seen) })
    d:connect("gain", "delay.input")
    d:connect("delay.output", "hand")
    local sim = saltus.simulator(d)
    sim.context.gain.input = 0
    sim:advance_to(1)
    sim:feed("gain.input", 1.01, 1)
    sim:advance_to(1.01)
    sim:feed("gain.input", 1.02, 0)
    sim:advance_to(1.02)
    local other = sim:clone()
    for _, run in ipairs { sim, other } do
      run:advance_to(20)
      assert.near(0.01, run.context.hand.sum, 1e-9)
    end
    assert.equal(2, #seen)
    assert.near(6.015, seen[1][1], 1e-9)
    assert.equal(sim:hash(), other:hash())
  end)

  it("are crossed in a part without state, and after blocks that otherwise never change", function()
    local seen = {}
    local d = saltus.diagram "d"
    local low = saltus.system { name = "low", inputs = { x = 0 }, events = falls_below(0.5, seen) }
    d:add(saltus.blocks.gain { gain = 2 }, "double")
    d:add(low)
    d:connect("double", "low")
    d:export_input("x", "double.input")
    local sim = saltus.simulator(d)
    sim.context.x = 0
    for _, s in ipairs(samples) do
      sim:feed("x", s[1], s[2])
      sim:advance_to(s[1])
    end
    assert.equal(1, #seen)
    assert.near(0.25, seen[1][1], 1e-8)
  end)

  it("are crossed there and back within one line", function()
    local seen = {}
    local bump = saltus.system { name = "bump", inputs = { x = 0 }, events = { {
      name = "in_band", witness = function(ctx) return 0.15 - math.max(0, 0.16 - (ctx.x - 0.5) ^ 2) end, -- flat outside
      publish = function(ctx) seen[#seen + 1] = ctx.x end } } }
    local sim = saltus.simulator(bump)
    sim:feed("x", 1, 1)
    sim:advance_to(1)
    assert.equal(2, #seen)
    assert.near(0.4, seen[1], 1e-8)
    assert.near(0.6, seen[2], 1e-8)
  end)

  it("move a derivative that reads them through an otherwise constant output", function()
    local d = saltus.diagram "d"
    d:add(saltus.blocks.gain { gain = 3 }, "triple")
    d:add(saltus.blocks.integral {}, "sum")
    d:connect("triple", "sum")
    d:export_input("x", "triple.input")
    local sim = saltus.simulator(d)
    sim.context.x = 0
    sim:feed("x", 2, 1)
    sim:advance_to(2)
    assert.near(3, sim.context.sum.output, 1e-12)
  end)
end)

describe("a feed", function()
  it("is constant from its end on, where a step ends without an event", function()
    local ends = {}
    local sim = in_diagram(hand { events = { { name = "step", at = "step",
      publish = function(ctx) ends[ctx.time] = ctx.x end } } })
    sim:feed("hand.x", 1, 3)
    sim:advance_to(2)
    assert.equal(3, sim.context.hand.x)
    assert.equal(3, ends[1])
    assert.equal(0, sim.stats.discrete_updates + sim.stats.unrestricted_updates)
    assert.near(4.5, sim.context.hand.sum, 1e-12)
  end)

  it("ends a step without a new step size", function()
    local function ideal(feed_to)
      local sim = in_diagram(hand { z = { { "s", 0 }, { "c", 1 } },
        derivatives = function(ctx, dot) dot.s, dot.c = ctx.c, -ctx.s end })
      if feed_to then sim:feed("hand.x", feed_to, 1) end
      sim:advance_to(0.3)
      return sim.integrator:get_ideal_next_step_size(), sim.stats.steps
    end
    local plain, steps = ideal()
    local fed, more = ideal(0.3 - 1e-3)
    assert.near(plain, fed, 0.5 * plain)
    assert.is_true(more <= steps + 2)
  end)

  it("is read on its line by handlers, samples, logs, before, state_at and the context", function()
    local seen = {}
    local function note(ctx) seen[#seen + 1] = { ctx.time, ctx.x } end
    local sim = saltus.simulator(hand { outputs = { twice = function(ctx) return 2 * ctx.x end },
      discrete = { "n" }, events = {
        { name = "sample", every = 0.3, offset = 0.15, publish = note },
        { name = "count", every = 0.25, offset = 0.25, discrete_update = function(ctx, next)
          note(ctx)
          next.n = ctx.x
        end },
        { name = "half", witness = function(ctx) return ctx.x - 0.5 end, publish = function(ctx, event)
          note(ctx)
          note(event.before)
        end } } })
    local log = saltus.log(sim, { "x", "twice", every = 0.1 })
    sim:feed("x", 1, 1)
    sim:advance_to(0.7)
    assert.near(0.7, sim.context.x, 1e-15)
    assert.near(0.65, sim:state_at(0.65).x, 1e-15)
    assert.near(1.3, sim:state_at(0.65).twice, 1e-15)
    sim:advance_to(2)
    assert.is_true(#seen >= 11)
    for _, s in ipairs(seen) do assert.near(on_line(0, 0, 1, 1, s[1]), s[2], 1e-15) end
    for i, t in ipairs(log.time) do
      assert.near(on_line(0, 0, 1, 1, t), log.x[i], 1e-15)
      assert.near(2 * on_line(0, 0, 1, 1, t), log.twice[i], 1e-15)
    end
    assert.equal(21, #log)
  end)

  it("again begins at the value of the line, without a jump", function()
    local ends = {}
    local sim = in_diagram(hand { events = { { name = "step", at = "step",
      publish = function(ctx) ends[#ends + 1] = { ctx.time, ctx.x } end } } }, { max_step = 0.01 })
    sim:feed("hand.x", 1, 1)
    sim:advance_to(0.5)
    assert.equal(0.5, sim.context.hand.x)
    sim:feed("hand.x", 0.7, 2)
    assert.equal(0.5, sim.context.hand.x)
    sim:advance_to(2)
    for _, e in ipairs(ends) do
      assert.near(e[1] <= 0.5 and e[1] or on_line(0.5, 0.5, 0.7, 2, e[1]), e[2], 1e-14)
    end
    assert.near(0.125 + 0.25 + 2.6, sim.context.hand.sum, 1e-12)
  end)

  it("again does not change the last step for state_at", function()
    for _, integrator in ipairs { "tsitouras5", "dormand_prince8" } do
      local sim = in_diagram(hand(), { integrator = integrator })
      sim:feed("hand.x", 1, 1)
      sim:advance_to(0.5)
      sim:feed("hand.x", 0.7, 2)
      local then_ = sim:state_at(0.45)
      assert.near(0.45, then_.hand.x, 1e-15)
      assert.near(0.45 ^ 2 / 2, then_.hand.sum, 1e-12)
    end
  end)

  it("may cross the value of its own corner, and be crossed where the next line begins", function()
    local seen = {}
    local sim = in_diagram(hand { events = { { name = "one", witness = function(ctx) return ctx.x - 1 end,
      direction = "rising", publish = function(ctx) seen[#seen + 1] = ctx.time end } } })
    sim:feed("hand.x", 1, 1)
    sim:advance_to(1)
    assert.same({ 1 }, seen)
    sim:feed("hand.x", 2, 0)
    sim:advance_to(2)
    sim:feed("hand.x", 3, 2)
    sim:advance_to(4)
    assert.equal(2, #seen)
    assert.near(2.5, seen[2], sim:window())
  end)

  it("again that leads back through a surface just crossed crosses it again", function()
    for _, late in ipairs { 1e-9, 3e-9, 8e-9 } do -- less than the window: the crossing is told where the run is cut
      local seen = {}
      local sim = in_diagram(hand { events = { { name = "pass", witness = function(ctx) return ctx.x - 0.5 end,
        publish = function(ctx) seen[#seen + 1] = ctx.time end } } })
      sim:feed("hand.x", 2, 1)
      sim:advance_to(1 + late)
      assert.same({ 1 + late }, seen)
      sim:feed("hand.x", 2, 0)
      sim:advance_to(2)
      assert.equal(2, #seen)
    end
  end)

  it("is a break of first order for the past of the input", function()
    local system = saltus.system { name = "echo", inputs = { x = 0 }, z = { { "sum", 0 } }, past = { x = 0.3 },
      derivatives = function(ctx, dot) dot.sum = ctx.past.x(0.3) end }
    local ends = {}
    local sim = saltus.simulator(system)
    sim.monitor = function(ctx) ends[#ends + 1] = ctx.time end
    sim:feed("x", 0.2, 1)
    sim:advance_to(0.2)
    sim:feed("x", 0.4, 0)
    sim:advance_to(1)
    assert.near(0.2, sim.context.sum, 1e-12) -- the triangle, delayed whole
    for _, corner in ipairs { 0.3, 0.5, 0.7 } do
      local near = math.huge
      for _, t in ipairs(ends) do near = math.min(near, math.abs(t - corner)) end
      assert.near(0, near, 1e-15)
    end
  end)

  it("is ended by a write, which is a jump", function()
    for _, value in ipairs { 5, 0.5 } do -- the second is its value then
      local sim = in_diagram(hand())
      sim:feed("hand.x", 1, 1)
      sim:advance_to(0.5)
      sim.context.hand.x = value
      assert.equal(value, sim.context.hand.x)
      sim:advance_to(1)
      assert.equal(value, sim.context.hand.x)
      assert.near(0.125 + 0.5 * value, sim.context.hand.sum, 1e-12)
    end
  end)

  it("is ended by initialize, but not by an advance that initializes", function()
    local sim = in_diagram(hand())
    sim:feed("hand.x", 1, 1)
    sim:advance_to(0.5)
    sim:initialize()
    sim:advance_to(1)
    assert.equal(0.5, sim.context.hand.x)
  end)

  it("continues after an advance that failed and is repeated", function()
    local broken = true
    local sim = in_diagram(hand { derivatives = function(ctx, dot)
      if broken and ctx.time > 0.6 then error "not yet" end
      dot.sum = ctx.x
    end }, { integrator = "runge_kutta4", fixed_step = true, max_step = 0.25 })
    sim:feed("hand.x", 1, 1)
    fails("not yet", sim.advance_to, sim, 2)
    assert.equal(0.5, sim.context.hand.x)
    broken = false
    sim:advance_to(2)
    assert.equal(1, sim.context.hand.x)
    assert.near(1.5, sim.context.hand.sum, 1e-12)
  end)

  it("of a vector moves all its elements", function()
    local sim = saltus.simulator(saltus.system { name = "hand", inputs = { r = { 0, 1, 2 } },
      z = { { "sum", size = 3 } }, derivatives = function(ctx, dot) dot.sum = ctx.r end })
    sim:feed("r", 2, { 1, 1, -2 })
    sim:advance_to(1)
    assert.same({ 0.5, 1, 0 }, sim.context.r)
    sim.context["r[2]"] = 4 -- the others stay where they are
    sim:advance_to(3)
    assert.same({ 0.5, 4, 0 }, sim.context.r)
    for i, area in ipairs { 0.25 + 1, 1 + 8, 1 } do assert.near(area, sim.context.sum[i], 1e-12) end
  end)

  it("ends where the run stops within a few ulp of it", function()
    local sim = in_diagram(hand())
    sim:feed("hand.x", 0.3, 1)
    sim:advance_to(0.1 + 0.2) -- an ulp later
    assert.equal(1, sim.context.hand.x)
    sim:feed("hand.x", 0.6 + 0x1p-52, 0)
    sim:advance_to(0.6)
    assert.near(0, sim.context.hand.x, 1e-14)
    local steps = sim.stats.steps
    sim:advance_to(0.7)
    assert.equal(0, sim.context.hand.x)
    assert.is_true(sim.stats.steps - steps <= 2)
  end)
end)

describe("a run inside of a feed", function()
  local function at_half()
    local seen = {}
    local sim = in_diagram(hand { events = falls_below(0.2, seen) })
    sim.context.hand.x = 1
    sim:feed("hand.x", 1, 0)
    sim:advance_to(0.5)
    return sim, seen
  end

  it("is saved, loaded and cloned, and continues to the same hash", function()
    local sim, seen = at_half()
    local saved, hash = sim:save(), sim:hash()
    local other = in_diagram(hand { events = falls_below(0.2, seen) })
    other:load(saved)
    assert.equal(hash, other:hash())
    local clone = sim:clone()
    for _, t in ipairs { 0.75, 2 } do
      for _, s in ipairs { sim, other, clone } do
        s:advance_to(t)
        assert.near(t < 1 and 1 - t or 0, s.context.hand.x, 1e-15)
        assert.equal(sim:hash(), s:hash())
      end
    end
    assert.equal(3, #seen)
    sim:load(saved)
    assert.equal(0.5, sim.context.hand.x)
    sim:advance_to(0.75)
    sim:advance_to(2)
    assert.equal(clone:hash(), sim:hash())
  end)

  it("has another hash than a run whose input is constant", function()
    local sim = at_half()
    local fed = sim:hash()
    sim.context.hand.x = 0.5
    assert.not_equal(fed, sim:hash())
  end)
end)
