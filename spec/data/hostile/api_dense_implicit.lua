-- an implicit method on 3000 states: one factorization is 9e9 operations
local saltus = require "saltus"
local n = 1500
local s = saltus.system { name = "s", z = { { "x", size = n } }, derivatives = function(ctx, dot) for i = 1, n do dot.x[i] = -ctx.x[i] * ctx.x[n + 1 - i] end end }
saltus.simulator(s, { integrator = "radau5" }):advance_to(1)
return true
