-- watches.lua: nanoseconds of each time that a condition is met, by a host that watches for it and by an event with the
-- same witness. An oscillator, 13 steps from one condition to the next.
local saltus = require "saltus"

local periods = os.getenv "BENCH" == "long" and 20000 or 3000
local stop = periods * 2 * math.pi

local function high(ctx) return ctx.x - 0.5 end
local function low(ctx) return -0.5 - ctx.x end

local function new_run(events)
  local sim = saltus.simulator(saltus.system { name = "swing", q = { { "x", 0 } }, v = { { "u", 1 } }, events = events,
    derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x end })
  sim:advance_to(50) -- its closures are compiled
  return sim
end

local function by_events()
  local met = 0
  local function count() met = met + 1 end
  local sim = new_run { { name = "high", witness = high, direction = "rising", publish = count },
    { name = "low", witness = low, direction = "rising", publish = count } }
  met = 0
  local begin = os.clock()
  sim:advance_to(50 + stop)
  return (os.clock() - begin) / met
end

local function by_watches()
  local sim, met, wanted, other = new_run(), 0, high, low
  local begin = os.clock()
  repeat
    local watch, is_true = sim:watch(wanted)
    if not is_true then
      sim:advance_to(50 + stop)
      sim:unwatch(watch)
    end
    met = met + 1
    wanted, other = other, wanted
  until sim.status.reason == "reached_boundary_time"
  return (os.clock() - begin) / met
end

local function best(run)
  local least = math.huge
  for _ = 1, 5 do least = math.min(least, run()) end
  return 1e9 * least
end

print(("event %.4g\nwatch %.4g"):format(best(by_events), best(by_watches)))
