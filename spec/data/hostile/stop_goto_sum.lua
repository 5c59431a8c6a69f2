-- an expression that is long and cheap
local s = {} for i = 1, 2000 do s[i] = "i" end
local f = load("local i = 1 ::a:: local x = " .. table.concat(s, "+") .. " goto a")
f()
