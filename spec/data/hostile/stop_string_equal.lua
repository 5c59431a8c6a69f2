-- Compares long texts that are equal.
local a, b = ("a"):rep(2e6) .. "x", ("a"):rep(2e6) .. "x"
while true do local _ = a == b end
