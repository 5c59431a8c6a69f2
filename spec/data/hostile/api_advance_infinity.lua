-- Advances for ever.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end, events = { { name = "e", every = 1, publish = function() end } } }
saltus.simulator(s):advance_to(math.huge)
return true
