-- A pendulum in x and y: a bead on a rod of one metre. The pull of the rod follows from the second derivative of the
-- constraint. Integration errors in the length, and in the velocity along the rod, are corrected after each step.
--
--   saltus run examples/08-pendulum-constrained.lua --set start_angle=2.5 --duration 60 --plot pendulum.html
local saltus = require "saltus"

local pendulum = saltus.system {
  name   = "pendulum",
  q      = { { "x", 0, unit = "m" }, { "y", -1, unit = "m" } },
  v      = { { "vx", 0, unit = "m/s" }, { "vy", 0, unit = "m/s" } },
  params = { { "length", 1, unit = "m" }, gravity = 9.81,
    { "start_angle", 1.5, unit = "rad", doc = "angle from the lowest point" } },
  outputs = {
    stretch = function(ctx) return math.sqrt(ctx.x ^ 2 + ctx.y ^ 2) - ctx.length end,
    energy = function(ctx) return (ctx.vx ^ 2 + ctx.vy ^ 2) / 2 + ctx.gravity * ctx.y end,
  },

  derivatives = function(ctx, dot)
    local pull = (ctx.vx ^ 2 + ctx.vy ^ 2 - ctx.gravity * ctx.y) / (ctx.x ^ 2 + ctx.y ^ 2)
    dot.x, dot.y = ctx.vx, ctx.vy
    dot.vx, dot.vy = -pull * ctx.x, -pull * ctx.y - ctx.gravity
  end,

  constraints = function(ctx, residual) residual[1] = ctx.x ^ 2 + ctx.y ^ 2 - ctx.length ^ 2 end,

  events = {
    { at = "initialization", unrestricted_update = function(ctx, next)
      next.x, next.y = ctx.length * math.sin(ctx.start_angle), -ctx.length * math.cos(ctx.start_angle)
    end },
    { name = "lowest", direction = "rising", witness = function(ctx) return ctx.x end,
      publish = function(ctx)
        print(("lowest at %.6f, speed %.6f, stretch %.0e"):format(ctx.time, ctx.vx, ctx.stretch))
      end },
  },
}

return saltus.scenario { system = pendulum, duration = 10, accuracy = 1e-8,
  log = { "x", "y", "stretch", "energy", every = 0.02 } }
