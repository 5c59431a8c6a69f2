-- offset of the end of a long string: its charge is small
local s = ("\u{10ffff}"):rep(4e5)
for i = 1, math.huge do utf8.offset(s, -1, 1) utf8.offset(s, 4e5) end
