-- a story whose run is used from another coroutine, and yields by hand
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end },
  story = function(run)
    local co = coroutine.create(function() run:wait(0.1) end)
    for i = 1, 1e9 do coroutine.resume(co) coroutine.yield(i) pcall(coroutine.yield, "x") co = coroutine.create(function() run:wait(0.1) end) end
  end }
pcall(s.run, s)
return false
