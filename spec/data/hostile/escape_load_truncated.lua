-- Loads a save that was cut.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local saved = sim:save()
for i = 0, #saved - 1 do if pcall(function() sim:load(saved:sub(1, i)) end) then return true end end
return false
