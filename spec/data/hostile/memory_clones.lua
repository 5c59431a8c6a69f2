-- Clones a simulator for ever.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local keep = {}
while true do keep[#keep + 1] = sim:clone() end
