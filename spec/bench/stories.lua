-- Stories that wait. stories.lua COUNT WAITS prints ns a wait and bytes of a parked story. stories.lua until prints ns
-- of a wait_until that is met, with its flow, and ns of the same flow with a witness.
local saltus = require "saltus"

local function clock() return saltus.system { name = "clock", discrete = { { "n", 0 } } } end

-- Memory of this process in bytes, all of it resident.
local function memory()
  local file = io.open "/proc/self/statm"
  if not file then return collectgarbage "count" * 1024 end
  local pages = tonumber(file:read "a":match "%d+ (%d+)")
  file:close()
  return pages * 4096
end

local function waits(count, each)
  local sim = saltus.simulator(clock())
  local stories = saltus.stories(sim)
  collectgarbage()
  local before = memory()
  for i = 1, count do
    stories:spawn(function(s) for _ = 1, each do s:wait(1 + i * 1e-6) end end)
  end
  sim:advance_to(0.5)
  collectgarbage()
  local bytes = (memory() - before) / count
  local begin = os.clock()
  sim:advance_to(1e9)
  return (os.clock() - begin) / (count * each) * 1e9, bytes
end

local function oscillator(events)
  return saltus.system { name = "oscillator", q = { { "x", 1 } }, v = { { "u", 0 } }, events = events,
    derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x end }
end

local function rises(ctx) return ctx.x end

-- The best of several rounds of n periods, in ns a period.
local function periods(sim, n)
  local best = math.huge
  for _ = 1, 5 do
    local begin = os.clock()
    sim:advance_to(sim.context.time + n * 2 * math.pi)
    best = math.min(best, (os.clock() - begin) / n)
  end
  return best * 1e9
end

if arg[1] == "until" then
  local sim = saltus.simulator(oscillator())
  saltus.stories(sim):spawn(function(s)
    while true do
      s:wait_until(rises)
      s:wait_until(function(ctx) return -ctx.x end)
    end
  end)
  local plain = saltus.simulator(oscillator { { name = "zero", witness = rises, publish = function() end } })
  print(("until_ns %.5g"):format(periods(sim, 2000)))
  print(("witness_ns %.5g"):format(periods(plain, 2000)))
else
  local best, bytes = math.huge, math.huge
  for _ = 1, tonumber(arg[1]) > 1000 and 2 or 5 do
    local ns, size = waits(tonumber(arg[1]), tonumber(arg[2]))
    best, bytes = math.min(best, ns), math.min(bytes, size > 0 and size or math.huge)
  end
  print(("ns %.5g"):format(best))
  print(("bytes %.5g"):format(bytes))
end
