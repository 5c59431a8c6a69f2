-- The parts of mixed.c in Lua, alone and in a diagram with the other part in C.
local saltus = require "saltus"

local plant = saltus.system {
  name = "plant",
  q = { "position", { "angle", 0.1 } },
  v = { "speed", "rate" },
  inputs = { { "force", 0 } },
  params = { cart = 1, pole = 0.1, length = 0.5, gravity = 9.81 },
  derivatives = function(ctx, dot)
    local angle, rate = ctx.angle, ctx.rate
    local s, c = math.sin(angle), math.cos(angle)
    local m, l, g = ctx.pole, ctx.length, ctx.gravity
    local a = (ctx.force + m * s * (l * rate * rate - g * c)) / (ctx.cart + m * s * s)
    dot.position, dot.angle = ctx.speed, rate
    dot.speed, dot.rate = a, (g * s - a * c) / l
  end,
}

local controller = saltus.system {
  name = "controller",
  z = { "lagged" },
  inputs = { { "angle", 0.1 } },
  outputs = { { "force", function(ctx) return 60 * ctx.angle + 600 * (ctx.angle - ctx.lagged) end,
    needs = { "angle" } } },
  derivatives = function(ctx, dot) dot.lagged = 50 * (ctx.angle - ctx.lagged) + 0.001 * ctx.force end,
}

local function simulator(system)
  return saltus.simulator(system, { integrator = "runge_kutta4", fixed_step = true, max_step = 0.01 })
end

local function loop(of_plant, of_controller)
  local d = saltus.diagram "loop"
  d:add(of_plant, "plant")
  d:add(of_controller, "controller")
  d:connect("plant.angle", "controller.angle")
  d:connect("controller.force", "plant.force")
  return simulator(d)
end

return {
  plant = function() return simulator(plant) end,
  controller = function() return simulator(controller) end,
  with_plant = function(in_c) return loop(in_c, controller) end,
  with_controller = function(in_c) return loop(plant, in_c) end,
}
