-- tables with many collisions
local t = {}
for i = 1, 1e9 do t[i * 2.0^40 + 0.5] = true end
