-- Iterates over steps for ever.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end })
for _ in sim:steps(1e300, 1e-3) do end
return true
