-- Loads bytecode in pieces.
local pieces = { "\27", "Lua", "\x54" }
local i = 0
return load(function() i = i + 1 return pieces[i] end, "x", "b") ~= nil
