-- next on a table whose many items are deleted: one call passes all holes
local t = {} for i = 1, 5e5 do t["k" .. i] = nil t[i * 1.5] = 1 end
for k in next, t do t[k] = nil end
while true do next(t) end
