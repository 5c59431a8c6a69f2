-- Lorenz to t = 10 with a Lua closure: microseconds to an error of 1e-6, by dormand_prince8 or tsitouras5, whichever
-- is sooner. WORK=1 prints every run.
local saltus = require "saltus"
local work = require "spec.bench.work"

local system = dofile("examples/05-lorenz.lua").system
local ends = { x = -4.902687541134646, y = -3.743872921802919, z = 24.690858102790557 } -- spec/support/flows.h

local function run(integrator, accuracy, repeats)
  local best, worst = math.huge, 0
  for _ = 1, repeats do
    local sim = saltus.simulator(system, { integrator = integrator, accuracy = accuracy })
    sim:initialize()
    local begin = os.clock()
    sim:advance_to(10)
    best = math.min(best, os.clock() - begin)
    worst = 0
    for name, wanted in pairs(ends) do worst = math.max(worst, math.abs(sim.context[name] - wanted) / ends.z) end
  end
  return { error = worst, seconds = best }
end

local runs = {}
for _, integrator in ipairs { "dormand_prince8", "tsitouras5" } do
  for digits = 4, 11, 0.5 do
    local r = run(integrator, 10 ^ -digits, os.getenv "BENCH" == "long" and 200 or 30)
    runs[#runs + 1] = r
    if (os.getenv "WORK" or "") ~= "" then
      io.stderr:write(("%-16s 1e-%-4g error %.2e %9.1f us\n"):format(integrator, digits, r.error, r.seconds * 1e6))
    end
  end
end
print(("us %.6g"):format(work.time_to(1e-6, runs) * 1e6))
