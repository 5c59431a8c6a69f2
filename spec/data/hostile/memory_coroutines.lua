-- Keeps coroutines for ever.
local t = {}
for i = 1, math.huge do t[i] = coroutine.create(function() coroutine.yield() end) coroutine.resume(t[i]) end
