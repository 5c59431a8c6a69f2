-- Compiles many functions and keeps them.
local t = {}
for i = 1, math.huge do t[i] = load(("local a = %d "):format(i) .. ("a = a + 1 "):rep(1000)) end
