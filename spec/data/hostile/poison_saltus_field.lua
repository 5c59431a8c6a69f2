-- Removes a function of saltus.
local saltus = require "saltus"
saltus.system = nil
saltus.simulator = function() return "mine" end
return false
