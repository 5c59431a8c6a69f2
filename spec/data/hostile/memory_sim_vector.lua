-- A system with as many numbers as are allowed.
local saltus = require "saltus"
local x = {}
for i = 1, 1e6 do x[i] = 0 end
local s = saltus.system { name = "s", z = { { "x", x } }, derivatives = function(ctx, dot) for i = 1, #ctx.x do dot.x[i] = 1 end end }
saltus.simulator(s, { integrator = "radau5" }):advance_to(1e9)
return true
