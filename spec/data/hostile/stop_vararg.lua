-- Passes many arguments for ever.
local t = {}
for i = 1, 1e5 do t[i] = i end
local function f(...) while true do local _ = select("#", ...) end end
f(table.unpack(t))
