-- Raises an object that loops when the host reads it.
error(setmetatable({}, { __tostring = function() while true do end end }))
