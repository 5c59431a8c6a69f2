-- Overflows the stack of C by metamethods.
local mt = {}
mt.__index = function(t, k) return setmetatable({}, mt)[k] end
return setmetatable({}, mt).x
