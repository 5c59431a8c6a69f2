-- Loops when a length is asked.
return #setmetatable({}, { __len = function() while true do end end })
