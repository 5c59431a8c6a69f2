-- Slides on a surface by events for ever.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 0.1 } }, discrete = { dir = -1 }, derivatives = function(ctx, dot) dot.x = ctx.dir end,
  events = { { name = "e", witness = function(ctx) return ctx.x end, unrestricted_update = function(ctx, next) next.dir = -ctx.dir end } } }
saltus.simulator(s):advance_to(1e9)
return true
