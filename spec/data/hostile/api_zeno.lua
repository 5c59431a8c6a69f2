-- An event that schedules itself at once, for ever.
local saltus = require "saltus"
local s = saltus.system { name = "s", discrete = { n = 0 }, events = { { name = "e", next_time = function(ctx) return ctx.time end,
  discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }
saltus.simulator(s):advance_to(1)
return true
