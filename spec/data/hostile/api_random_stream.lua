-- Draws for ever.
local saltus = require "saltus"
local s = saltus.system { name = "s", discrete = { n = 0 }, events = { { name = "e", every = 1, discrete_update = function(_, next)
  while true do next.random() end end } } }
saltus.simulator(s):advance_to(2)
return true
