-- Reads a proxy without its metamethods.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
return pcall(rawget, sim, 1) or pcall(rawset, sim, 1, 2) or pcall(table.insert, sim, 1) or pcall(table.unpack, sim)
