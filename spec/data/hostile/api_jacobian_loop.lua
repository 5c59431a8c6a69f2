-- A Jacobian that loops.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end }
saltus.simulator(s, { integrator = "radau5", jacobian = function() while true do end end }):advance_to(1)
return true
