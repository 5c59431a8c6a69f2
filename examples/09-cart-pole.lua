-- Two sampled PID controllers balance a pole on a cart. They read encoders: angles and positions in whole counts, a
-- thousand times a second. After two seconds somebody pushes the cart.
--
--   saltus run examples/09-cart-pole.lua --set balance.kd=-8 --animate cart-pole.html
local saltus = require "saltus"
local blocks = saltus.blocks

local cart_pole = saltus.system {
  name   = "cart_pole",
  q      = { { "position", 0, unit = "m" }, { "angle", 0.1, unit = "rad", doc = "0 when the pole is upright" } },
  v      = { { "speed", 0, unit = "m/s" }, { "rate", 0, unit = "rad/s" } },
  inputs = { { "force", unit = "N" } },
  params = {
    { "cart", 1, unit = "kg" }, { "pole", 0.1, unit = "kg", doc = "concentrated at the tip" },
    { "length", 0.5, unit = "m" }, { "gravity", 9.81, unit = "m/s^2" },
  },

  derivatives = function(ctx, dot)
    local s, c, l = math.sin(ctx.angle), math.cos(ctx.angle), ctx.length
    local pull = ctx.pole * s * (l * ctx.rate ^ 2 - ctx.gravity * c)
    local acceleration = (ctx.force + pull) / (ctx.cart + ctx.pole * s ^ 2)
    dot.position, dot.angle = ctx.speed, ctx.rate
    dot.speed, dot.rate = acceleration, (ctx.gravity * s - acceleration * c) / l
  end,

  draw = function(ctx, pen)
    local x, l = ctx.position, ctx.length
    local tip_x, tip_y = x + l * math.sin(ctx.angle), 0.1 + l * math.cos(ctx.angle)
    pen:box(x, 0.05, 0.24, 0.1, { colour = 1 })
    pen:line(x, 0.1, tip_x, tip_y, { width = 4 })
    pen:circle(tip_x, tip_y, 0.03, { fill = true })
  end,
}

local SAMPLE = 0.001
local loop = saltus.diagram "loop"
loop:add(cart_pole, "plant")
loop:add(blocks.quantizer { interval = 2 * math.pi / 4096, watch = false }, "angle_encoder")
loop:add(blocks.quantizer { interval = 0.0001, watch = false }, "position_encoder")
loop:add(blocks.constant { value = 0 }, "upright")
-- A force to the right tips the pole to the left, so the gains are negative. A cart that is too far to the right must
-- first move further to the right, so that the pole leans back.
loop:add(blocks.pid { kp = -60, ki = -20, kd = -9, filter_time = 0.01, period = SAMPLE }, "balance")
loop:add(blocks.pid { kp = -3, kd = -5, filter_time = 0.05, period = SAMPLE }, "centre")
loop:add(blocks.time_table { times = { 0, 2, 2.1 }, values = { 0, 10, 0 }, between = "stairs" }, "push")
loop:add(blocks.sum { signs = "++" }, "wanted")
loop:add(blocks.saturation { lower = -20, upper = 20, unit = "N" }, "motor")
loop:add(blocks.sum { signs = "++" }, "force")

loop:connect("plant.angle", "angle_encoder")
loop:connect("plant.position", "position_encoder")
for _, pid in ipairs { "balance", "centre" } do loop:connect("upright", pid .. ".target") end
loop:connect("angle_encoder", "balance.measured")
loop:connect("position_encoder", "centre.measured")
loop:connect("balance", "wanted.input1")
loop:connect("centre", "wanted.input2")
loop:connect("wanted", "motor")
loop:connect("motor", "force.input1")
loop:connect("push", "force.input2")
loop:connect("force", "plant.force")

-- The plant draws itself; here are the ground, the motor's force and the push.
local function draw(ctx, pen)
  local x = ctx.plant.position
  pen:line(-1, 0, 1, 0)
  pen:line(x, 0.05, x + ctx.motor.output / 20, 0.05, { colour = 2, width = 4 })
  if ctx.push.output ~= 0 then pen:text(x, 0.15, "push", { colour = 2, align = "centre" }) end
end

return saltus.scenario { system = loop, duration = 8, draw = draw,
  log = { "plant.angle", "plant.position", "motor.output", every = 0.005 } }
