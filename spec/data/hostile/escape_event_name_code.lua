-- Puts code into the name of an event.
local saltus = require "saltus"
local ok = pcall(saltus.system, { name = "s", events = { { name = "e\" .. os.exit() .. \"", every = 1, publish = function() end } } })
return ok
