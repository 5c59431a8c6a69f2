-- A cruise control drives a car over a hill at 25 m/s. The slope of the road is a table by distance, the engine has
-- limits, and the static friction of the tyres stops the car until the engine is stronger. The integral of the
-- controller does not wind up while the engine is at its limit.
--
--   saltus run examples/10-cruise-control.lua --set control.ki=50 --plot cruise.html
local saltus = require "saltus"
local blocks = saltus.blocks

local MASS, GRAVITY, DRAG = 1200, 9.81, 0.45 -- kg, m/s^2, N s^2/m^2

local road = saltus.diagram "road"
road:add(blocks.mass { mass = MASS, static_friction = 250, kinetic_friction = 150 }, "car")
road:add(blocks.step { time = 1, before = 0, after = 25 }, "target")
road:add(blocks.pid { kp = 2000, ki = 200, lower = -4000, upper = 4000, tracking_time = 2, unit = "N" }, "control")
-- Up at 5 % from 400 m, the top at 700 m, down at 6 %, then level again.
road:add(blocks.lookup_table {
  points = { 400, 450, 700, 760, 950, 1000 },
  values = { 0, 0.05, 0.05, -0.06, -0.06, 0 }, unit = "m/m" }, "slope")
road:add(blocks.map { f = function(slope) return -MASS * GRAVITY * math.sin(math.atan(slope)) end }, "weight")
road:add(blocks.map { f = function(speed) return -DRAG * speed * speed end }, "wind")
road:add(blocks.sum { signs = "+++" }, "force")

road:connect("target", "control.target")
road:connect("car.speed", "control.measured")
road:connect("car.position", "slope")
road:connect("car.speed", "wind")
road:connect("slope", "weight")
road:connect("control", "force.input1")
road:connect("weight", "force.input2")
road:connect("wind", "force.input3")
road:connect("force", "car")

return saltus.scenario { system = road, duration = 70,
  log = { "car.speed", "control.output", "slope.output", every = 0.05 } }
