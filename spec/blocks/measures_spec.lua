-- The other measures of Simbody as blocks: extremes, derivatives, samples; against exact solutions.
-- Mirrors src/blocks/running_extreme.c, differentiate.c, edge_detector.c (sample_and_hold).
local saltus = require "saltus"
local bench = require "spec.support.bench"
local blocks = saltus.blocks
local fed, fails, integrated, of_time = bench.fed, bench.fails, bench.integrated, bench.of_time

-- exp(-0.3 t) sin(5 t), of which all extremes are known: where tan(5 t) = 5 / 0.3.
local function wave(t) return math.exp(-0.3 * t) * math.sin(5 * t) end
local function wave_rate(t) return math.exp(-0.3 * t) * (5 * math.cos(5 * t) - 0.3 * math.sin(5 * t)) end
local first_top = math.atan(5 / 0.3) / 5
local first_low = first_top + math.pi / 5

-- The extreme until t of a merit, from the extremes that are known.
local function extreme_of(merit, t)
  local best = 0
  local candidates = { 0, t }
  for k = 0, 40 do
    if first_top + k * math.pi / 5 <= t then candidates[#candidates + 1] = first_top + k * math.pi / 5 end
    if k * math.pi / 5 <= t then candidates[#candidates + 1] = k * math.pi / 5 end
  end
  for _, s in ipairs(candidates) do
    if merit(wave(s)) > merit(wave(best)) then best = s end
  end
  return wave(best), best
end

local merits = {
  maximum = function(x) return x end,
  minimum = function(x) return -x end,
  max_abs = math.abs,
  min_abs = function(x) return -math.abs(x) end,
}

local function sampled(block, sources, names, stop, options)
  local d = saltus.diagram "sampled"
  d:add(block, "block")
  for name, source in pairs(sources) do
    d:add(source, "to_" .. name)
    d:connect("to_" .. name, "block." .. name)
  end
  names.every = 0.01
  local sim = saltus.simulator(d, options)
  local log = saltus.log(sim, names)
  sim:advance_to(stop)
  return log, sim
end

describe("running extremes", function()
  for name, merit in pairs(merits) do
    it(name .. " is that of all times, between steps and at every sample of a log", function()
      local log = sampled(blocks[name] { when = true }, { input = of_time(wave) }, { "block.output", "block.when" }, 4)
      for i, t in ipairs(log.time) do
        local value, at = extreme_of(merit, t)
        assert.near(value, log["block.output"][i], 2e-6, ("%s at %g"):format(name, t))
        if math.abs(value - wave(t)) > 1e-5 then assert.near(at, log["block.when"][i], 1e-3) end
      end
    end)
  end

  it("are those of a signal that jumps, both sides of the jump", function()
    local function saw(kind)
      local d = saltus.diagram "d"
      d:add(blocks.pulse { period = 1, width = 0.25, high = 3 }, "pulse")
      d:add(blocks.clock {}, "clock")
      d:add(blocks.sum { signs = "+-" }, "sum")
      d:add(blocks[kind] { when = true }, "extreme")
      d:connect("pulse", "sum.input1")
      d:connect("clock", "sum.input2")
      d:connect("sum", "extreme.input")
      local sim = saltus.simulator(d)
      sim:advance_to(1.5)
      return sim.context.extreme
    end
    local low, high = saw "minimum", saw "maximum"
    assert.near(3, high.output, 1e-12)
    assert.near(0, high.when, 1e-12)
    assert.near(-1.5, low.output, 1e-12)
  end)

  it("of a jump downwards is the value just before it", function()
    -- t until 1, then 0 for ever: the input is the extreme up to the very event.
    local d = saltus.diagram "d"
    d:add(blocks.step { time = 1, before = 1, after = 0 }, "gate")
    d:add(blocks.clock {}, "clock")
    d:add(blocks.product { factors = "**" }, "ramp")
    d:add(blocks.maximum { when = true }, "most")
    d:add(blocks.integral {}, "area")
    d:connect("gate", "ramp.input1")
    d:connect("clock", "ramp.input2")
    d:connect("ramp", "most.input")
    d:connect("most.output", "area")
    local sim = saltus.simulator(d)
    sim:advance_to(3)
    assert.near(1, sim.context.most.output, 1e-12)
    assert.near(1, sim.context.most.when, 1e-12)
    assert.near(2.5, sim.context.area.output, 1e-9)
  end)

  it("can be integrated: their corners end steps", function()
    local area = integrated(blocks.maximum {}, { input = of_time(function(t) return t * math.sin(t) end) }, 8.5,
      { max_step = math.huge })
    -- by the fine sum of the exact running maximum
    local top = 0
    local want, n = 0, 200000
    for i = 0, n do
      local t = 8.5 * i / n
      top = math.max(top, t * math.sin(t))
      want = want + top * (8.5 / n) * ((i == 0 or i == n) and 0.5 or 1)
    end
    assert.near(want, area, 2e-5)
  end)

  it("pass the derivative on while the signal is the extreme", function()
    local _, context = fed(blocks.maximum { rate = true },
      { input = of_time(wave), input_rate = of_time(wave_rate) }, 0.2)
    assert.equal(wave_rate(0.2), context.rate)
    local _, later = fed(blocks.maximum { rate = true, when = true },
      { input = of_time(wave), input_rate = of_time(wave_rate) }, 0.5)
    assert.equal(0, later.rate)
    assert.near(wave(first_top), later.output, 1e-6)
    assert.near(first_top, later.when, 1e-3)
  end)

  it("restart on demand", function()
    local sim, context = fed(blocks.maximum { when = true }, { input = of_time(wave) }, 0.5)
    sim:demand "block.reset"
    sim:advance_to(0.5)
    assert.near(wave(0.5), context.output, 1e-12)
    sim:advance_to(0.7)
    assert.near(wave(0.5), context.output, 1e-6)
    sim:advance_to(3)
    assert.near(wave(first_top + 2 * math.pi / 5), context.output, 1e-6)
  end)

  it("restart with the run", function()
    local sim, context = fed(blocks.maximum { when = true }, { input = of_time(wave) }, 1)
    assert.near(wave(first_top), context.output, 1e-6)
    sim.context.time = 0.5
    sim:initialize()
    sim:advance_to(0.7)
    assert.near(wave(0.5), context.output, 1e-6)
    assert.near(0.5, context.when, 1e-12)
  end)

  it("treat each element by itself", function()
    local _, context = fed(blocks.minimum { size = 2 },
      { input = blocks.function_of_time { f = function(t) return { wave(t), -wave(t) } end, size = 2 } }, 3)
    assert.near(wave(first_low), context.output[1], 1e-6)
    assert.near(-wave(first_top), context.output[2], 1e-6)
  end)

  it("cost no event while the signal is the extreme", function()
    local _, _, sim = integrated(blocks.maximum { watch = false }, { input = of_time(math.exp) }, 3,
      { max_step = math.huge })
    assert.equal(1, sim.stats.discrete_updates) -- that of the start
    -- six a step, one for the interpolant's error, two at the start: the step's last is still the next one's first
    assert.is_true(sim.stats.derivative_evaluations <= 7 * sim.stats.steps + 2)
  end)

  it("are saved, loaded and cloned with the run", function()
    local sim, context = fed(blocks.max_abs { when = true }, { input = of_time(wave) }, 0.4)
    local saved, twin = sim:save(), sim:clone()
    sim:advance_to(2)
    local value, at, hash = context.output, context.when, sim:hash()
    twin:advance_to(2)
    assert.equal(hash, twin:hash())
    sim:load(saved)
    sim:advance_to(2)
    assert.same({ value, at, hash }, { context.output, context.when, sim:hash() })
  end)
end)

describe("differentiate", function()
  it("is the derivative, at steps, between them and in the right-hand side", function()
    local log = sampled(blocks.differentiate {}, { input = of_time(wave) }, { "block.output" }, 3)
    for i, t in ipairs(log.time) do
      if t > 0 then assert.near(wave_rate(t), log["block.output"][i], 1e-3) end
    end
    local area = integrated(blocks.differentiate {}, { input = of_time(wave) }, 3)
    assert.near(wave(3), area, 1e-4)
  end)

  it("is right to the fourth order inside of steps, after the first", function()
    local function wrong(step)
      local d = saltus.diagram "d"
      d:add(of_time(wave), "wave")
      d:add(blocks.differentiate {}, "slope")
      d:add(blocks.integral {}, "area")
      d:connect("wave", "slope")
      d:connect("slope", "area")
      local sim = saltus.simulator(d, { fixed_step = true, max_step = step })
      sim:advance_to(1)
      local before = sim.context.area.output - wave(1)
      sim:advance_to(3)
      return math.abs(sim.context.area.output - wave(3) - before)
    end
    assert.is_true(wrong(0.02) < wrong(0.04) / 13, wrong(0.02) / wrong(0.04))
  end)

  it("does not oscillate when steps vary", function()
    local d = saltus.diagram "d"
    d:add(of_time(wave), "wave")
    d:add(blocks.differentiate {}, "slope")
    d:connect("wave", "slope")
    local sim = saltus.simulator(d)
    local t, worst = 0, 0
    for i = 1, 400 do
      t = t + (i % 2 == 0 and 0.001 or 0.012)
      sim:advance_to(t)
      worst = math.max(worst, math.abs(sim.context.slope.output - wave_rate(t)))
    end
    assert.is_true(worst < 1e-4, tostring(worst))
  end)

  it("starts with 0, and restarts after a jump", function()
    local sim, context = fed(blocks.differentiate {}, { input = of_time(function(t) return 2 * t end) })
    sim:initialize()
    assert.equal(0, context.output)
    sim:advance_to(0.5)
    assert.near(2, context.output, 1e-9)
    local area = integrated(blocks.differentiate {}, { input = blocks.step { time = 0.5, before = 0, after = 9 } }, 1)
    assert.near(0, area, 1e-9)
  end)
end)

describe("sample_and_hold", function()
  local function held(options, trigger, stop)
    return fed(blocks.sample_and_hold(options), { input = of_time(math.exp), trigger = trigger }, stop)
  end

  it("holds the value at the last edge, and its time", function()
    local trigger = of_time(function(t) return math.sin(2 * math.pi * t) end)
    for edge, at in pairs { rising = 2, falling = 2.5, either = 2.5 } do
      local _, _, sim = integrated(blocks.sample_and_hold { threshold = 0, edge = edge },
        { input = of_time(math.exp), trigger = trigger }, 2.7)
      assert.near(math.exp(at), sim.context.block.output, 1e-6)
      assert.near(at, sim.context.block.sampled_at, 1e-7)
    end
  end)

  it("sees a trigger that jumps", function()
    local _, context = held({}, blocks.step { time = 0.75, before = 0, after = 1 }, 2)
    assert.equal(math.exp(0.75), context.output)
    assert.equal(0.75, context.sampled_at)
  end)

  it("samples at the start and on demand, or holds a given value until the first edge", function()
    local sim, context = held({ initial = 7 }, blocks.constant { value = 0 }, 1)
    assert.equal(7, context.output)
    sim:demand "block.sample"
    sim:advance_to(1)
    assert.equal(math.exp(1), context.output)
    local _, first = held({}, blocks.constant { value = 0 }, 1)
    assert.equal(1, first.output)
    assert.equal(0, first.sampled_at)
  end)
end)

describe("measures with another name", function()
  it("are documented with it", function()
    local said = {}
    for _, kind in ipairs(require("saltus.blocks").kinds()) do
      for name in (kind.simbody or ""):gmatch "%a+" do said[name] = kind.name end
    end
    for name in ([[Constant Zero One Time Variable Result Sinusoid Plus Minus Scale Integrate Differentiate Minimum
      Maximum MinAbs MaxAbs SampleAndHold Delay]]):gmatch "%a+" do
      assert.is_truthy(said[name], name)
      assert.is_truthy(require("saltus.blocks").help_of(said[name]):find("Measure::", 1, true))
    end
  end)

  it("pass derivatives through: value and rate are two elements of one signal", function()
    local function jet(f, df)
      return blocks.function_of_time { f = function(t) return { f(t), df(t) } end, size = 2 }
    end
    local d = saltus.diagram "jets"
    d:add(jet(wave, wave_rate), "wave")
    d:add(jet(function(t) return t * t end, function(t) return 2 * t end), "square")
    d:add(blocks.sum { signs = "+-", size = 2 }, "minus")
    d:add(blocks.gain { gain = -3, size = 2 }, "scale")
    d:connect("wave", "minus.input1")
    d:connect("square", "minus.input2")
    d:connect("minus", "scale")
    local sim = saltus.simulator(d)
    sim:advance_to(1.5)
    assert.same({ -3 * (wave(1.5) - 2.25), -3 * (wave_rate(1.5) - 3) }, sim.context.scale.output)
  end)

  it("exist as constant (a variable) and as input (a result)", function()
    local sim = saltus.simulator(blocks.constant { value = 29 })
    sim.context.value = 31
    assert.equal(31, sim.context.output)
    local result = saltus.simulator(blocks.pass_through {})
    fails("input", function() return result.context.output end)
    result.context.input = 4
    assert.equal(4, result.context.output)
  end)
end)
