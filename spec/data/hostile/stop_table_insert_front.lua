-- Inserts at the front of a long table for ever.
local t = {}
while true do table.insert(t, 1, 0) end
