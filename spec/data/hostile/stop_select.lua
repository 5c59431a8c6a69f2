-- Selects among many arguments for ever.
local t = {}
for i = 1, 1e5 do t[i] = i end
while true do select(-1, table.unpack(t)) end
