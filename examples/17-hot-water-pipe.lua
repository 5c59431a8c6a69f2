-- A boiler heats a house at the other end of 200 m of pipe. The delay is the time that the water needs, and its speed
-- changes with the demand of the street: slow at night, fast by day, when the house must be warmer too. The controller
-- is at the boiler, and its thermometer is in the house. So it sees its own actions 20 minutes late by night and 5
-- minutes late by day. Two measures compute the hottest water so far, and the temperature at the beginning of each day.
--
--   saltus run examples/17-hot-water-pipe.lua --set controller.ki=0.02 --animate pipe.html
local saltus = require "saltus"
local blocks = saltus.blocks

local street = saltus.diagram "street"
street:add(blocks.pulse { period = 240, width = 120, offset = 60, low = 50, high = 60, unit = "degC" }, "wanted")
street:add(blocks.pid { kp = 0.3, ki = 0.04, lower = 20, upper = 90 }, "controller")
street:add(blocks.lag { time_constant = 4, initial = 20, unit = "degC" }, "boiler")
street:add(blocks.pulse { period = 240, width = 120, offset = 60, low = 10, high = 40, unit = "m/min" }, "speed")
street:add(blocks.transport_delay { length = 200, max_delay = 30, unit = "degC" }, "pipe")
street:add(blocks.maximum { unit = "degC" }, "hottest")
street:add(blocks.sample_and_hold { threshold = 25, initial = 0, unit = "degC" }, "as_day_began")

street:connect("wanted", "controller.target")
street:connect("pipe", "controller.measured")
street:connect("controller", "boiler")
street:connect("boiler", "pipe.input")
street:connect("speed", "pipe.speed")
street:connect("pipe", "hottest.input")
street:connect("pipe", "as_day_began.input")
street:connect("speed", "as_day_began.trigger")

-- The boiler and the house as vessels that are filled to their temperature, and the pipe between them. The arrow is as
-- long as the water is fast; the dashed line is the wanted temperature.
local function draw(ctx, pen)
  local speed = ctx.speed.output
  for _, y in ipairs { -4, 4 } do pen:line(0, y, 200, y) end
  pen:line(40, 0, 40 + 2 * speed, 0, { colour = 1, width = 4 })
  pen:polygon({ { 40 + 2 * speed, 3 }, { 50 + 2 * speed, 0 }, { 40 + 2 * speed, -3 } }, { colour = 1, fill = true })
  for _, vessel in ipairs { { name = "boiler", x = -15, of = ctx.boiler.output },
    { name = "house", x = 215, of = ctx.pipe.output } } do
    pen:box(vessel.x, vessel.of / 4 - 15, 30, vessel.of / 2, { colour = 2, fill = true })
    pen:box(vessel.x, 7.5, 30, 45, { fill = false })
    pen:text(vessel.x, 33, ("%s %.0f °C"):format(vessel.name, vessel.of), { align = "centre" })
  end
  pen:line(198, ctx.wanted.output / 2 - 15, 232, ctx.wanted.output / 2 - 15, { dashed = true })
  pen:text(100, 9, speed > 20 and "day" or "night", { align = "centre" })
end

return saltus.scenario { system = street, duration = 720, draw = draw,
  log = { "boiler.output", "pipe.output", "hottest.output", "as_day_began.output", "pipe.moved", "speed.output",
    every = 1 } }
