-- Recurses by tail calls for ever.
local function f() return f() end return f()
