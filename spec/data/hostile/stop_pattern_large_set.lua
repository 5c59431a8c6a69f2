-- %f with huge set
local set = "[" .. ("a-z"):rep(3e5) .. "]"
local s = ("1"):rep(1e5)
while true do s:find("%f" .. set .. "b") end
