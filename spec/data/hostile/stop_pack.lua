-- Packs a long text for ever.
local s = ("a"):rep(1e6)
while true do ("s"):pack(s) end
