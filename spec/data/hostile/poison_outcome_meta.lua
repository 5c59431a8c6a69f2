-- Changes the class of outcomes.
local saltus = require "saltus"
local mt = getmetatable(saltus.fail "x")
if mt then mt.__index = function() return "terminate" end return true end
return false
