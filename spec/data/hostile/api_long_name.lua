-- Names that are very long.
local saltus = require "saltus"
local name = ("n"):rep(1e6)
local s = saltus.system { name = name, z = { { name, 1 } }, derivatives = function(_, dot) dot[name] = 1 end }
while true do tostring(s) pcall(function() return saltus.simulator(s).context[name .. "x"] end) end
