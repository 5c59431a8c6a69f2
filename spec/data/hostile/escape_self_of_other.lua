-- Calls a method of a log with a simulator.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local log = saltus.log(sim, { "x" })
return pcall(log.csv, sim, "hostile.csv") or pcall(sim.advance_to, log, 1)
