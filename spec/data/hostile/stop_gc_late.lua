-- Sets the finalizer after the metatable.
local mt = { __gc = function() end }
setmetatable({}, mt)
mt.__gc = function() while true do end end
for i = 1, 1e5 do local t = { i } end
return false
