-- Prepares coroutines, and lets each run for less than the hook looks.
local list = {}
for i = 1, 2000 do list[i] = coroutine.wrap(function() while true do for k = 1, 200 do end coroutine.yield() end end) end
while true do for i = 1, #list do pcall(list[i]) end end
