-- A name with codes that a terminal executes.
local saltus = require "saltus"
return pcall(saltus.system, { name = "s\27[2J", z = { { "x\27]0;hi\7", 1 } }, derivatives = function() end })
