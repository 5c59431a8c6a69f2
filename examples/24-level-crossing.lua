-- A train, a barrier and a car: a story across the parts of a diagram. The signalman lowers the barrier when the train
-- is near, and raises it behind the train. The driver of the car brakes when the barrier is not open. The scenario
-- expects that no car is on the rails while the train passes: a run in which that does not hold fails.
--
--   saltus run examples/24-level-crossing.lua --set train.position=-600 --animate crossing.html
local saltus = require "saltus"
local blocks = saltus.blocks

local train = saltus.system {
  name   = "train",
  q      = { { "position", -900, unit = "m", doc = "of its front; the road is at 0" } },
  params = { { "speed", 30, unit = "m/s" }, { "length", 120, unit = "m" } },
  derivatives = function(ctx, dot) dot.position = ctx.speed end,
}

local barrier = saltus.system {
  name        = "barrier",
  z           = { { "angle", 90, unit = "deg" } },
  discrete    = { { "rate", 0, unit = "deg/s" } },
  derivatives = function(ctx, dot) dot.angle = ctx.rate end,
}

local car = saltus.system {
  name     = "car",
  q        = { { "position", -330, unit = "m", doc = "before the rails" } },
  v        = { { "speed", 15, unit = "m/s" } },
  discrete = { { "acceleration", 0, unit = "m/s^2" } },
  outputs  = {
    stands = function(ctx) return ctx.speed <= 0 and ctx.acceleration == 0 and 1 or 0 end,
    braking_way = function(ctx) return ctx.speed ^ 2 / 6 end, -- at 3 m/s^2
  },
  derivatives = function(ctx, dot) dot.position, dot.speed = ctx.speed, ctx.acceleration end,
}

local crossing = saltus.diagram "crossing"
crossing:add(train, "train")
crossing:add(barrier, "barrier")
crossing:add(car, "car")
crossing:add(blocks.integral { unit = "s" }, "stood")
crossing:connect("car.stands", "stood")

local function move_barrier(s, run, rate, words)
  run.barrier.rate = rate
  s:wait_until(words, { within = 20 })
  run.barrier.rate = 0
end

local function signalman(s, run)
  s:wait_until "train.position > -450"
  move_barrier(s, run, -15, "barrier.angle <= 0")
  s:expect("train.position < -200", "the barrier to be down in time")
  s:wait_until "train.position > train.length"
  move_barrier(s, run, 15, "barrier.angle >= 90")
end

local function driver(s, run)
  s:wait_until "car.position + car.braking_way >= -10" -- the last point at which the driver can stop
  local stops = run.barrier.angle < 90
  if stops then
    run.car.acceleration = -3
    s:wait_until "car.speed <= 0"
    run.car.acceleration, run.car.speed = 0, 0
    s:wait_until "barrier.angle >= 90 and train.position > train.length"
    run.car.acceleration = 2
    s:wait_until "car.speed >= 15"
    run.car.acceleration = 0
  end
  s:wait_until "car.position > 50"
  s:stop(stops and "the car waited for the train" or "the car was there first")
end

local function draw(ctx, pen)
  local angle = math.rad(ctx.barrier.angle)
  pen:line(-60, 0, 60, 0, { colour = "soft" })
  pen:line(0, -60, 0, 60, { width = 4 })
  local front = math.min(ctx.train.position, 60)
  local back = math.max(ctx.train.position - ctx.train.length, -60)
  if front > -60 and back < 60 then pen:box(0, (front + back) / 2, 6, front - back, { colour = 1, fill = true }) end
  if ctx.car.position > -60 then pen:box(ctx.car.position, -4, 8, 5, { colour = 2, fill = true }) end
  pen:line(-8, 4, -8 - 12 * math.sin(angle), 4 - 12 * math.cos(angle), { colour = 2, width = 4 })
  pen:text(30, 40, ("train at %.0f m"):format(ctx.train.position), { align = "centre" })
  pen:text(30, -40, ("the car stood for %.1f s"):format(ctx.stood.output), { align = "centre" })
end

local passes = "train.position > 0 and train.position < train.length"

return saltus.scenario { system = crossing, duration = 60, draw = draw,
  view = { left = -60, right = 60, bottom = -60, top = 60 },
  story = function(s)
    s:spawn("signalman", signalman)
    s:spawn("driver", driver)
  end,
  expects = { ("never (%s and abs(car.position) < 5)"):format(passes),
    ("always (%s -> barrier.angle < 0.001)"):format(passes) },
  log = { "train.position", "barrier.angle", "car.position", "car.speed", "stood.output", every = 0.1 } }
