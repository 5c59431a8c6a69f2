-- empty_advance.lua: nanoseconds of an advance that makes no step.
local saltus = require "saltus"

local N, best = 100000, math.huge
for _ = 1, 5 do
  local sim = saltus.simulator(saltus.system { name = "empty" })
  sim:advance_to(0)
  local begin = os.clock()
  for i = 1, N do sim:advance_to(i * 1e-3) end
  best = math.min(best, (os.clock() - begin) / N)
end
print(("ns %.4g"):format(1e9 * best))
