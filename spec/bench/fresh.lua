-- fresh.lua lorenz|ball SECONDS: microseconds of processor time to make a simulator of a known system and run it.
local saltus = require "saltus"

local RUNS = 300
local file = { lorenz = "examples/05-lorenz.lua", ball = "examples/02-bouncing-ball.lua" }
local system = dofile(file[arg[1]]).system
local seconds, best = tonumber(arg[2]), math.huge
for _ = 1, 8 do
  local began = os.clock()
  for _ = 1, RUNS do saltus.simulator(system):advance_to(seconds) end
  best = math.min(best, (os.clock() - began) / RUNS * 1e6)
end
print("us", best)
