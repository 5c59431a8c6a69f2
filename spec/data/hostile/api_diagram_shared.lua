-- diagrams in diagrams that share a part: 2^60 paths
local saltus = require "saltus"
local d = saltus.blocks.gain { gain = 1 }
for i = 1, 60 do local e = saltus.diagram("d" .. i) e:add(d, "a") e:add(d, "b") d = e end
return (pcall(saltus.simulator, d))
