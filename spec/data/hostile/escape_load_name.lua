-- Loads a text that calls itself a file of saltus.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local where = "@./lua/saltus/util/names.lua"
local f = load("local sim = ... return sim.core:time_rhs(1)", where)
return pcall(f, sim)
