-- Changes the object of a story.
local saltus = require "saltus"
local ok = false
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", z = { { "x", 1 } },
  derivatives = function(_, dot) dot.x = 1 end },
  story = function(run) ok = pcall(rawset, run, "wait", nil) or pcall(function() run.wait = nil end) end }
pcall(function() s:run() end)
return ok
