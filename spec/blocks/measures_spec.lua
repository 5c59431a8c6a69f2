-- The other measures of Simbody as blocks: extremes, derivatives, samples; against exact solutions.
-- Mirrors src/blocks/running_extreme.c, differentiate.c, edge_detector.c (sample_and_hold), transport_delay.c.
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

describe("transport_delay", function()
  local function pipe(options, sources, stop, run)
    options.length = options.length or 2
    return fed(blocks.transport_delay(options), sources, stop, run)
  end

  it("is a delay by length / speed when the speed does not change", function()
    local sim, context = pipe({ history = 5 }, { input = of_time(math.sin), speed = blocks.constant { value = 4 } })
    sim:advance_to(0.4)
    assert.equal(5, context.output)
    sim:advance_to(3)
    assert.near(math.sin(2.5), context.output, 1e-6)
  end)

  it("follows a speed that varies", function()
    -- moved(t) = t + t^2 / 2, so what leaves at t came in at s with s + s^2 / 2 = t + t^2 / 2 - 2.
    local sim, context = pipe({ max_delay = 3 },
      { input = of_time(math.cos), speed = of_time(function(t) return 1 + t end) })
    for _, t in ipairs { 1.3, 2, 3.7, 6 } do
      sim:advance_to(t)
      local goal = t + t * t / 2 - 2
      assert.near(goal < 0 and 1 or math.cos(math.sqrt(1 + 2 * math.max(goal, 0)) - 1), context.output, 1e-6)
    end
  end)

  it("delivers a jump at its time, and conserves the integral of speed times content", function()
    local speed = of_time(function(t) return 1 + t end)
    local area = integrated(blocks.transport_delay { length = 2, max_delay = 3 },
      { input = blocks.step { time = 0.5, before = 0, after = 1 }, speed = speed }, 3)
    local arrives = math.sqrt(1 + 2 * (0.5 + 0.5 ^ 2 / 2 + 2)) - 1
    assert.near(3 - arrives, area, 1e-8)
  end)

  it("is read by closures in steps that are longer than the time in the pipe", function()
    for _, compile in ipairs { true, false } do
      local d = saltus.diagram "d"
      d:add(blocks.transport_delay { length = 0.5 }, "pipe")
      d:add(blocks.clock {})
      d:add(blocks.time_table { times = { 0, 1 }, values = { 1, 2 }, between = "stairs" }, "speed")
      d:add(saltus.system { name = "basin", inputs = { "u" }, z = { "x" }, compile = compile,
        derivatives = function(ctx, dot) dot.x = ctx.u end })
      d:connect("clock", "pipe.input")
      d:connect("speed", "pipe.speed")
      d:connect("pipe.output", "basin")
      local sim = saltus.simulator(d)
      sim:advance_to(4)
      -- 0 until 0.5, from there a ramp, twice as steep from 1 to 1.25
      assert.near(0.5 ^ 2 / 2 + 0.25 * (0.5 + 1) / 2 + (3.75 ^ 2 - 1) / 2, sim.context.basin.x, 1e-5)
    end
  end)

  it("delivers each pulse once, wherever rounding puts it", function()
    local d, seen = saltus.diagram "d", {}
    d:add(blocks.pulse { period = 0.49582592869435571, width = 0.063600310126075685, offset = 1.7114978417832445 })
    d:add(blocks.time_table { between = "stairs",
      times = { 0, 0.55527064361630241, 7.0169500350011269, 11.130964150140336, 12.685884482106916,
        16.252868447449977 },
      values = { 1.7538049877575259, 0.44121698347223204, 0.40928556106270153, 0.97599740964621207,
        1.7802418122736294, 1.5686147472038663 } }, "speed")
    d:add(blocks.transport_delay { length = 1.8441937690241508 }, "pipe")
    d:add(saltus.system { name = "basin", inputs = { "u" }, z = { "x" },
      derivatives = function(ctx, dot) dot.x = ctx.u end, events = {
        { name = "over", becomes = function(ctx) return ctx.u > 0.5 end,
          publish = function(ctx) seen[#seen + 1] = ctx.time end },
      } })
    d:connect("pulse", "pipe.input")
    d:connect("speed", "pipe.speed")
    d:connect("pipe.output", "basin")
    for _, method in ipairs { "runge_kutta5", "tsitouras5", "radau5" } do
      seen = {}
      saltus.simulator(d, { integrator = method, accuracy = 1e-9 }):advance_to(18)
      for i = 2, #seen do assert.is_true(seen[i] - seen[i - 1] > 0.1) end
    end
  end)

  it("waits while the flow is zero", function()
    local sim, context = pipe({}, { input = of_time(function(t) return t end),
      speed = blocks.pulse { period = 2, width = 1, high = 2 } })
    sim:advance_to(2.5) -- moved 3: what leaves came in when it was 1, at 0.5
    assert.near(0.5, context.output, 1e-6)
    sim:advance_to(3.9) -- it stands at 4: from 1, when it stopped, or any time until 2
    assert.is_true(context.output >= 1 - 1e-6 and context.output <= 2 + 1e-6)
  end)

  it("allows the flow to reverse, and what came in leaves on the same side", function()
    -- speed cos t: moved = sin t, never 2: nothing gets through; what comes back at the near end is what went in
    -- there when moved was the same, at pi - t.
    local sim, context = pipe({ both_ways = true, history = 9 }, { input = of_time(function(t) return t end),
      input_back = of_time(function(t) return -t end), speed = of_time(math.cos) })
    sim:advance_to(1)
    assert.equal(9, context.output)
    assert.near(1, context.output_back, 1e-6)
    sim:advance_to(2.5)
    assert.near(math.pi - 2.5, context.output_back, 1e-6)
    assert.near(-2.5, context.output, 1e-6)
    sim:advance_to(3 * math.pi / 2 + 0.5) -- what came in at the far end at pi / 2 + ... leaves there again
    assert.near(-(3 * math.pi / 2 - 0.5), context.output, 1e-6)
  end)

  it("loses little of a sharp front that turns again and again", function()
    local d = saltus.diagram "tracer"
    local function speed(t) return 1.298 + 2.801 * math.sin(3.096 * t) end
    d:add(of_time(speed), "speed")
    d:add(blocks.pulse { period = 100, width = 0.9, offset = 0.3 }, "tracer")
    d:add(blocks.constant { value = 0 }, "clear")
    d:add(blocks.transport_delay { length = 1.5, both_ways = true }, "pipe")
    d:connect("tracer", "pipe.input")
    d:connect("clear", "pipe.input_back")
    d:connect("speed", "pipe.speed")
    for port, name in pairs { output = "out", output_back = "into" } do
      d:add(blocks.product { factors = "**" }, name .. "_rate")
      d:add(blocks.integral {}, name)
      d:connect("speed", name .. "_rate.input1")
      d:connect("pipe." .. port, name .. "_rate.input2")
      d:connect(name .. "_rate", name)
    end
    local sim = saltus.simulator(d)
    sim:advance_to(12)
    assert.is_true(sim.context.into.output > 0.5, tostring(sim.context.into.output))
    assert.near(sim.context.into.output, sim.context.out.output, 5e-3)
  end)

  it("rejects a delay that is longer than its record, and a pipe without length", function()
    fails("longer than its recorded past", integrated, blocks.transport_delay { length = 2, max_delay = 0.5 },
      { input = of_time(math.sin), speed = blocks.constant { value = 1 } }, 4)
    fails('option "length" must be greater than 0', blocks.transport_delay, { length = 0 })
  end)

  it("is rolled back with its contents", function()
    local sim, context = pipe({ max_delay = 5 }, { input = blocks.pulse { period = 0.3, width = 0.1 },
      speed = of_time(function(t) return 1 + 0.5 * math.sin(t) end) }, 4)
    local saved = sim:save()
    sim:advance_to(7)
    local value, hash = context.output, sim:hash()
    sim:load(saved)
    sim:advance_to(7)
    assert.equal(value, context.output)
    assert.equal(hash, sim:hash())
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
