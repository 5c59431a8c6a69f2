-- Takes 10^15 steps.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end }
saltus.simulator(s, { max_step = 1e-12 }):advance_to(1000)
return true
