-- Is stopped while saltus works, and leaves it half done.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end,
  events = { { name = "e", every = 0.1, discrete_update = function() saltus.fail "left behind" while true do end end } } }
saltus.simulator(s):advance_to(1)
return true
