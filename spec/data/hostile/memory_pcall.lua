-- Catches the error of memory and goes on.
local keep = {}
while true do pcall(function() for i = 1, 1e6 do keep[#keep + 1] = ("x"):rep(1000) .. i end end) end
