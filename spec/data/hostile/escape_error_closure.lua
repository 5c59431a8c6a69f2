-- Gets the traceback of the host by an error.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function() error { } end }
local ok, e = pcall(function() saltus.simulator(s):advance_to(1) end)
return type(e) == "table" and getmetatable(e) ~= nil
