-- The controller of scripted_arm.c, which passes its arm. The simulator of both goes back to the program.
local saltus = require "saltus"
local arm = ...

local controller = saltus.system {
  name = "controller",
  params = { { "target", 1.2, unit = "rad" }, { "gain", 20, unit = "N m/rad" }, { "damping", 3, unit = "N m s/rad" } },
  discrete = { { "torque", 0, unit = "N m" } },
  inputs = { { "angle", unit = "rad" }, { "rate", unit = "rad/s" } },
  events = { { name = "control", every = 0.001, discrete_update = function(ctx, next)
    local weight = 9.81 * 0.5 * math.sin(ctx.target)
    next.torque = ctx.gain * (ctx.target - ctx.angle) - ctx.damping * ctx.rate + weight
  end } },
}

local loop = saltus.diagram "robot"
loop:add(arm, "arm")
loop:add(controller, "controller")
loop:connect("arm.angle", "controller.angle")
loop:connect("arm.rate", "controller.rate")
loop:connect("controller.torque", "arm.torque")
return saltus.simulator(loop)
