-- integer for loops at the limits
local n = 0
for i = math.maxinteger - 10, math.maxinteger do n = n + 1 end
for i = math.mininteger, math.maxinteger, math.maxinteger do n = n + 1 end
for i = math.mininteger, math.maxinteger do n = n + 1 end
