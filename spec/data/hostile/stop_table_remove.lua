-- Removes from a table that claims to be long.
return table.remove(setmetatable({}, { __len = function() return 1e15 end }), 1)
