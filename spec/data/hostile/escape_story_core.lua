-- Looks for the core in a story.
local saltus = require "saltus"
local found = false
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", z = { { "x", 1 } },
  derivatives = function(_, dot) dot.x = 1 end },
  story = function(run) found = pcall(function() return run.sim.core.save end) or pcall(function() return run.host.sim.core end) end }
pcall(function() s:run() end)
return found
