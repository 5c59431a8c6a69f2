-- Changes the class of simulators.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local mt = getmetatable(sim)
if type(mt) == "table" then mt.__index = nil return true end
return pcall(rawset, sim, "advance_to", function() end) or pcall(setmetatable, sim, {})
