-- resume of a story's coroutine by hand after the run
local saltus = require "saltus"
local co
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end },
  story = function(run) co = coroutine.running() run:wait(0.5) run:wait(10) end }
pcall(s.run, s)
local a = { pcall(coroutine.resume, co) } local b = { pcall(coroutine.resume, co, 1) } pcall(coroutine.close, co)
return false
