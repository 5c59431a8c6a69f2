-- A monitor that loops.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
sim.monitor = function() while true do end end
sim:advance_to(1)
return true
