-- Reads the core of a context.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local ok, core = pcall(function() return sim.context.core end)
return ok and core ~= nil
