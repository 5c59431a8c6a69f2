-- Returns an object that loops when the host reads it.
return false, setmetatable({}, { __tostring = function() while true do end end })
