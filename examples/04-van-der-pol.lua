-- Van der Pol's oscillator converges to one cycle from any start. The witness marks each upward crossing of zero,
-- so the time between two marks is the period.
--
--   saltus run examples/04-van-der-pol.lua --set damping=5 --plot van-der-pol.html
local saltus = require "saltus"

local oscillator = saltus.system {
  name   = "oscillator",
  q      = { { "x", 2 } },
  v      = { { "rate", 0 } },
  params = { damping = 1 },

  derivatives = function(ctx, dot)
    dot.x = ctx.rate
    dot.rate = ctx.damping * (1 - ctx.x ^ 2) * ctx.rate - ctx.x
  end,

  events = {
    { name = "up", direction = "rising", witness = function(ctx) return ctx.x end,
      publish = function(ctx) print(("up at %.6f"):format(ctx.time)) end },
  },
}

return saltus.scenario { system = oscillator, duration = 40, accuracy = 1e-8, log = { "x", "rate", every = 0.05 } }
