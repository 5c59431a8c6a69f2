-- Makes a text of many characters.
local t = {}
for i = 1, 2e5 do t[i] = 0x7fffffff end
return #utf8.char(table.unpack(t)) > 1e9
