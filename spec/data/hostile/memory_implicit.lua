-- An implicit method with a large dense matrix.
local saltus = require "saltus"
local x = {}
for i = 1, 5000 do x[i] = 0 end
local s = saltus.system { name = "s", z = { { "x", x } }, derivatives = function(ctx, dot) for i = 1, #ctx.x do dot.x[i] = -ctx.x[i] end end }
saltus.simulator(s, { integrator = "radau5" }):advance_to(1)
return true
