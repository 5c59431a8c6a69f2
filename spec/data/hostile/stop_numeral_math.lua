-- Rounds a numeral of megabytes.
local s = ("0"):rep(2.9e6)
while true do math.floor(s) end
