-- A quadrotor in the plane, from the side: two rotors that respond with a lag, and a controller with fifty samples a
-- second. It flies a square of four waypoints. The sum of the thrusts controls the height, the lean controls the
-- position, and the difference of the thrusts controls the lean.
--
--   saltus run examples/13-quadrotor.lua --set controller.stiffness=4 --animate quadrotor.html
local saltus = require "saltus"
local blocks = saltus.blocks

local frame = saltus.system {
  name   = "frame",
  q      = { { "x", 0, unit = "m" }, { "y", 0, unit = "m" }, { "lean", 0, unit = "rad", doc = "to the left" } },
  v      = { { "vx", 0, unit = "m/s" }, { "vy", 0, unit = "m/s" }, { "rate", 0, unit = "rad/s" } },
  inputs = { { "thrust", size = 2, unit = "N", doc = "of the left and the right rotor" } },
  params = {
    { "mass", 0.5, unit = "kg" }, { "inertia", 0.004, unit = "kg m^2" }, { "arm", 0.17, unit = "m" },
    { "gravity", 9.81, unit = "m/s^2" },
  },
  derivatives = function(ctx, dot)
    local left, right = ctx.thrust[1], ctx.thrust[2]
    dot.x, dot.y, dot.lean = ctx.vx, ctx.vy, ctx.rate
    dot.vx = -(left + right) * math.sin(ctx.lean) / ctx.mass
    dot.vy = (left + right) * math.cos(ctx.lean) / ctx.mass - ctx.gravity
    dot.rate = (right - left) * ctx.arm / ctx.inertia
  end,
  draw = function(ctx, pen)
    local cos, sin = math.cos(ctx.lean), math.sin(ctx.lean)
    pen:trail(ctx.x, ctx.y, { colour = "soft", dashed = true })
    pen:box(ctx.x, ctx.y, 2 * ctx.arm, 0.06, { colour = 1, fill = true, angle = ctx.lean })
    for i, side in ipairs { -1, 1 } do
      local x, y, lift = ctx.x + side * ctx.arm * cos, ctx.y + side * ctx.arm * sin, ctx.thrust[i] / 10
      pen:line(x, y, x - lift * sin, y + lift * cos, { colour = 2, width = 3 })
    end
  end,
}

local function clamp(value, most) return math.max(-most, math.min(most, value)) end

local controller = saltus.system {
  name     = "controller",
  inputs   = { { "goal", size = 2 }, "x", "y", "lean", "vx", "vy", "rate" },
  discrete = { { "thrust", { 0, 0 } } },
  params   = {
    { "mass", 0.5, unit = "kg" }, { "inertia", 0.004 }, { "arm", 0.17 }, { "gravity", 9.81 },
    { "stiffness", 2.5, unit = "1/s^2", doc = "of position and height" }, { "damping", 3, unit = "1/s" },
    { "lean_stiffness", 120, unit = "1/s^2" }, { "lean_damping", 18, unit = "1/s" },
    { "most_lean", 0.5, unit = "rad" },
  },
  events = {
    { name = "sample", every = 0.02, discrete_update = function(ctx, next)
      local ax = ctx.stiffness * (ctx.goal[1] - ctx.x) - ctx.damping * ctx.vx
      local ay = ctx.stiffness * (ctx.goal[2] - ctx.y) - ctx.damping * ctx.vy
      local lean = clamp(-ax / ctx.gravity, ctx.most_lean)
      local turn = ctx.lean_stiffness * (lean - ctx.lean) - ctx.lean_damping * ctx.rate
      local lift = ctx.mass * (ctx.gravity + ay) / math.cos(ctx.lean)
      local twist = ctx.inertia * turn / ctx.arm
      next.thrust = { (lift - twist) / 2, (lift + twist) / 2 }
    end },
  },
}

local flight = saltus.diagram "flight"
flight:add(frame)
flight:add(controller)
flight:add(blocks.time_table { times = { 0, 4, 8, 12 }, between = "stairs",
  values = { { 0, 2 }, { 3, 2 }, { 3, 0.5 }, { 0, 0.5 } } }, "waypoints")
flight:add(blocks.saturation { lower = 0, upper = 6, size = 2 }, "limits")
flight:add(blocks.lag { time_constant = 0.03, size = 2, unit = "N" }, "rotors")
flight:connect("waypoints", "controller.goal")
for _, name in ipairs { "x", "y", "lean", "vx", "vy", "rate" } do
  flight:connect("frame." .. name, "controller." .. name)
end
flight:connect("controller.thrust", "limits")
flight:connect("limits", "rotors")
flight:connect("rotors", "frame.thrust")

-- The frame draws itself; here is the waypoint.
local function draw(ctx, pen)
  local goal = ctx.waypoints.output
  pen:line(-0.5, 0, 3.5, 0)
  pen:circle(goal[1], goal[2], 0.08, { colour = 3 })
end

return saltus.scenario { system = flight, duration = 16, draw = draw,
  log = { "frame.x", "frame.y", "frame.lean", "rotors.output", every = 0.02 } }
