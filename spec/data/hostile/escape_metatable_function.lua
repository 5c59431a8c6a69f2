-- Gives functions a metatable.
return pcall(setmetatable, print, {})
