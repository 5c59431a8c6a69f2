-- A room with a heater that switches on below 19 degrees and off above 21. It has two witnesses; each one is active
-- in one mode only.
--
--   saltus run examples/03-thermostat.lua --set outside=-15 --animate thermostat.html
local saltus = require "saltus"

local function heating(ctx) return ctx.heater == "on" end
local function idle(ctx) return ctx.heater == "off" end

local room = saltus.system {
  name     = "room",
  z        = { { "temperature", 16, unit = "degC" } },
  discrete = { { "heater", "on", values = { "on", "off" } } },
  params   = {
    { "outside", 5, unit = "degC" },
    { "gain", 30, unit = "degC", doc = "temperature rise in the long run" },
    { "time_constant", 2, unit = "h" },
    { "low", 19, unit = "degC" },
    { "high", 21, unit = "degC" },
  },

  derivatives = function(ctx, dot)
    local goal = ctx.outside + (heating(ctx) and ctx.gain or 0)
    dot.temperature = (goal - ctx.temperature) / ctx.time_constant
  end,

  events = {
    { name = "warm", when = heating, direction = "rising",
      witness = function(ctx) return ctx.temperature - ctx.high end,
      discrete_update = function(_, next) next.heater = "off" end },
    { name = "cold", when = idle, direction = "falling",
      witness = function(ctx) return ctx.temperature - ctx.low end,
      discrete_update = function(_, next) next.heater = "on" end },
  },
}

-- A thermometer from 10 to 25 degrees, and the heater below it.
local function draw(ctx, pen)
  pen:box(0, 17.5, 1, 15, { fill = false })
  pen:box(0, (10 + ctx.temperature) / 2, 0.8, ctx.temperature - 10, { colour = 2, fill = true })
  for _, limit in ipairs { ctx.low, ctx.high } do
    pen:line(-0.8, limit, 0.8, limit, { dashed = true })
    pen:text(1, limit - 0.3, ("%g °C"):format(limit))
  end
  pen:box(0, 8, 3, 1.5, { colour = 2, fill = heating(ctx) })
  pen:text(2, 7.7, "heater " .. ctx.heater)
end

return saltus.scenario { system = room, duration = 6, draw = draw, view = { left = -8, right = 8 },
  log = { "temperature", "heater", every = 0.02 } }
