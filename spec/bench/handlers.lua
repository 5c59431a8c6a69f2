-- Lua handlers of periodic clocks: ns each. Usage: handlers.lua COUNT
local saltus = require "saltus"
local count = tonumber(arg[1]) or 1000

local d = saltus.diagram "clocks"
for i = 1, count do
  d:add(saltus.system { name = "clock" .. i, discrete = { n = 0 },
    events = { { name = "tick", every = 0.001 * (1 + i / count),
      discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } })
end
local sim = saltus.simulator(d)
sim:initialize()
local span, t, best = 0.0015 * math.max(1, 50000 / count), 0.01, math.huge
sim:advance_to(t)
local function ticks()
  local sum = 0
  for i = 1, count do sum = sum + sim.context["clock" .. i .. ".n"] end
  return sum
end
local before = ticks()
for _ = 1, 4 do
  t = t + span
  local begin = os.clock()
  sim:advance_to(t)
  local spent = os.clock() - begin
  local after = ticks()
  best = math.min(best, spent / (after - before))
  before = after
end
print(("ns %.5g"):format(best * 1e9))
