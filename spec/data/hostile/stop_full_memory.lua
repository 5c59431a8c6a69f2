-- Fills the memory with small tables, and then allocates garbage for which there is no room: each time all is collected.
local keep, n = nil, 0
pcall(function() while true do keep = { keep } end end)
for i = 1, 30 do keep = keep[1] end
while true do pcall(string.rep, "x", 2500) end
