-- Takes 10^15 steps without Lua.
local saltus = require "saltus"
local d = saltus.diagram "d"
d:add(saltus.blocks.sine {}, "s") d:add(saltus.blocks.integral {}, "i")
d:connect("s", "i")
saltus.simulator(d, { max_step = 1e-12 }):advance_to(1000)
return true
