-- Changes a column of a log.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local log = saltus.log(sim, { "x" })
sim:advance_to(1)
return pcall(function() log.x[1] = 42 end) or getmetatable(log.x) == true
