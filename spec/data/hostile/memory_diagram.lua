-- A diagram that grows for ever.
local saltus = require "saltus"
local d = saltus.diagram "d"
for i = 1, math.huge do d:add(saltus.blocks.gain { gain = i }, "g" .. i) end
