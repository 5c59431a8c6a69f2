-- Sampled blocks against their recurrences.
local saltus = require "saltus"
local bench = require "spec.support.bench"
local blocks = saltus.blocks
local fed, of_time, time = bench.fed, bench.of_time, bench.time

describe("sampled blocks", function()
  -- The block's output between samples, for k = 0, 1, ...
  local function between(block, period, f, count)
    local sim, context = fed(block, { input = of_time(f) })
    local out = {}
    for k = 0, count - 1 do
      sim:advance_to((k + 0.5) * period)
      out[k] = context.output
    end
    return out
  end
  local function f(t) return 1 + t * t end
  local h = 0.125 -- exact in binary, as are its multiples

  it("hold, delay, add up, differ and average as their recurrences say", function()
    local hold = between(blocks.zero_order_hold { period = h }, h, f, 12)
    local delay = between(blocks.unit_delay { period = h, initial = 7 }, h, f, 12)
    local line = between(blocks.discrete_time_delay { period = h, delay_steps = 3 }, h, f, 12)
    local at_once = between(blocks.discrete_time_delay { period = h, delay_steps = 0 }, h, f, 12)
    local sum = between(blocks.discrete_time_integrator { period = h, initial = 2 }, h, f, 12)
    local slope = between(blocks.discrete_derivative { period = h }, h, f, 12)
    local mean = between(blocks.moving_average { period = h, samples = 4 }, h, f, 12)
    local total = 2
    for k = 0, 11 do
      total = total + h * f(k * h)
      local seen, kept = 0, 0
      for i = math.max(0, k - 3), k do seen, kept = seen + f(i * h), kept + 1 end
      assert.equal(f(k * h), hold[k])
      assert.equal(f(k * h), delay[k])
      assert.equal(f(k * h), at_once[k])
      assert.equal(k >= 3 and f((k - 3) * h) or 0, line[k])
      assert.near(total, sum[k], 1e-14)
      assert.near(k > 0 and (f(k * h) - f((k - 1) * h)) / h or 0, slope[k], 1e-12)
      assert.near(seen / kept, mean[k], 1e-14)
    end
  end)

  it("are one sample late for blocks that sample at the same time", function()
    local d = saltus.diagram "d"
    d:add(time(), "clock")
    d:add(blocks.unit_delay { period = h }, "a")
    d:add(blocks.unit_delay { period = h }, "b")
    d:connect("clock", "a")
    d:connect("a", "b")
    local sim = saltus.simulator(d)
    sim:advance_to(5.5 * h)
    assert.equal(5 * h, sim.context.a.output)
    assert.equal(4 * h, sim.context.b.output)
  end)

  it("take vectors", function()
    local _, context = fed(blocks.discrete_time_delay { period = h, delay_steps = 1, size = 2 },
      { input = blocks.function_of_time { f = function(t) return { t, -t } end, size = 2 } }, 3.5 * h)
    assert.same({ 2 * h, -2 * h }, context.output)
  end)
end)
