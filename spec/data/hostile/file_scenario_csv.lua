-- Asks a scenario's run for a file.
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, log = { "x" }, system = saltus.system { name = "s", z = { { "x", 1 } },
  derivatives = function(_, dot) dot.x = 1 end } }
local run = s:run()
return pcall(function() return run.log:csv "hostile.csv" end)
