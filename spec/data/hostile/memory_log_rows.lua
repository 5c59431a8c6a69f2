-- A log with a sample each nanosecond.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local log = saltus.log(sim, { "x", every = 1e-9 })
sim:advance_to(1000)
return true
