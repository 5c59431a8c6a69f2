-- callbacks after the budget is exhausted: the events catch the error
local saltus = require "saltus"
local n = 0
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end,
  events = { { name = "t", every = 1e-6, publish = function(ctx) n = n + 1 pcall(function() while true do end end) end } } }
saltus.simulator(s):advance_to(1)
return true
