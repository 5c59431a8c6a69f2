-- Loops in a finalizer, where Lua runs no hooks.
setmetatable({}, { __gc = function() while true do end end })
for i = 1, 1e5 do local t = { i, i, i, i, i, i, i, i } end -- enough for the collector to come by
return true
