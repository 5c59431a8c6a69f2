-- unpack and move with extreme bounds
local ok = pcall(table.unpack, {}, math.mininteger, math.maxinteger)
local ok2 = pcall(table.unpack, {}, math.maxinteger - 1, math.maxinteger)
local ok3 = pcall(table.move, {}, math.mininteger, math.maxinteger, 1)
local ok4 = pcall(table.move, {}, 1, math.maxinteger, 2)
local ok5 = pcall(table.move, { 1 }, math.maxinteger, math.maxinteger, math.mininteger)
local ok6 = pcall(table.concat, {}, "x", math.mininteger, math.maxinteger)
local ok7 = pcall(table.concat, {}, "x", 1, math.maxinteger)
return ok or ok3 or ok4 or ok6 or ok7
