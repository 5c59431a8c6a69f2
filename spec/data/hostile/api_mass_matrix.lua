-- A mass matrix that is singular and huge.
local saltus = require "saltus"
local m = {}
for i = 1, 300 do m[i] = {} for j = 1, 300 do m[i][j] = 0 end end
local x = {}
for i = 1, 300 do x[i] = 0 end
local s = saltus.system { name = "s", z = { { "x", x } }, mass = m, derivatives = function(ctx, dot) for i = 1, 300 do dot.x[i] = ctx.x[i] - 1 end end }
saltus.simulator(s, { max_step = 1e-9 }):advance_to(1e6)
return true
