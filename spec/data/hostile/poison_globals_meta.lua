-- Gives the globals a metatable.
setmetatable(_G, { __index = function() return 1 end, __newindex = function() end })
return false
