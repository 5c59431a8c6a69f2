-- Loops in a message handler, where Lua runs no hooks.
xpcall(function() while true do end end, function() while true do end end)
return true
