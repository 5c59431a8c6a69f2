-- A delay block with a long memory and short steps.
local saltus = require "saltus"
local d = saltus.diagram "d"
d:add(saltus.blocks.sine {}, "s") d:add(saltus.blocks.transport_delay { delay = 1e9 }, "t")
d:connect("s", "t")
saltus.simulator(d, { max_step = 1e-6 }):advance_to(1e6)
return true
