-- The systems of c_systems.c in Lua, with the same arithmetic.
local saltus = require "saltus"

local twins = {}

function twins.oscillator(name)
  return saltus.system {
    name = name or "oscillator", doc = "an arm on a spring",
    q = { { "angle", 1, unit = "rad" } },
    v = { { "rate", unit = "rad/s" } },
    discrete = { { "hits", 0, doc = "of the stop" }, { "sample", 0 },
      { "state", "free", values = { "free", "held" } } },
    params = { { "stiffness", 4 }, { "damping", 0.1 } },
    inputs = { { "torque", unit = "N m" } },
    outputs = {
      { "energy", function(ctx)
        return 0.5 * ctx.rate * ctx.rate + 0.5 * ctx.stiffness * ctx.angle * ctx.angle
      end, needs = {}, unit = "J", doc = "kinetic and elastic" },
      { "reaction", function(ctx) return ctx.torque - ctx.stiffness * ctx.angle end },
    },
    derivatives = function(ctx, dot)
      dot.angle = ctx.rate
      dot.rate = ctx.state == "held" and -ctx.rate or ctx.torque - ctx.stiffness * ctx.angle - ctx.damping * ctx.rate
    end,
    events = {
      { name = "stop", witness = function(ctx) return ctx.angle + 0.5 end, direction = "falling",
        unrestricted_update = function(ctx, next) next.rate, next.hits = -0.5 * ctx.rate, ctx.hits + 1 end },
      { name = "tick", every = 0.1,
        discrete_update = function(ctx, next) next.sample = ctx.angle + 0.01 * next.random() end },
      { name = "hold", at = "demand", doc = "lets it stop",
        discrete_update = function(_, next) next.state = "held" end },
    },
  }
end

function twins.servo(name)
  return saltus.system {
    name = name or "servo",
    params = { { "target", 0.3 }, { "rate_gain", 2 } },
    discrete = { "u" },
    inputs = { "angle", "rate" },
    outputs = { { "torque", function(ctx) return ctx.u end, needs = {}, unit = "N m" } },
    events = { { name = "control", every = 0.05, discrete_update = function(ctx, next)
      next.u = 20 * (ctx.target - ctx.angle) - ctx.rate_gain * ctx.rate
    end } },
  }
end

function twins.follower()
  return saltus.system { name = "follower", z = { "x" }, inputs = { "u" },
    derivatives = function(ctx, dot) dot.x = ctx.u end }
end

return twins
