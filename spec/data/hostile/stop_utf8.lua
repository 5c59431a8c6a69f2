-- Counts characters for ever.
local s = ("a"):rep(2e6)
while true do utf8.len(s) end
