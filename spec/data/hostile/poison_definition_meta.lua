-- A definition that answers differently each time.
local saltus = require "saltus"
local n = 0
local def = setmetatable({}, { __index = function(_, k) n = n + 1 return n > 3 and {} or nil end })
return pcall(saltus.system, def)
