-- Loops when a variable is closed.
do local x <close> = setmetatable({}, { __close = function() while true do end end }) end
return true
