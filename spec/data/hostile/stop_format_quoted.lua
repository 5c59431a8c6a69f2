-- format %q of a long string of zero bytes
local s = ("\0"):rep(1e6)
for i = 1, math.huge do string.format("%q", s) end
