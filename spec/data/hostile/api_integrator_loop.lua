-- A function of an integrator that loops.
local saltus = require "saltus"
local run = saltus.integrator { f = function(t, x, dx) while true do end end, x = { 1 } }
run:integrate_with_multiple_steps_to_time(1)
return true
