-- A position servo in three levels: the bench contains a speed servo, the speed servo contains a motor, and the motor
-- contains a winding and a rotor. The position controller is sampled, the speed controller is continuous. At 1 s
-- somebody loads the shaft.
--
--   saltus run examples/11-nested-diagram.lua --set speed_servo.motor.rotor.inertia=0.0002 --plot servo.html
--   saltus graph examples/11-nested-diagram.lua     draws the wiring
--   saltus check examples/11-nested-diagram.lua     prints the tree
local saltus = require "saltus"
local blocks = saltus.blocks

-- ---- the motor: inputs are voltage and torque, outputs are speed and angle ----

local winding = saltus.system {
  name   = "winding",
  z      = { { "current", 0, unit = "A" } },
  params = { { "resistance", 1.2, unit = "ohm" }, { "inductance", 0.002, unit = "H" },
    { "constant", 0.05, unit = "V s", doc = "voltage per rad/s, and torque per ampere" } },
  inputs = { { "voltage", unit = "V" }, { "speed", unit = "rad/s" } },
  outputs = { { "torque", function(ctx) return ctx.constant * ctx.current end, unit = "N m" } },
  derivatives = function(ctx, dot)
    dot.current = (ctx.voltage - ctx.resistance * ctx.current - ctx.constant * ctx.speed) / ctx.inductance
  end,
}

local rotor = saltus.system {
  name   = "rotor",
  q      = { { "angle", 0, unit = "rad" } },
  v      = { { "speed", 0, unit = "rad/s" } },
  params = { { "inertia", 0.0001, unit = "kg m^2" }, { "friction", 0.0002, unit = "N m s" } },
  inputs = { { "torque", unit = "N m" }, { "load", 0, unit = "N m" } },
  derivatives = function(ctx, dot)
    dot.angle = ctx.speed
    dot.speed = (ctx.torque - ctx.load - ctx.friction * ctx.speed) / ctx.inertia
  end,
}

local motor = saltus.diagram "motor"
motor:add(winding)
motor:add(rotor)
motor:connect("winding.torque", "rotor.torque")
motor:connect("rotor.speed", "winding.speed")
motor:export_input("voltage", "winding.voltage")
motor:export_input("load", "rotor.load")
motor:export_output("rotor.speed", "speed")
motor:export_output("rotor.angle", "angle")

-- ---- the speed servo: at most 24 volts ----

local speed_servo = saltus.diagram "speed_servo"
speed_servo:add(motor)
speed_servo:add(blocks.pid { name = "drive", kp = 0.3, ki = 6, lower = -24, upper = 24 })
speed_servo:connect("motor.speed", "drive.measured")
speed_servo:connect("drive.output", "motor.voltage")
speed_servo:export_input("target", "drive.target")
speed_servo:export_input("load", "motor.load")
speed_servo:export_output("motor.angle", "angle")

-- ---- the bench: the target is a quarter turn from 0.1 s on ----

local bench = saltus.diagram "bench"
bench:add(speed_servo)
bench:add(blocks.step { name = "wanted", time = 0.1, after = math.pi / 2 })
bench:add(blocks.step { name = "hand", time = 1, after = 0.05 })
bench:add(blocks.pid { name = "position", kp = 12, period = 0.01 })
bench:connect("wanted", "position.target")
bench:connect("speed_servo.angle", "position.measured")
bench:connect("position.output", "speed_servo.target")
bench:connect("hand", "speed_servo.load")

return saltus.scenario { system = bench, duration = 1.6,
  log = { "wanted.output", "speed_servo.angle", "speed_servo.motor.speed", "speed_servo.drive.output",
    "speed_servo.motor.winding.current", every = 0.002 } }
