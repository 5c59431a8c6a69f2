-- Limits and resets of the integral.
local saltus = require "saltus"
local bench = require "spec.support.bench"
local random = require "spec.support.random"
local blocks = saltus.blocks
local fed, of_time = bench.fed, bench.of_time

describe("the bounded integral", function()
  it("rests at its limits and leaves them when the input turns", function()
    -- cos from 0.8: at 1 after asin 0.2, from pi/2 down by 1 - sin, at -0.5 when sin = -0.5, up again after 3/2 pi.
    local sim, context = fed(blocks.integral { lower = -0.5, upper = 1, initial = 0.8 }, { input = of_time(math.cos) })
    local log = saltus.log(sim, {})
    sim:advance_to(2 * math.pi)
    assert.near(math.asin(0.2), log:times "block.at_upper"[1], 1e-6)
    assert.near(math.pi / 2, log:times "block.at_upper"[2], 1e-9)
    assert.near(math.pi + math.asin(0.5), log:times "block.at_lower"[1], 1e-6)
    assert.near(1.5 * math.pi, log:times "block.at_lower"[2], 1e-9)
    assert.near(0.5, context.output, 1e-6)
  end)

  it("never leaves its limits, for all starts and inputs", function()
    local rng = random.new(3)
    for _ = 1, 20 do
      local w, phase = 1 + 5 * rng:real(), 6 * rng:real()
      local start = ({ -0.2, 0.3, -0.2 + 0.5 * rng:real() })[1 + math.floor(3 * rng:real())]
      local sim, context = fed(blocks.integral { lower = -0.2, upper = 0.3, initial = start },
        { input = of_time(function(t) return math.sin(w * t + phase) end) })
      sim.monitor = function() assert(context.output >= -0.2 - 1e-8 and context.output <= 0.3 + 1e-8) end
      sim:advance_to(10)
    end
  end)

  it("begins within its limits, and goes back to within them", function()
    for start, there in pairs { [5] = 0.3, [-5] = -0.2, [0.1] = 0.1 } do
      -- sin falls through 0 at pi, where it is put back to where it begins; cos is then -1
      local sim, context = fed(blocks.integral { lower = -0.2, upper = 0.3, initial = start, reset = "falling" },
        { input = of_time(math.cos), reset_by = of_time(math.sin) })
      sim:initialize()
      assert.equal(there, context.output)
      local low, high = math.huge, -math.huge
      for _ in sim:steps(math.pi + 0.05) do
        low, high = math.min(low, context.output), math.max(high, context.output)
      end
      assert.is_true(low >= -0.2 - 1e-8 and high <= 0.3 + 1e-8)
      assert.near(math.max(there - math.sin(0.05), -0.2), context.output, 1e-6)
    end
  end)

  it("holds at a limit from which the input begins at zero, outwards", function()
    local _, context = fed(blocks.integral { upper = 1, initial = 1 }, { input = of_time(math.sin) }, 3)
    assert.near(1, context.output, 1e-9)
  end)

  it("sees inputs that jump at samples", function()
    local held = saltus.diagram "held"
    held:add(of_time(function(t) return t < 1 and 1 or -1 end), "source")
    held:add(blocks.zero_order_hold { period = 0.25 }, "hold")
    held:add(blocks.integral { upper = 0.5 }, "block")
    held:connect("source", "hold")
    held:connect("hold", "block")
    local sim = saltus.simulator(held)
    sim:advance_to(0.9)
    assert.near(0.5, sim.context.block.output, 1e-12)
    sim:advance_to(1.3)
    assert.near(0.2, sim.context.block.output, 1e-9)
  end)

  it("goes back to its beginning at an edge that flows or jumps", function()
    local sim, context = fed(blocks.integral { initial = 0.5, reset = "rising" },
      { input = blocks.constant { value = 1 }, reset_by = of_time(function(t) return math.sin(4 * t - 1) end) })
    sim:advance_to(3)
    assert.near(0.5 + 3 - (2 * math.pi + 1) / 4, context.output, 1e-9)
    sim, context = fed(blocks.integral { reset = "falling" },
      { input = blocks.constant { value = 1 }, reset_by = blocks.pulse { period = 1, width = 0.25, low = -1 } })
    sim:advance_to(1.9)
    assert.near(0.65, context.output, 1e-12)
  end)
end)
