-- Loads a save inside of a run.
local saltus = require "saltus"
local sim, saved
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) sim:load(saved) dot.x = 1 end }
sim = saltus.simulator(s)
saved = sim:save()
return pcall(function() sim:advance_to(1) end)
