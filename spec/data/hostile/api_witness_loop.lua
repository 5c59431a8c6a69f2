-- A witness that loops.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end,
  events = { { name = "e", witness = function() while true do end end, publish = function() end } } }
saltus.simulator(s):advance_to(1)
return true
