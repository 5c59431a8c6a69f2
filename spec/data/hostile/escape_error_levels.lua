-- error with levels and traceback leaks
local ok, e = pcall(error, "x", 1000000000)
local ok, e = pcall(error, "x", -1)
local ok, e2 = pcall(error, "x", math.mininteger)
return tostring(e2):find "lua/saltus" ~= nil
