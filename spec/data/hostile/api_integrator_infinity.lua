-- An integrator whose state comes to rest goes on for ever.
local saltus = require "saltus"
local run = saltus.integrator { f = function(t, x, dx) dx[1] = -x[1] end, x = { 1 } }
run:integrate_with_multiple_steps_to_time(math.huge)
return true
