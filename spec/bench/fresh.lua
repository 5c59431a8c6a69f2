-- fresh.lua lorenz|ball SECONDS: microseconds of processor time to make a simulator of a known system and run it.
local saltus = require "saltus"

local lorenz = saltus.system { name = "lorenz", z = { { "x", 1 }, { "y", 1 }, { "z", 1 } },
  params = { sigma = 10, rho = 28, beta = 8 / 3 },
  derivatives = function(ctx, dot)
    local x, y, z = ctx.x, ctx.y, ctx.z
    dot.x = ctx.sigma * (y - x)
    dot.y = x * (ctx.rho - z) - y
    dot.z = x * y - ctx.beta * z
  end }

local RUNS = 300
local system = arg[1] == "lorenz" and lorenz or dofile("examples/02-bouncing-ball.lua").system
local seconds, best = tonumber(arg[2]), math.huge
for _ = 1, 8 do
  local began = os.clock()
  for _ = 1, RUNS do saltus.simulator(system):advance_to(seconds) end
  best = math.min(best, (os.clock() - began) / RUNS * 1e6)
end
print("us", best)
