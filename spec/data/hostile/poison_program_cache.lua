-- Compiles the closure of the host's scenario with a sine that is a cosine.
math.sin = math.cos
local saltus = require 'saltus'
local s = saltus.system { name = 's', z = { { 'x', 1 }, { 'y', 0 } }, discrete = { { 'mode', 'on', values = { 'on', 'off' } } },
  derivatives = function(ctx, dot) dot.x = -ctx.x + math.sin(ctx.time) dot.y = ctx.mode == 'on' and 1 or -1 end,
  events = { { name = 'up', direction = 'rising', witness = function(ctx) return ctx.y - 0.7 end,
    unrestricted_update = function(ctx, next) next.mode = 'off' end } } }
local sim = saltus.simulator(s, { accuracy = 1e-6 })
sim:advance_to(3)
return false
