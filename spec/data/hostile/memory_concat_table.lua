-- Joins a long list of one long text.
local t, s = {}, ("x"):rep(1e6)
for i = 1, 1e4 do t[i] = s end
return #table.concat(t) == 1e10
