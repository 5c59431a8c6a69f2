-- PID control against its formulas.
local saltus = require "saltus"
local bench = require "spec.support.bench"
local blocks = saltus.blocks
local fed, of_time = bench.fed, bench.of_time

describe("pid", function()
  local function sources(measured)
    return { target = blocks.constant { value = 1 }, measured = measured or blocks.constant { value = 0 } }
  end

  it("continuous: proportional, integral and filtered derivative of the error", function()
    -- e = 1 - t/2: kp e + ki (t - t^2/4) - kd/2 (1 - exp(-t/T))
    local _, context = fed(blocks.pid { kp = 3, ki = 2, kd = 0.5, filter_time = 0.2 },
      sources(of_time(function(t) return t / 2 end)), 1)
    assert.near(3 * 0.5 + 2 * 0.75 - 0.25 * (1 - math.exp(-5)), context.output, 1e-5)
  end)

  it("continuous: limits, and an integral that follows the cut output", function()
    -- e = 1, kp = 0: integral' = ki + (upper - integral) / T beyond upper, so it comes to rest at upper + ki T.
    local _, context = fed(blocks.pid { ki = 2, lower = -1, upper = 1, tracking_time = 0.1 }, sources(), 5)
    assert.equal(1, context.output)
    assert.near(1.2, context.integral, 1e-5)
  end)

  it("sampled: its recurrence, sample by sample", function()
    local function measured(t) return 0.5 * t * t end
    local sim, context = fed(blocks.pid { kp = 3, ki = 2, kd = 0.5, period = 0.125, filter_time = 0.25, lower = -2,
      upper = 2.9 }, sources(of_time(measured)))
    local integral, last, slope = 0, nil, 0
    for k = 0, 20 do
      local e = 1 - measured(k / 8)
      slope = (0.25 * slope + e - (last or e)) / 0.375
      local u = 3 * e + integral + 0.5 * slope
      local y = math.max(-2, math.min(2.9, u))
      integral, last = integral + 0.25 * e + 0.125 / 1.5 * (y - u), e
      sim:advance_to((k + 0.5) / 8)
      assert.near(y, context.output, 1e-12)
    end
  end)

  it("brings a lag to its target", function()
    for _, period in ipairs { false, 0.01 } do
      local d = saltus.diagram "loop"
      d:add(blocks.constant { value = 2 }, "target")
      d:add(blocks.pid { kp = 4, ki = 3, lower = -5, upper = 5, period = period or nil }, "pid")
      d:add(blocks.lag { time_constant = 1 }, "plant")
      d:connect("target", "pid.target")
      d:connect("plant", "pid.measured")
      d:connect("pid", "plant")
      local sim = saltus.simulator(d)
      sim:advance_to(20)
      assert.near(2, sim.context.plant.output, 1e-4)
    end
  end)
end)
