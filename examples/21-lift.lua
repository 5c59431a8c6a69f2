-- A lift serves five floors in the order of the calls. The cabin is moved by its acceleration: it speeds up, travels at
-- its top speed, and brakes when the way that braking needs is the way that is left. Each passenger is a story: they
-- call, wait for the doors on their floor, ride, and leave.
--
--   saltus run examples/21-lift.lua --seed 4 --animate lift.html
local saltus = require "saltus"

local STOREY, FLOORS, PASSENGERS = 3, 5, 12

local lift = saltus.system {
  name     = "lift",
  q        = { { "height", 0, unit = "m" } },
  v        = { { "speed", 0, unit = "m/s" } },
  discrete = { { "acceleration", 0, unit = "m/s^2" }, { "target", 0, unit = "m" }, { "direction", 1 },
    { "doors", "closed", values = { "closed", "open" } }, { "floor", 0, doc = "where the cabin stands or stood last" },
    "waiting", "aboard", "served", { "waited", 0, unit = "s", doc = "by all passengers together" } },
  params   = { { "top_speed", 1.5, unit = "m/s" }, { "thrust", 1, unit = "m/s^2" }, { "doors_time", 4, unit = "s" },
    { "interval", 15, unit = "s", doc = "mean time between two passengers" } },
  outputs  = {
    way_left = function(ctx) return math.abs(ctx.target - ctx.height) end,
    braking_way = function(ctx) return ctx.speed ^ 2 / (2 * ctx.thrust) end,
  },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, ctx.acceleration end,
}

local function travel(s, run, floor)
  if floor == run.floor then return end
  run.target, run.direction = floor * STOREY, floor > run.floor and 1 or -1
  run.acceleration = run.direction * run.thrust
  local limited = s:wait_any { "direction * speed >= top_speed", "braking_way >= way_left" } == 1
  if limited then
    run.acceleration = 0
    s:wait_until "braking_way >= way_left"
  end
  run.acceleration = -run.direction * run.thrust
  s:wait_until "direction * speed <= 0"
  run.acceleration, run.speed = 0, 0
  s:expect("way_left < 0.001", "the cabin to be level with the floor")
  run.height, run.floor = run.target, floor
end

-- The cabin serves the calls one after another: to the passenger, then to where they want to go.
local function serve(s, run, calls)
  while true do
    local call = calls:get()
    for _, floor in ipairs { call.from, call.to } do
      travel(s, run, floor)
      run.doors = "open"
      s:emit("doors", call.passenger)
      s:wait(run.doors_time)
      run.doors = "closed"
    end
  end
end

local function ride(s, run, calls, passenger)
  local from, way = s:integer(0, FLOORS - 1), s:integer(1, FLOORS - 1)
  local called = s.time
  run.waiting = run.waiting + 1
  calls:put { passenger = passenger, from = from, to = (from + way) % FLOORS }
  repeat until s:wait_event "doors" == passenger
  run.waiting, run.aboard = run.waiting - 1, run.aboard + 1
  run.waited = run.waited + s.time - called
  repeat until s:wait_event "doors" == passenger
  run.aboard, run.served = run.aboard - 1, run.served + 1
end

local function story(s, run)
  local calls = s:store()
  s:spawn("cabin", serve, calls)
  for passenger = 1, PASSENGERS do
    s:wait(s:exponential(run.interval))
    s:spawn("passenger " .. passenger, ride, calls, passenger)
  end
  s:wait_until("served >= " .. PASSENGERS)
  s:stop "all passengers are where they wanted to go"
end

local function draw(ctx, pen)
  for floor = 0, FLOORS - 1 do
    pen:line(1.2, floor * STOREY, 4, floor * STOREY, { colour = "soft" })
    pen:text(4.2, floor * STOREY + 0.5, tostring(floor))
  end
  pen:box(0, ctx.height + 1.2, 2, 2.4, { colour = ctx.doors == "open" and 2 or 1, fill = ctx.aboard > 0 })
  pen:line(0, ctx.height + 2.4, 0, FLOORS * STOREY)
  pen:text(0, -1.5, ("%d waiting, %d aboard, %d served"):format(ctx.waiting, ctx.aboard, ctx.served),
    { align = "centre" })
end

return saltus.scenario { system = lift, duration = 400, seed = 1, story = story, draw = draw,
  view = { left = -5, right = 6, bottom = -2, top = 15.5 },
  log = { "height", "speed", "waiting", "aboard", every = 0.25 } }
