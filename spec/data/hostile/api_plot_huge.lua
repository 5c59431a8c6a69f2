-- Draws in the terminal of the host.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local log = saltus.log(sim, { "x" })
sim:advance_to(1)
return pcall(function() return log:plot("-", { width = 1e9 }) end)
