-- Sorts few long texts that stand in a list many times: each comparison reads a megabyte.
local a = ("x"):rep(1e6)
local b, t = a .. "y", {}
for i = 1, 4e4 do t[i] = i % 2 == 0 and a or b end
table.sort(t)
return true
