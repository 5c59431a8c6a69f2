-- A delayed feedback loop, x' = 1.8 x (1 - x(t - 1)) to t = 40, with a Lua closure: microseconds a run, with the
-- loosest accuracy whose error at t = 1, 2, ... 40 is below the target. Reference values on stdin.
package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
package.cpath = "./" .. (os.getenv "SALTUS_BUILD" or "build") .. "/lua/?.so;" .. package.cpath
local saltus = require "saltus"

local target, reference = tonumber(arg[1]), {}
for word in io.read("a"):gmatch "%S+" do reference[#reference + 1] = tonumber(word) end

local logistic = saltus.system {
  name = "logistic", z = { { "x", 0.1 } }, past = { x = 1 },
  derivatives = function(ctx, dot) dot.x = 1.8 * ctx.x * (1 - ctx.past.x(1)) end,
}

local function run(sim)
  local worst, context = 0, sim.context
  context.time, context.x = 0, 0.1
  sim:initialize()
  for t, want in ipairs(reference) do
    sim:advance_to(t)
    worst = math.max(worst, math.abs(context.x - want))
  end
  return worst
end

local accuracy = 1e-3
local sim = saltus.simulator(logistic, { accuracy = accuracy })
local worst = run(sim)
while worst > target and accuracy > 1e-13 do
  accuracy = accuracy / 2
  sim = saltus.simulator(logistic, { accuracy = accuracy })
  worst = run(sim)
end
local best = math.huge
for _ = 1, os.getenv "BENCH" == "long" and 50 or 5 do
  local start = os.clock()
  for _ = 1, 20 do run(sim) end
  best = math.min(best, (os.clock() - start) / 20)
end
print("us", best * 1e6)
print("error", worst)
print("accuracy", accuracy)
sim.stats:reset()
run(sim)
print("evaluations", sim.stats.derivative_evaluations)
