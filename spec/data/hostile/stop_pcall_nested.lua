-- Catches it in many levels.
local function f(n) while true do pcall(f, n + 1) end end
f(0)
