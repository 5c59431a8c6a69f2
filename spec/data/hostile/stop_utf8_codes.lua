-- utf8.codes over a long string with iterator escape
local s = ("a"):rep(1e6)
while true do for p, c in utf8.codes(s) do end end
