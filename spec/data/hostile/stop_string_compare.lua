-- Compares long texts.
local a, b = ("a"):rep(2e6) .. "x", ("a"):rep(2e6) .. "y"
while true do local _ = a < b end
