-- Looks for the hidden content of a system.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end }
local ok, key = pcall(next, s)
return ok and key ~= nil
