-- string.pack formats that are large
local ok = pcall(string.pack, "!16 i16 s16 x Xi16 " .. ("Xi16"):rep(1e5))
local ok2 = pcall(string.pack, "c" .. 1e9, "x")
local ok3 = pcall(string.pack, "c2000000000", "x")
local ok4 = pcall(string.packsize, ("c2147483647"):rep(1e4))
while true do pcall(string.pack, "c1000000", "x") end
