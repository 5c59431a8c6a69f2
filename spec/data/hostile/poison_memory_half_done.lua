-- Runs out of memory while saltus builds a model.
local saltus = require "saltus"
local keep = {}
pcall(function() while true do keep[#keep + 1] = ("x"):rep(10000) .. #keep end end)
pcall(saltus.simulator, saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
keep = nil
return false
