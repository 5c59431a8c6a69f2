-- Loops when a value becomes a text.
return tostring(setmetatable({}, { __tostring = function() while true do end end }))
