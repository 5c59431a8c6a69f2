-- Diagrams in diagrams for ever.
local saltus = require "saltus"
local inner = saltus.blocks.gain { gain = 1 }
for i = 1, math.huge do
  local d = saltus.diagram("d" .. i)
  d:add(inner, "a") d:add(inner, "b")
  inner = d
end
