-- Loops in many coroutines, each for a short time.
while true do coroutine.wrap(function() for i = 1, 990 do end end)() end
