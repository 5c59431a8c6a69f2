-- Stories that wait. stories.lua COUNT WAITS prints ns a wait and bytes of a parked story. stories.lua until prints ns
-- of a wait_until that is met, with its flow, and ns of the same flow with a witness.
local saltus = require "saltus"

local function clock() return saltus.system { name = "clock", discrete = { { "n", 0 } } } end

local function wait_often(s, _, waits, seconds)
  for _ = 1, waits do s:wait(seconds) end
end

-- ns a wait, and bytes of each story that waits: those that Lua counts, and those of a timer and a place in the queue.
local function waits(count, each)
  local sim = saltus.simulator(clock())
  local stories = saltus.stories(sim)
  collectgarbage()
  collectgarbage() -- the simulator of the last round has finalizers
  local before = collectgarbage "count"
  for i = 1, count do stories:spawn(wait_often, each, 1 + i * 1e-6) end
  sim:advance_to(0.5)
  collectgarbage()
  local bytes = (collectgarbage "count" - before) * 1024 / count + 32 + 8 + stories.statistics.journal_bytes / count
  local begin = os.clock()
  sim:advance_to(1e9)
  return (os.clock() - begin) / (count * each) * 1e9, bytes
end

local function oscillator(events)
  return saltus.system { name = "oscillator", q = { { "x", 1 } }, v = { { "u", 0 } }, events = events,
    derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x end }
end

local function rises(ctx) return ctx.x - 0.5 end

local function falls(ctx) return -0.5 - ctx.x end

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
      s:wait_until(falls)
    end
  end)
  local plain = saltus.simulator(oscillator {
    { name = "rises", witness = rises, direction = "rising", publish = function() end },
    { name = "falls", witness = falls, direction = "rising", publish = function() end } })
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
