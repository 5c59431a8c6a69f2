-- An oscillator with max_step 0.05, for 1,000 s: ns a step. Keys: plain, the run itself; watch, with two watches of
-- words that never fire; monitor, with a formula of four operators that is known at any time.
local saltus = require "saltus"

local FORMULA = "always ((x > 0.9 and u < 0.5) -> eventually[0,7] x < -0.9)"

local oscillator = saltus.system { name = "oscillator", q = { { "x", 1 } }, v = { { "u", 0 } },
  derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x end }

local function none(sim) return sim end

local function watch(sim)
  sim:watch "x > 2 and u < 0.5"
  sim:watch "x < -2"
  return sim
end

local function monitor(sim) return saltus.formula.monitor(FORMULA, sim) end

-- Nanoseconds for each step of the plain run.
local function cost(prepare)
  local best = math.huge
  for _ = 1, 5 do
    local sim = saltus.simulator(oscillator, { accuracy = 1e-6, max_step = 0.05 })
    local driver = prepare(sim)
    driver:advance_to(1)
    local begin = os.clock()
    driver:advance_to(1000)
    best = math.min(best, os.clock() - begin)
  end
  return best / (999 / 0.05) * 1e9
end

print(("plain %.5g\nwatch %.5g\nmonitor %.5g"):format(cost(none), cost(watch), cost(monitor)))
