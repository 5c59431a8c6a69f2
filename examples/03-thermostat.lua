-- A room with a heater that switches on below 19 degrees and off above 21. It has two witnesses; each one is active
-- in one mode only.
--
--   saltus run examples/03-thermostat.lua --set outside=-15 --plot thermostat.html
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

return saltus.scenario { system = room, duration = 6, log = { "temperature", "heater", every = 0.02 } }
