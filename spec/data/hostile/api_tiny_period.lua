-- An event each picosecond.
local saltus = require "saltus"
local s = saltus.system { name = "s", events = { { name = "e", every = 1e-12, publish = function() end } } }
saltus.simulator(s):advance_to(1000)
return true
