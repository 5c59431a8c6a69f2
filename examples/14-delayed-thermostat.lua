-- A room whose heater follows its relay 1.5 minutes late, because the hot water must flow to the radiator. In this
-- time the temperature overshoots both levels.
--
--   saltus run examples/14-delayed-thermostat.lua --set dead_time=5 --plot delayed.html
local saltus = require "saltus"

local function heating(ctx) return ctx.relay == "on" end
local function idle(ctx) return ctx.relay == "off" end

local room = saltus.system {
  name     = "room",
  z        = { { "temperature", 15, unit = "degC" } },
  discrete = { { "relay", "on", values = { "off", "on" } } },
  params   = {
    { "outside", 10, unit = "degC" },
    { "loss", 0.1, unit = "1/min" },
    { "power", 2, unit = "degC/min" },
    { "dead_time", 1.5, unit = "min", doc = "from the relay to the radiator, at most 10" },
    { "low", 19, unit = "degC" },
    { "high", 21, unit = "degC" },
  },
  outputs  = { heat = function(ctx) return ctx.past.relay(ctx.dead_time) == "on" and ctx.power or 0 end },
  past     = { relay = 10 }, -- constant before the start: the heater was on

  derivatives = function(ctx, dot)
    dot.temperature = -ctx.loss * (ctx.temperature - ctx.outside) + ctx.heat
  end,

  events = {
    { name = "warm", when = heating, direction = "rising",
      witness = function(ctx) return ctx.temperature - ctx.high end,
      discrete_update = function(_, next) next.relay = "off" end },
    { name = "cold", when = idle, direction = "falling",
      witness = function(ctx) return ctx.temperature - ctx.low end,
      discrete_update = function(_, next) next.relay = "on" end },
  },
}

return saltus.scenario { system = room, duration = 40, log = { "temperature", "relay", "heat", every = 0.05 } }
