-- A system with a vector of 2^31 numbers.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 0, size = 2^31 } }, derivatives = function() end }
return saltus.simulator(s) ~= nil
