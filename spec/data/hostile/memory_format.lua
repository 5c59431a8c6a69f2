-- Formats long texts into a longer one.
local s = ("x"):rep(2.9e6)
return #("%s%s%s%s%s%s%s%s"):format(s, s, s, s, s, s, s, s) > 2e7
