-- Sleeps in the host's thread.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end },
  { target_realtime_rate = 1e-9, max_step = 0.1 })
sim:advance_to(10)
return false
