-- Compiles long texts for ever.
local s = ("x=1 "):rep(2e5)
while true do load(s) end
