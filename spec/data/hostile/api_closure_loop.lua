-- A closure that loops for ever.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) while true do end end }
saltus.simulator(s):advance_to(1)
return true
