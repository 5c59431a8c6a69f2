-- Converts a long text for ever.
local s = ("a"):rep(2e6)
while true do s:upper() s:reverse() end
