-- Two functions call one another by tail calls.
local g
local function f() return g() end
function g() return f() end
return f()
