-- Looks through a large table without items.
local t = {}
for i = 1, 2e5 do t["k" .. i] = i end
for i = 1, 2e5 do t["k" .. i] = nil end
while true do next(t) end
