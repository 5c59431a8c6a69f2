-- watch functions that loop
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end }
local sim = saltus.simulator(s)
local ok = pcall(function() sim:watch(function() while true do end end) end)
pcall(function() sim:on("step", function() while true do end end) end)
pcall(function() sim.monitor = function() while true do end end end)
sim:advance_to(1)
return true
