-- Makes integrators whose matrices have more memory than there is.
local saltus = require "saltus"
local x, keep = {}, {}
for i = 1, 3000 do x[i] = 0 end
for i = 1, 4 do keep[i] = saltus.integrator { f = print, x = x, integrator = "radau5", jacobian_pattern = "dense" } end
return true
