-- A ball is dropped from one metre. Each touch preserves 80 % of the speed. The touches accumulate at 4.0637 s,
-- where the ball comes to rest on the floor.
--
--   saltus run examples/02-bouncing-ball.lua --set restitution=0.5 --animate ball.html
local saltus = require "saltus"

local function falling(ctx) return ctx.mode == "falling" end

local ball = saltus.system {
  name     = "ball",
  q        = { { "height", 1, unit = "m" } },
  v        = { { "speed", 0, unit = "m/s" } },
  discrete = { { "mode", "falling", values = { "falling", "resting" } } },
  params   = { gravity = 9.81, { "restitution", 0.8, doc = "share of the speed that remains after a touch" } },

  derivatives = function(ctx, dot)
    dot.height = ctx.speed
    dot.speed = falling(ctx) and -ctx.gravity or 0
  end,

  events = {
    { name = "touch", when = falling, direction = "falling",
      witness = function(ctx) return ctx.height end,
      unrestricted_update = function(ctx, next)
        next.height, next.speed = 0, -ctx.restitution * ctx.speed
        if next.speed == 0 then next.mode = "resting" end -- a height that remains 0 cannot cross 0 again
      end,
      on_zeno = function(_, next) next.mode, next.height, next.speed = "resting", 0, 0 end },
  },
}

local function draw(ctx, pen)
  pen:line(-0.8, 0, 0.8, 0)
  pen:circle(0, ctx.height + 0.05, 0.05, { colour = 1, fill = true })
end

return saltus.scenario { system = ball, duration = 6, log = { "height", "speed", every = 0.01 }, draw = draw }
