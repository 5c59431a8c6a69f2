-- A finalizer that makes its object live again, for ever.
local mt = {}
mt.__gc = function(t) setmetatable({}, mt) end
setmetatable({}, mt)
for i = 1, 1e5 do local t = { i } end
return false
