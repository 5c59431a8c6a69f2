-- Changes a system after it was made.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end }
return pcall(function() s.name = "other" end) or pcall(rawset, s, "name", "other")
