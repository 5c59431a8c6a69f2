-- Makes the tables of the border weak, and collects them.
local saltus = require "saltus"
local t = setmetatable({}, { __mode = "kv" })
for i = 1, 100 do t[i] = saltus.system { name = "s" .. i, z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end } end
for i = 1, 1e5 do local x = { i } end
for i = 1, 100 do if t[i] and t[i].name ~= "s" .. i then return true end end
return false
