-- Compiles a function with a huge table.
local f = load("return {" .. ("0,"):rep(1e6) .. "}")
local t = {}
while true do t[#t + 1] = f() end
