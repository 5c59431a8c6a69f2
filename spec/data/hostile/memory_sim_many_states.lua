-- A system with a long list of states.
local saltus = require "saltus"
local z = {}
for i = 1, math.huge do z[i] = { "x" .. i, 0 } end
