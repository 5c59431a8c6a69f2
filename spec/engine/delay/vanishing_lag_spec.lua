-- Lags of signals that fall to exactly zero, stay there, and grow again.
local saltus = require "saltus"
local cases = require "spec.support.cases"
local blocks = saltus.blocks

-- Between 0 and `most` s: it falls to 0 at 2.5 s, and grows again from 4 s on.
local function lag_of(t, most) return most * math.max(0, math.min(1, math.max(2.5 - t, t - 4))) end

local function integral_of(f, stop)
  local steps, sum = 6000, 0
  for k = 1, steps do sum = sum + f((k - 0.5) * stop / steps) end
  return sum * stop / steps
end

describe("a delay whose lag vanishes", function()
  it("hands on its input at once while the lag is zero", function()
    for k = 1, cases(6) do
      for _, method in ipairs { "tsitouras5", "bogacki_shampine3", "radau5" } do
        local most = 0.1 + 0.043 * k
        local function late(t) return math.sin(math.max(0, t - lag_of(t, most))) end
        local d = saltus.diagram "d"
        d:add(blocks.function_of_time { f = math.sin }, "source")
        d:add(blocks.function_of_time { f = function(t) return lag_of(t, most) end }, "lag")
        d:add(blocks.variable_delay { max_delay = 3 }, "late")
        d:add(blocks.integral {}, "area")
        d:connect("source", "late.input")
        d:connect("lag", "late.delay")
        d:connect("late", "area")
        local sim = saltus.simulator(d, { integrator = method, accuracy = 1e-7, max_steps_per_call = 5000 })
        assert.equal("reached_boundary_time", sim:advance_to(6).reason)
        assert.near(integral_of(late, 6), sim.context.area.output, 1e-5)
      end
    end
  end)
end)
