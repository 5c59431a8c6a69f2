-- concat with long sep
local t = {} for i = 1, 1e4 do t[i] = "" end
return (pcall(table.concat, t, ("x"):rep(1e6)))
