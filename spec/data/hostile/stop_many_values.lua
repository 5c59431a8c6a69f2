-- Passes half a million values on in each call.
local function f(...) return f(...) end
f(table.unpack({}, 1, 4e5))
