-- A plain search that compares for long, again and again.
local text = ("a"):rep(500000)
while true do text:find(("a"):rep(250000) .. "b", 1, true) end
