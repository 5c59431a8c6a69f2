-- Running extremes end steps where their input overtakes what is held, and where it turns. Mirrors
-- src/blocks/running_extreme.c and src/engine/witness/turning_point.c; measures_spec.lua has what the blocks are.
local saltus = require "saltus"
local bench = require "spec.support.bench"
local cases = require "spec.support.cases"
local blocks = saltus.blocks
local integrated, of_time = bench.integrated, bench.of_time

local merits = {
  maximum = function(x) return x end,
  minimum = function(x) return -x end,
  max_abs = math.abs,
  min_abs = function(x) return -math.abs(x) end,
}
local kinds = { "maximum", "minimum", "max_abs", "min_abs" }

-- A zero of f between a and b, where its signs differ: the last double before which it has that of a.
local function zero(f, a, b)
  local positive = f(a) > 0
  while true do
    local middle = a + (b - a) / 2
    if middle <= a or middle >= b then return b end
    if (f(middle) > 0) == positive then a = middle else b = middle end
  end
end

-- A sum of sines: itself, its derivative, its integral.
local function sines(of, rate, phase)
  local function sum(term)
    return function(t)
      local s = 0
      for i = 1, #of do s = s + term(of[i], rate[i], rate[i] * t + phase[i]) end
      return s
    end
  end
  return sum(function(a, _, x) return a * math.sin(x) end), sum(function(a, w, x) return a * w * math.cos(x) end),
    sum(function(a, w, x) return -a / w * math.cos(x) end)
end

-- The same as states, with as many last digits cut off as adding `coarse` does.
local function oscillators(of, rate, phase, coarse)
  local q, v = {}, {}
  for i = 1, #of do q[i], v[i] = of[i] * math.sin(phase[i]), of[i] * rate[i] * math.cos(phase[i]) end
  return saltus.system { name = "oscillators", q = { { "q", q } }, v = { { "v", v } },
    outputs = { y = function(ctx) return ctx.q[1] + ctx.q[2] + ctx.q[3] + coarse - coarse end },
    derivatives = function(ctx, dot)
      dot.q = ctx.v
      dot.v = { -rate[1] ^ 2 * ctx.q[1], -rate[2] ^ 2 * ctx.q[2], -rate[3] ^ 2 * ctx.q[3] }
    end }
end

local function random_sines()
  local of, rate, phase = {}, {}, {}
  for i = 1, 3 do of[i], rate[i], phase[i] = 0.3 + math.random(), 0.5 + 3 * math.random(), 6.28 * math.random() end
  local f, derivative, antiderivative = sines(of, rate, phase)
  return f, derivative, antiderivative, function(coarse) return oscillators(of, rate, phase, coarse) end
end

-- Between them f, which ends at `stop`, is monotone and has one sign.
local function marks_of(f, rate, stop)
  local marks, pieces = { 0 }, 1000
  for i = 1, pieces do
    local a, b = (i - 1) * stop / pieces, i * stop / pieces
    for _, g in ipairs { f, rate } do
      if (g(a) > 0) ~= (g(b) > 0) then marks[#marks + 1] = zero(g, a, b) end
    end
  end
  marks[#marks + 1] = stop
  table.sort(marks)
  return marks
end

-- The last extreme of f, when it was, the integral of the running one, how often f overtook it and turned.
local function exactly(f, antiderivative, merit, marks)
  local nearest = merit(1) == -1 and merit(-1) == -1 -- which ends at zero
  local best, at, area, overtakes, turns, leads = f(0), 0, 0, 0, 0, false
  for i = 2, #marks do
    local a, b = marks[i - 1], marks[i]
    local from = b
    if merit(f(b)) > merit(best) and not (nearest and best == 0) then
      from = leads and a or merit(f(a)) < merit(best) and
        zero(function(t) return merit(f(t)) - merit(best) end, a, b) or a
      overtakes = overtakes + (leads and 0 or 1)
      leads = true
    elseif leads then
      leads, turns = false, turns + 1
    end
    area = area + best * (from - a) + (leads and antiderivative(b) - antiderivative(from) or 0)
    if leads then best, at = f(b), b end
    if nearest and math.abs(best) < 1e-13 then best = 0 end
  end
  return { value = best, at = at, area = area, overtakes = overtakes, turns = turns }
end

local function count(log, pattern)
  local n = 0
  for _, event in ipairs(log.events) do
    if event.name:find(pattern) then n = n + 1 end
  end
  return n
end

-- The block, its integral, and a source; run to `stop`.
local function watched(block, source, stop, options)
  local d = saltus.diagram "watched"
  d:add(block, "block")
  d:add(blocks.integral {}, "area")
  d:add(source, "source")
  d:connect("block.output", "area")
  d:connect("source", "block.input")
  local sim = saltus.simulator(d, options)
  local log = saltus.log(sim, {})
  sim:advance_to(stop)
  return sim, log
end

describe("running extremes end steps at their corners:", function()
  it("the integral of one has the requested accuracy, for all accuracies and methods", function()
    local function f(t) return t * math.sin(t) end
    local function rate(t) return math.sin(t) + t * math.cos(t) end
    local want = exactly(f, function(t) return math.sin(t) - t * math.cos(t) end, merits.maximum,
      marks_of(f, rate, 8.5)).area
    for _, method in ipairs { "tsitouras5", "dormand_prince8", "runge_kutta5" } do
      for k = 1, cases(81) do
        local accuracy = 10 ^ (-5 - (k - 1) / 40)
        local area = integrated(blocks.maximum {}, { input = of_time(f) }, 8.5,
          { integrator = method, accuracy = accuracy, max_step = math.huge })
        assert.near(want, area, 20 * accuracy, method .. " at " .. accuracy)
      end
    end
  end)

  it("find all extremes of sums of sines to 1e-9, each corner once, and their integrals", function()
    math.randomseed(20)
    for _ = 1, cases(25) do
      local f, rate, antiderivative = random_sines()
      local marks = marks_of(f, rate, 12)
      for _, kind in ipairs(kinds) do
        local want = exactly(f, antiderivative, merits[kind], marks)
        local sim, log = watched(blocks[kind] { when = true }, of_time(f), 12, { max_step = math.huge })
        local context = sim.context
        assert.near(want.value, context.block.output, 1e-9)
        assert.near(want.at, context.block.when, 1e-6)
        assert.near(want.area, context.area.output, 1e-3)
        local at_zero = want.value == 0 and 1 or 0 -- which the nearest one emerges at, it does not turn
        assert.equal(want.turns - at_zero, count(log, "turns"))
        assert.equal(want.overtakes + at_zero, count(log, "emerges"))
      end
    end
  end)

  it("find all extremes of states with flat tops", function()
    math.randomseed(4)
    for _ = 1, cases(12) do
      local f, rate, antiderivative, states = random_sines()
      local marks = marks_of(f, rate, 12)
      for _, method in ipairs { "tsitouras5", "dormand_prince8", "runge_kutta5" } do
        local want = exactly(f, antiderivative, merits.maximum, marks)
        local options = { accuracy = 1e-8, integrator = method, max_step = math.huge }
        local sim, log = watched(blocks.maximum {}, states(0), 12, options)
        assert.near(want.value, sim.context.block.output, 1e-6)
        assert.near(want.area, sim.context.area.output, 1e-6)
        assert.equal(want.turns, count(log, "turns"))
        assert.equal(want.overtakes, count(log, "emerges"))
        local rough, rough_log = watched(blocks.maximum {}, states(2 ^ 23), 12, options)
        assert.near(want.value, rough.context.block.output, 2e-6)
        assert.is_true(count(rough_log, "emerges") <= 8 * (want.overtakes + 1))
      end
    end
  end)

  it("every element by itself", function()
    local rate = { 1, 1.7, 2.9 }
    local d = saltus.diagram "oscillators"
    d:add(saltus.system {
      name = "oscillators", q = { { "r", { 0.3, -0.5, 0.8 } } }, v = { { "s", { 0.4, 1, -1 } } },
      outputs = { { "out", function(ctx) return ctx.r end, size = 3 } },
      derivatives = function(ctx, dot)
        dot.r = ctx.s
        dot.s = { -rate[1] ^ 2 * ctx.r[1], -rate[2] ^ 2 * ctx.r[2], -rate[3] ^ 2 * ctx.r[3] }
      end,
    }, "all")
    for _, kind in ipairs(kinds) do
      d:add(blocks[kind] { size = 3 }, kind)
      d:connect("all.out", kind)
    end
    local sim = saltus.simulator(d, { accuracy = 1e-8 })
    sim:advance_to(9)
    for i, start in ipairs { { 0.3, 0.4 }, { -0.5, 1 }, { 0.8, -1 } } do
      local top = math.sqrt(start[1] ^ 2 + (start[2] / rate[i]) ^ 2)
      assert.near(top, sim.context.maximum.output[i], 1e-6)
      assert.near(-top, sim.context.minimum.output[i], 1e-6)
      assert.near(top, math.abs(sim.context.max_abs.output[i]), 1e-6)
      assert.equal(0, sim.context.min_abs.output[i])
    end
  end)

  it("have the derivative of their output", function()
    local f, rate = sines({ 1, 0.6 }, { 1, 2.3 }, { 0, 1 })
    for _, kind in ipairs { "maximum", "minimum" } do -- the others may jump to the other side of zero
      for _, method in ipairs { "tsitouras5", "dormand_prince8" } do
        local d = saltus.diagram "rates"
        d:add(blocks[kind] { rate = true }, "block")
        d:add(blocks.integral { initial = f(0) }, "area")
        d:add(of_time(f), "input")
        d:add(of_time(rate), "input_rate")
        d:connect("block.rate", "area")
        d:connect("input", "block.input")
        d:connect("input_rate", "block.input_rate")
        local sim = saltus.simulator(d, { accuracy = 1e-6, integrator = method })
        sim:advance_to(9)
        assert.near(sim.context.block.output, sim.context.area.output, 2e-5)
      end
    end
  end)

  it("between steps a log sees the extreme of all that was before, never less", function()
    math.randomseed(5)
    local f = random_sines()
    for _, kind in ipairs(kinds) do
      local d = saltus.diagram "logged"
      d:add(of_time(f), "source")
      d:add(blocks[kind] {}, "block")
      d:connect("source", "block")
      local sim = saltus.simulator(d, { accuracy = 1e-5 })
      local log = saltus.log(sim, { "block.output", "source.output", every = 1 / 64 })
      sim:advance_to(8)
      local merit, best = merits[kind], -math.huge
      for i = 1, #log.time do
        local u, y = log["source.output"][i], log["block.output"][i]
        assert.is_true(merit(y) >= best and merit(y) >= merit(u))
        if kind ~= "min_abs" then -- what a turn in a 64th of a second may bring
          assert.is_true(merit(y) <= math.max(best, merit(u)) + 2e-3)
        end
        best = merit(y)
      end
    end
  end)

  it("also without isolation, where the past of the input shows the inside of a step", function()
    local top = zero(function(t) return math.sin(t) + t * math.cos(t) end, 7.5, 8.5)
    local by_steps = { fixed_step = true, max_step = 0.1, context_accuracy = false }
    for _, options in ipairs { { isolation = false }, by_steps } do
      local sim, log = watched(blocks.maximum { when = true }, of_time(function(t) return t * math.sin(t) end), 8.5,
        options)
      assert.near(top * math.sin(top), sim.context.block.output, 1e-6)
      assert.near(top, sim.context.block.when, 1e-4)
      assert.equal(0, count(log, "turns"))
    end
  end)
end)

describe("running extremes have no event", function()
  local function events(kind, source, stop)
    local _, log = watched(blocks[kind] {}, source, stop)
    return count(log, "emerges") + count(log, "turns")
  end

  it("on a constant, and one where it is left", function()
    for _, kind in ipairs(kinds) do
      assert.equal(0, events(kind, blocks.constant { value = 0.1 }, 10))
      assert.equal(0, events(kind, of_time(function() return 1 / 3 end), 10))
    end
    local function plateau(t) return t < 3 and math.sin(math.pi / 6 * t) or t < 6 and 1 or 1 + (t - 6) ^ 2 end
    assert.is_true(events("maximum", of_time(plateau), 10) <= 3)
  end)

  it("for the last digits of an extreme", function()
    for _, kind in ipairs(kinds) do
      for _, size in ipairs { 2 ^ -52, 1e-12, 1e-9 } do
        local function jitter(t) return 1 + size * math.sin(1e6 * t) end
        assert.is_true(events(kind, of_time(jitter), cases(10)) <= 12)
      end
    end
  end)

  it("for noise, except about one for each doubling of the samples", function()
    local sim, log = watched(blocks.maximum {}, blocks.noise { period = 0.01 }, 10)
    assert.equal(0, count(log, "emerges") + count(log, "turns"))
    assert.is_true(count(log, "settle") < 30)
    assert.is_true(sim.context.block.output > 2)
  end)
end)

describe("running extremes of a signal that jumps", function()
  -- Between jumps a parabola that begins anew; the jumps at the multiples of 0.7.
  local function source(levels)
    return saltus.system {
      name = "jumps", z = { { "x", levels[1] } }, discrete = { { "k", 1 } },
      outputs = { y = function(ctx) return ctx.x end },
      derivatives = function(ctx, dot) dot.x = math.cos(5 * ctx.time) * 2 end,
      events = { { name = "jump", every = 0.7, offset = 0.7, unrestricted_update = function(ctx, next)
        next.k = ctx.k + 1
        next.x = levels[next.k]
      end } },
    }
  end

  it("include both sides of a jump, and integrate correctly", function()
    math.randomseed(3)
    for _ = 1, cases(5) do
      local levels = {}
      for i = 1, 12 do levels[i] = 4 * math.random() - 2 end
      for _, kind in ipairs(kinds) do
        local merit, best, area = merits[kind], levels[1], 0
        for i = 1, 10 do -- of piece i: level + 0.4 (sin 5t - sin 5t0)
          local t0, t1 = 0.7 * (i - 1), 0.7 * i
          local function f(t) return levels[i] + 0.4 * (math.sin(5 * t) - math.sin(5 * t0)) end
          local n = 400
          for j = 0, n do
            local u = f(t0 + j * (t1 - t0) / n)
            if merit(u) > merit(best) then best = u end
            area = area + best * (t1 - t0) / n * ((j == 0 or j == n) and 0.5 or 1)
          end
        end
        if kind ~= "min_abs" then -- whose zeros lie between the samples of this sum
          local sim = watched(blocks[kind] {}, source(levels), 7, { accuracy = 1e-6 })
          assert.near(best, sim.context.block.output, 1e-5)
          assert.near(area, sim.context.area.output, 5e-3)
        end
      end
    end
  end)

  it("restart at a reset, with the input at that time", function()
    local sim = watched(blocks.maximum {}, source { 0, 3, -1, -1, -1 }, 1)
    assert.equal(3, sim.context.block.output)
    sim:advance_to(1.5)
    sim:demand "block.reset"
    sim:advance_to(1.5)
    assert.equal(sim.context.source.x, sim.context.block.output)
    local before = sim.context.block.output
    sim:advance_to(2)
    assert.is_true(sim.context.block.output >= before)
  end)
end)

describe("runs with running extremes", function()
  it("have the current input before they start", function()
    for _, kind in ipairs(kinds) do
      local d = saltus.diagram "d"
      d:add(blocks[kind] {}, "top")
      d:add(blocks.constant { value = 2 })
      d:connect("constant", "top")
      assert.equal(2, saltus.simulator(d).context.top.output)
    end
  end)

  it("continue to the same bits after save, load, clone and rollback", function()
    math.randomseed(8)
    local f = random_sines()
    for _, kind in ipairs(kinds) do
      local sim = watched(blocks[kind] { when = true }, of_time(f), 0.1, { max_step = math.huge })
      local saved, twins, times = {}, {}, {}
      for i = 1, 12 do
        times[i] = i * 0.77
        saved[i], twins[i] = sim:save(), sim:clone()
        sim:advance_to(times[i])
      end
      local last = sim:hash()
      for i = 1, 12 do
        sim:load(saved[i])
        for j = i, 12 do
          sim:advance_to(times[j])
          twins[i]:advance_to(times[j])
        end
        assert.equal(last, sim:hash())
        assert.equal(last, twins[i]:hash())
      end
    end
  end)
end)
