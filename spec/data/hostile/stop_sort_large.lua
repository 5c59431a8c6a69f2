-- Sorts a large table again and again.
local t = {}
for i = 1, 1e5 do t[i] = -i end
while true do table.sort(t, function(a, b) return a > b end) table.sort(t) end
