-- Changes the metatable of saltus.
local saltus = require "saltus"
local mt = getmetatable(saltus)
if mt then mt.__index = nil return true end
return pcall(setmetatable, saltus, {})
