-- a diagram of 1e5 parts with many connections
local saltus = require "saltus"
local d = saltus.diagram "d"
for i = 1, 1e5 do d:add(saltus.blocks.gain { gain = 1 }, "g" .. i) if i > 1 then d:connect("g" .. i - 1, "g" .. i) end end
saltus.simulator(d)
return true
