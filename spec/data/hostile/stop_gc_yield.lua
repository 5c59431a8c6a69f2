-- A finalizer that yields.
setmetatable({}, { __gc = function() coroutine.yield() end })
for i = 1, 1e5 do local t = { i } end
return false
