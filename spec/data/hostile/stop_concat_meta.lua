-- Loops when texts are joined.
return setmetatable({}, { __concat = function() while true do end end }) .. "x"
