-- format of many %.99f of 1e308 (each 400+ bytes): memory of the buffer beyond its charge
local t = {} for i = 1, 200 do t[i] = -1.7e308 end
local f = ("%99.99f"):rep(200)
for i = 1, math.huge do f:format(table.unpack(t)) end
