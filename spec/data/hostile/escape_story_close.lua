-- a story that keeps its coroutine and closes it from an event
local saltus = require "saltus"
local co
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end,
  events = { { name = "t", every = 0.1, publish = function(ctx) if co then pcall(coroutine.close, co) pcall(coroutine.resume, co) end end } } },
  story = function(run) co = coroutine.running() run:wait(0.55) run:wait(0.1) end }
local ok, e = pcall(s.run, s)
print(ok, e)
return false
