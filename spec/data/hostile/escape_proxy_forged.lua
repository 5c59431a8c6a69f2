-- Passes a table that looks like a simulator.
local saltus = require "saltus"
return pcall(saltus.log, { core = {}, model = {}, inner = {} }, { "x" })
