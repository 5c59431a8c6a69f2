-- many different long strings as keys and equality
local a, b = ("x"):rep(2e6), ("x"):rep(2e6 - 1) .. "x"
local t = {}
for i = 1, math.huge do local _ = a == b, a < b, t[a] t[b] = 1 end
