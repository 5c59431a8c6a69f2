-- The smallest discrete system: x+ = x + 1, y = 10 x, fifty times a second.
--
-- At a sample time the publish reads y before the update of that time. The last line has n = 3: the update at
-- 0.06 s runs at the beginning of the next advance.
--
--   lua5.4 examples/01-difference-equation.lua
local saltus = require "saltus"

local period = 1 / 50

local example = saltus.system {
  name     = "example",
  discrete = { x = 0 },
  outputs  = { y = function(ctx) return 10 * ctx.x end },

  events = {
    { name = "count", every = period, discrete_update = function(ctx, next) next.x = ctx.x + 1 end },
    { name = "show", every = period,
      publish = function(ctx, event) print(("%d: %g (%g)"):format(event.count, ctx.y, ctx.time)) end },
  },
}

return saltus.scenario { system = example, duration = 3 * period, log = { "y", every = period } }
