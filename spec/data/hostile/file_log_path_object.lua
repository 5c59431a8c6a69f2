-- Gives a log a path that becomes another one when it is read.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local log = saltus.log(sim, { "x" })
sim:advance_to(1)
return pcall(log.csv, log, setmetatable({}, { __tostring = function() return "hostile.csv" end }))
