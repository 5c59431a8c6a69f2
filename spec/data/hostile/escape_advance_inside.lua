-- Advances a simulator inside of its own run.
local saltus = require "saltus"
local sim
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end,
  events = { { name = "e", every = 0.1, discrete_update = function() sim:advance_to(100) end } } }
sim = saltus.simulator(s)
return pcall(function() sim:advance_to(1) end)
