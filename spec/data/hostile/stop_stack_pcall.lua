-- Overflows the stack of C.
local function f() return pcall(f) end
local n = 0
local function g() n = n + 1 return string.gsub("x", "x", g) end
pcall(g)
return f() == nil
