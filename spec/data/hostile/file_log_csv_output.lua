-- Writes to the standard output of the host.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local log = saltus.log(sim, { "x" })
sim:advance_to(1)
return pcall(log.csv, log, "-") or pcall(log.csv, log, "/dev/stdout")
