-- a story that never waits, with many that spin between yields
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end },
  story = function(run) for i = 1, 1e5 do run:spawn(function(run) while true do run:wait(0) end end) end end }
s:run()
return true
