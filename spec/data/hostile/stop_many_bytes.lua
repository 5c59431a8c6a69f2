-- Passes the bytes of a long text on in each call.
local function f(...) return f(...) end
f(("x"):rep(1e6):byte(1, 4e5))
