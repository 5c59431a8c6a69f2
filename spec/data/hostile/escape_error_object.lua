-- Gets an object of saltus by an error.
local saltus = require "saltus"
local ok, e = pcall(saltus.system, { name = 5 })
return type(e) ~= "string"
