-- Formats long texts for ever.
local s = ("a"):rep(1e6)
while true do ("%s"):format(s) end
