-- event_ball.lua BOUNCES: microseconds a bounce, and how many derivative evaluations went into locating them.
-- The ball: from ten metres, restitution 0.999, accuracy 1e-6, steps of at most 0.1 s.
local saltus = require "saltus"

local bounces = tonumber(arg[1])
local first = math.sqrt(20 / 9.81)

local function ball(derivatives, witness, bounce)
  return saltus.system {
    name = "ball", q = { { "height", 10 } }, v = { { "speed", 0 } }, derivatives = derivatives,
    events = { { name = "bounce", direction = "falling", witness = witness, unrestricted_update = bounce } },
  }
end

-- Runs until the last bounce has been handled.
local function run(system, limit)
  local sim = saltus.simulator(system, { accuracy = 1e-6, max_step = 0.1, interior_search = true })
  sim:initialize()
  local begin = os.clock()
  sim:advance_to(limit)
  return os.clock() - begin, sim
end

local function bounce_time(k)
  local e = 0.999
  return first + 2 * first * e * (1 - e ^ k) / (1 - e)
end
local limit = bounce_time(bounces - 1) + 0.01

local function fall(ctx, dot) dot.height, dot.speed = ctx.speed, -9.81 end
local function height(ctx) return ctx.height end
local function rebound(ctx, next) next.height, next.speed = 0, -0.999 * ctx.speed end

local best = math.huge
for _ = 1, os.getenv "BENCH" == "long" and 20 or 5 do
  best = math.min(best, (run(ball(fall, height, rebound), limit)))
end

-- An evaluation between the first probe inside a step and the handler, and not beyond that step's end, locates.
local locating, probing, reached, seen = 0, false, 0, 0
local _, sim = run(ball(
  function(ctx, dot)
    local t = ctx.time
    if t > reached then
      reached, probing = t, false
    elseif probing then
      locating = locating + 1
    end
    fall(ctx, dot)
  end,
  function(ctx)
    if ctx.time < reached then probing = true end
    return ctx.height
  end,
  function(ctx, next)
    reached, probing, seen = ctx.time, false, seen + 1
    rebound(ctx, next)
  end), limit)

print("bounces", seen)
print("us", best / seen * 1e6)
print("locating", locating)
print("evaluations", sim.stats.derivative_evaluations / seen)
