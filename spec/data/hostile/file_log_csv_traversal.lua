-- Writes a log outside of the folder.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local log = saltus.log(sim, { "x" })
sim:advance_to(1)
return pcall(log.csv, log, "../hostile.csv") or pcall(log.csv, log, "/tmp/hostile.csv")
