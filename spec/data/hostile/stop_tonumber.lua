-- Converts a long text to a number for ever.
local s = (" "):rep(2e6) .. "1"
while true do tonumber(s) end
