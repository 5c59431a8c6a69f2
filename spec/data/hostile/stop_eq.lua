-- Loops when values are compared.
local mt = { __eq = function() while true do end end }
return setmetatable({}, mt) == setmetatable({}, mt)
