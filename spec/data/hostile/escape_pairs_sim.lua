-- Goes through a simulator by pairs.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
for k, v in pairs(sim) do if type(v) == "userdata" then return true end end
return false
