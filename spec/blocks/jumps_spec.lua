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
