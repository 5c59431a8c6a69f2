-- Replaces print for the host.
print = nil
_G.print = function() while true do end end
return false
