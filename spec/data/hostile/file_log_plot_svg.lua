-- Writes a plot as a picture.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local log = saltus.log(sim, { "x" })
sim:advance_to(1)
return pcall(function() return log:plot("hostile.svg", { { "x" } }) end)
