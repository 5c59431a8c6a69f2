-- Leaves a finalizer that loops for the host.
kept = setmetatable({}, { __gc = function() while true do end end })
return false
