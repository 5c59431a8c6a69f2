-- Pipes: what enters at one end leaves at the other when the flow has moved it so far; against exact solutions.
-- Mirrors src/blocks/transport_delay.c.
local saltus = require "saltus"
local bench = require "spec.support.bench"
local blocks = saltus.blocks
local fed, fails, integrated, of_time = bench.fed, bench.fails, bench.integrated, bench.of_time

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

-- A pipe of length 1, filled with 9. Ahead of it is 2, behind it -1; both outlets are integrated. Speed: 1, from `turn`
-- on -0.5.
local function turning_pipe(turn, start, options)
  local d = saltus.diagram "turning"
  d:add(blocks.transport_delay { length = 1, both_ways = true, history = 9 }, "pipe")
  d:add(blocks.step { time = start + turn, before = 1, after = -0.5 }, "speed")
  d:add(blocks.step { time = start + turn + 0.25, before = 2, after = 3 }, "ahead")
  d:add(blocks.constant { value = -1 }, "behind")
  for port, area in pairs { output = "far", output_back = "near" } do
    d:add(blocks.integral {}, area)
    d:connect("pipe." .. port, area)
  end
  d:connect("speed", "pipe.speed")
  d:connect("ahead", "pipe.input")
  d:connect("behind", "pipe.input_back")
  options.start_time = start
  return saltus.simulator(d, options)
end

local function advance(sim, stop, most)
  local n = 0
  for _ in sim:steps(stop) do
    n = n + 1
    assert.is_true(n <= most, ("%d steps up to %.17g"):format(n, sim.context.time))
  end
end

describe("a pipe in both directions", function()
  it("shows what enters at an end at once, also far from time 0", function()
    for _, start in ipairs { 0, -1e9, 1.7e9 } do
      local sim = turning_pipe(-1, start, { accuracy = 1e-6 })
      sim:initialize()
      assert.same({ -1, 9 }, { sim.context.pipe.output, sim.context.pipe.output_back })
      advance(sim, start + 1.5, 30)
      assert.near(-1.5, sim.context.far.output, 1e-5)
      assert.near(13.5, sim.context.near.output, 1e-5)
      sim = turning_pipe(0.5, start, { accuracy = 1e-6 })
      sim:advance_to(start + 1)
      assert.near(9 * 0.5 - 0.5, sim.context.far.output, 1e-5)
      assert.near(2, sim.context.near.output, 1e-5)
    end
  end)

  it("is smooth for methods that vary one state at a time", function()
    for _, name in ipairs { "rodas4", "radau5" } do
      local sim = turning_pipe(0.5, 0, { integrator = name, accuracy = 1e-6 })
      advance(sim, 1.4, 60)
      assert.near(2 * 1.4, sim.context.near.output, 1e-6)
      assert.near(9 * 0.5 - 0.9, sim.context.far.output, 1e-6)
    end
  end)
end)
