-- Calculates with numerals of megabytes.
local s = "0x" .. ("0"):rep(2e6)
while true do local x = s + 0 end
