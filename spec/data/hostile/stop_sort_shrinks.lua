-- sort with invalid comparison on a table that changes while sorted
local t = {} for i = 1, 1e5 do t[i] = i end
while true do
  pcall(table.sort, t, function(a, b) t[#t] = nil t[1] = nil return true end)
  pcall(table.sort, t, function(a, b) return true end)
  for i = 1, 1e5 do t[i] = i end
end
