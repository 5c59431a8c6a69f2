-- Looks for the core in a monitor.
local saltus = require "saltus"
local found = false
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
sim.monitor = function(ctx) found = pcall(function() return ctx.core.save end) or getmetatable(ctx) ~= nil end
pcall(function() sim:advance_to(1) end)
return found
