-- Runs a scenario as the program, which ends the process.
arg = { [0] = "hostile.lua" }
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end } }
return type(s) ~= "table"
