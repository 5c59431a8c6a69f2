-- stories that wait zero time for ever
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end },
  story = function(run) while true do run:wait(1e-300) end end }
s:run()
return true
