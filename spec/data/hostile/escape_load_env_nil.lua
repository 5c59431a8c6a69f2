-- Loads a text with no environment.
local f = load("return io", "x", "t", nil)
return f() ~= nil
