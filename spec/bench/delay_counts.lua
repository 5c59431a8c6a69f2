-- Evaluations that four delay equations of spec/data/dde take at accuracy 1e-6, and the largest error at the
-- reference times. Prints `key value` lines.
package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
package.cpath = "./" .. (os.getenv "SALTUS_BUILD" or "build") .. "/lua/?.so;" .. package.cpath
local saltus = require "saltus"

local rates = {
  linear_unit_lag = { lag = 1, rate = function(ctx) return -ctx.past.x(1) end },
  hutchinson = { lag = 1, rate = function(ctx) return 1.8 * ctx.x * (1 - ctx.past.x(1)) end },
  mackey_glass_a1 = { lag = 14, rate = function(ctx)
    local z = ctx.past.x(14)
    return 0.2 * z / (1 + z ^ 10) - 0.1 * ctx.x
  end },
  state_dependent_c1 = { lag = 3, rate = function(ctx)
    return -2 * ctx.past.x(1 + math.abs(ctx.x)) * (1 - ctx.x ^ 2)
  end },
}

for name, problem in pairs(rates) do
  local file = assert(io.open("spec/data/dde/" .. name .. ".json"))
  local data = require("dkjson").decode(file:read "a")
  file:close()
  local sim = saltus.simulator(saltus.system { name = name, z = { { "x", data.initial[1] } },
    past = { x = problem.lag }, derivatives = function(ctx, dot) dot.x = problem.rate(ctx) end }, { accuracy = 1e-6 })
  local worst = 0
  for i, t in ipairs(data.reference.t) do
    sim:advance_to(t)
    worst = math.max(worst, math.abs(sim.context.x - data.reference.y[i][1]))
  end
  print(name .. "_error", worst)
  print(name .. "_evaluations", sim.stats.derivative_evaluations)
end
