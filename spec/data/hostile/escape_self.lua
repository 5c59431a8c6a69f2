-- Calls a method with another self.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
return pcall(sim.save, {}) or pcall(sim.advance_to, "x", 1) or pcall(sim.load, sim, {})
