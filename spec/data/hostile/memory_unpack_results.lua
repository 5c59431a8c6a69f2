-- string.unpack with many results
local f = ("b"):rep(1e6)
local s = ("a"):rep(1e6)
while true do pcall(string.unpack, f, s) end
