-- An integrator that takes 10^15 steps.
local saltus = require "saltus"
local run = saltus.integrator { f = function(t, x, dx) dx[1] = -x[1] end, x = { 1 }, max_step = 1e-12 }
run:integrate_with_multiple_steps_to_time(1000)
return true
