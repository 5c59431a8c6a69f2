-- Integral, lag, derivative, transfer functions, state space against exact solutions.
local bench = require "spec.support.bench"
local blocks = require("saltus").blocks
local fed, of_time, fails = bench.fed, bench.of_time, bench.fails

describe("linear blocks", function()
  it("integral and lag match their closed forms", function()
    local _, context = fed(blocks.integral { initial = 1 }, { input = of_time(math.cos) }, 2)
    assert.near(1 + math.sin(2), context.output, 1e-6)
    _, context = fed(blocks.lag { time_constant = 0.5, initial = 2 }, { input = blocks.constant { value = 3 } }, 1)
    assert.near(3 - math.exp(-2), context.output, 1e-6)
  end)

  it("derivative follows a ramp as its filter allows, without a kick", function()
    local sim, context = fed(blocks.derivative { time_constant = 0.1 },
      { input = of_time(function(t) return 2 + 3 * t end) })
    sim:initialize()
    assert.equal(0, context.output)
    sim:advance_to(0.3)
    assert.near(3 * (1 - math.exp(-3)), context.output, 1e-5)
  end)

  -- x'' + 0.4 x' + 4 x = 1 from rest.
  local function oscillation(t)
    local a, w = 0.2, math.sqrt(4 - 0.04)
    return 0.25 * (1 - math.exp(-a * t) * (math.cos(w * t) + a / w * math.sin(w * t)))
  end

  it("transfer function and state space give the same oscillator", function()
    local one = blocks.constant { value = 1 }
    local _, tf = fed(blocks.transfer_function { numerator = { 2 }, denominator = { 2, 0.8, 8 } }, { input = one }, 3,
      { accuracy = 1e-8 })
    local _, ss = fed(blocks.state_space { A = { { 0, 1 }, { -4, -0.4 } }, B = { 0, 1 }, C = { { 1, 0 } } },
      { input = one }, 3, { accuracy = 1e-8 })
    assert.near(oscillation(3), tf.output, 1e-7)
    assert.near(oscillation(3), ss.output, 1e-7)
  end)

  it("transfer function has zeros and a direct part", function()
    -- (s + 3) / (s + 1) = 1 + 2 / (s + 1), on a step.
    local _, context = fed(blocks.transfer_function { numerator = { 1, 3 }, denominator = { 1, 1 } },
      { input = blocks.constant { value = 1 } }, 1)
    assert.near(1 + 2 * (1 - math.exp(-1)), context.output, 1e-6)
  end)

  it("affine systems output their state without a C", function()
    local _, context = fed(blocks.state_space { A = { { -1 } }, B = { { 1 } }, f0 = 2, y0 = 10, initial = 5 },
      { input = blocks.constant { value = 1 } }, 1)
    assert.near(10 + 3 + 2 * math.exp(-1), context.output, 1e-5)
    fails("option A needs n x n numbers", blocks.state_space, { A = { 1, 2, 3 }, B = { 1 } })
  end)

  it("sampled ones are their recurrences, to the bit", function()
    local _, ss = fed(blocks.state_space { A = { { 0.5, 0.1 }, { 0, 0.9 } }, B = { 1, 0.5 }, C = { { 1, 2 } },
      period = 0.1 }, { input = blocks.constant { value = 2 } }, 0.95)
    local _, tf = fed(blocks.transfer_function { numerator = { 0.25, 0.5 }, denominator = { 1, -0.5 }, period = 0.1 },
      { input = blocks.constant { value = 2 } }, 0.95)
    local x1, x2, x, u = 0, 0, 0, 2
    for _ = 0, 9 do
      x1, x2 = 0.5 * x1 + 0.1 * x2 + u, 0.9 * x2 + 0.5 * u
      x = 0.5 * x + u
    end
    assert.near(x1 + 2 * x2, ss.output, 1e-14)
    assert.near(0.25 * u + (0.5 + 0.25 * 0.5) * x, tf.output, 1e-14)
  end)
end)
