-- Blocks that jump: the jump is an event, whether their input flows or jumps.
local saltus = require "saltus"
local bench = require "spec.support.bench"
local random = require "spec.support.random"
local blocks = saltus.blocks
local fed, of_time, time, integrated = bench.fed, bench.of_time, bench.time, bench.integrated

describe("jumps", function()
  it("relay switches at its levels, and integrates to the exact area", function()
    local area, log = integrated(blocks.relay { lower = -0.5, upper = 0.5, on = 2, off = -1 },
      { input = of_time(math.sin) }, 2 * math.pi)
    local up, down = math.pi / 6, math.pi * 7 / 6
    assert.near(up, log:times "block.switches"[1], 1e-9)
    assert.near(down, log:times "block.switches"[2], 1e-9)
    assert.near(-up + 2 * (down - up) - (2 * math.pi - down), area, 1e-7)
  end)

  it("comparator is the sign of a signal, from its first crossing on", function()
    for _, way in ipairs { 1, -1 } do
      local area = integrated(blocks.comparator { above = 1, below = -1 },
        { input = of_time(function(t) return way * math.sin(t) end) }, 3 * math.pi)
      assert.near(way * math.pi, area, 1e-7)
    end
  end)

  it("blocks with a side notice a jump at a sample at once", function()
    local d = saltus.diagram "d"
    d:add(of_time(function(t) return math.sin(2 * math.pi * t) end), "source")
    d:add(blocks.zero_order_hold { period = 0.1, offset = 0.05 }, "hold")
    d:add(blocks.relay { lower = -0.6, upper = 0.6 }, "relay")
    d:add(blocks.counter { threshold = 0 }, "rises")
    d:add(blocks.counter { threshold = 0, edge = "either", initial = 10 }, "both")
    d:add(blocks.edge_detector { threshold = 0, edge = "falling", width = 0.3 }, "fell")
    d:add(blocks.quantizer { interval = 0.5 }, "stairs")
    for _, name in ipairs { "relay", "rises", "both", "fell", "stairs" } do d:connect("hold", name .. ".input") end
    d:connect("source", "hold")
    local sim = saltus.simulator(d)
    sim:advance_to(0.151)
    assert.equal(1, sim.context.relay.output)
    assert.equal(1, sim.context.stairs.output / 1.0)
    assert.equal(1, sim.context.rises.output)
    sim:advance_to(0.56)
    assert.equal(1, sim.context.fell.output)
    sim:advance_to(0.84)
    assert.equal(1, sim.context.fell.output)
    sim:advance_to(0.86)
    assert.equal(0, sim.context.fell.output)
    sim:advance_to(3.01)
    assert.equal(3, sim.context.rises.output)
    assert.equal(16, sim.context.both.output)
  end)

  it("counter counts every edge of a continuous signal", function()
    local _, _, sim = integrated(blocks.counter { threshold = 0.3 },
      { input = of_time(function(t) return math.sin(7 * t) end) }, 20)
    local expected, t = 0, math.asin(0.3) / 7
    while t < 20 do expected, t = expected + 1, t + 2 * math.pi / 7 end
    assert.equal(expected, sim.context.block.output)
  end)

  it("counter counts an edge once, when a write comes while the edge is due", function()
    for k = 1, 20 do
      local d = saltus.diagram "d"
      d:add(saltus.blocks.sine { frequency = 1 + 0.1 * k, phase = 0.1 }, "source")
      d:add(saltus.blocks.counter { threshold = 0.5 }, "counter")
      d:connect("source", "counter")
      local whole, cut = saltus.simulator(d), saltus.simulator(d)
      local log = saltus.log(whole, { "counter.output" })
      whole:advance_to(10)
      cut:advance_to(log:times("counter.edge")[1])
      cut.context["source.phase"] = 0.1
      cut:advance_to(10)
      assert.equal(whole.context.counter.output, cut.context.counter.output)
    end
  end)

  it("switch passes one of two, by the third", function()
    local area = integrated(blocks.switch { threshold = 0.5 }, { input1 = blocks.constant { value = 3 },
      input2 = blocks.constant { value = 1 }, control = time() }, 1)
    assert.near(2, area, 1e-9)
  end)

  it("quantizer has its steps at the exact values, in flow and when read", function()
    local area, log = integrated(blocks.quantizer { interval = 0.2 }, { input = time() }, 1)
    assert.near(0.2 * 0.2 + 0.4 * 0.2 + 0.6 * 0.2 + 0.8 * 0.2 + 1 * 0.1, area, 1e-9)
    assert.equal(5, #log:times "block.up")
    local rng = random.new(5)
    for _ = 1, 50 do
      local u = 4 * rng:real() - 2
      local quantizer = blocks.quantizer { interval = 0.25, watch = false }
      local _, context = fed(quantizer, { input = blocks.constant { value = u } })
      assert.near(u, context.output, 0.125)
      assert.equal(0, context.output % 0.25)
    end
  end)

  it("wrap_to turns an angle back by whole turns", function()
    local sim, context = fed(blocks.wrap_to {}, { input = time() })
    for _, t in ipairs { 3, 4, 10, 20 } do
      sim:advance_to(t)
      assert.near(math.sin(t), math.sin(context.output), 1e-12)
      assert.is_true(context.output >= -math.pi and context.output <= math.pi)
    end
  end)
end)

-- Several borders at once, at the end of a step: a part upstream may still have the law of its old piece there.
describe("a delayed jump", function()
  local function behind_delay(block, from, to)
    local d = saltus.diagram "d"
    d:add(blocks.step { time = 0.5, before = from, after = to }, "step")
    d:add(blocks.delay { delay = 0.5 }, "delay")
    d:add(block, "block")
    d:connect("step", "delay.input")
    d:connect("delay.output", "block.input")
    return d
  end

  for _, c in ipairs {
    { "quantizer", blocks.quantizer { interval = 1 }, 2.2, -3.2, { 2, -3 } },
    { "wrap_to", blocks.wrap_to { low = 0, high = 1 }, 0.75, 4.5, { 0.75, 0.5 } },
    { "dead_zone", blocks.dead_zone { lower = -0.5, upper = 0.25 }, -0.75, 1, { -0.25, 0.75 } },
    { "saturation", blocks.saturation { lower = -0.5, upper = 0.75 }, -0.75, 1, { -0.5, 0.75 } },
  } do
    it("is followed at once: " .. c[1], function()
      local sim = saltus.simulator(behind_delay(c[2], c[3], c[4]))
      local log = saltus.log(sim, { "block.output" })
      sim:advance_to(2)
      local seen = {}
      for _, y in ipairs(log["block.output"]) do
        if y ~= seen[#seen] then seen[#seen + 1] = y end
      end
      assert.same(c[5], seen)
    end)

    it("crosses no threshold that the block behind it does not reach: " .. c[1], function()
      local d = behind_delay(c[2], c[3], c[4])
      d:add(blocks.counter { threshold = math.max(c[5][1], c[5][2]) + 0.1 }, "counter")
      d:add(blocks.counter { threshold = math.min(c[5][1], c[5][2]) - 0.1, edge = "falling" }, "fell")
      d:add(saltus.system { name = "see", inputs = { "u" }, params = { { "level", math.max(c[5][1], c[5][2]) + 0.1 } },
        events = { { name = "witness", witness = function(ctx) return ctx.u - ctx.level end },
          { name = "becomes", becomes = function(ctx) return ctx.u > ctx.level end } } })
      for _, name in ipairs { "counter.input", "fell.input", "see.u" } do d:connect("block.output", name) end
      local sim = saltus.simulator(d)
      local log = saltus.log(sim, {})
      sim:advance_to(2)
      assert.equal(0, sim.context.counter.output + sim.context.fell.output)
      assert.equal(0, #log:times "see.witness" + #log:times "see.becomes")
    end)
  end

  it("back and forth on one side of a threshold is no edge", function()
    local d = saltus.diagram "d"
    d:add(blocks.time_table { times = { 1, 2, 3 }, values = { 0.5, 0.25, 1 }, between = "stairs" }, "stairs")
    d:add(blocks.step { time = 0, before = -1, after = 0 })
    d:add(blocks.sum {})
    d:add(blocks.delay { delay = 0.25 }, "delay")
    d:connect("stairs", "sum.input1")
    d:connect("step", "sum.input2")
    d:connect("sum", "delay.input")
    for _, edge in ipairs { "rising", "falling" } do
      d:add(blocks.counter { threshold = 0.2, edge = edge }, edge)
      d:connect("delay.output", edge .. ".input")
    end
    local sim = saltus.simulator(d)
    sim:advance_to(5)
    assert.same({ 1, 0 }, { sim.context.rising.output, sim.context.falling.output })
  end)
end)

-- The relay turns the flow where it switches. Later the flow comes back to that level, at which it does not switch.
describe("a relay in its loop", function()
  for _, integrator in ipairs { "auto", "radau5", "explicit_euler" } do
    it("switches only at the level at which it would change, " .. integrator, function()
      local d = saltus.diagram "thermostat"
      d:add(blocks.relay { lower = 19, upper = 21, on = -1, off = 1, initial = true }, "relay")
      d:add(blocks.pulse { period = 100, offset = 2, width = 1.5, high = -2 }, "door")
      d:add(blocks.sum {}, "sum")
      d:add(blocks.integral { initial = 20 }, "room")
      for _, c in ipairs { { "relay", "sum.input1" }, { "door", "sum.input2" }, { "sum", "room" },
        { "room", "relay" } } do d:connect(c[1], c[2]) end
      local sim = saltus.simulator(d, { integrator = integrator, max_step = integrator ~= "auto" and 0.1 or nil })
      local log = saltus.log(sim, { "room.output" })
      sim:advance_to(8)
      local times = log:times "relay.switches"
      assert.equal(2, #times)
      assert.near(1, times[1], 1e-9)
      assert.near(6, times[2], 1e-9)
      assert.near(19, log:at(3)["room.output"], 1e-9)
    end)
  end
end)
