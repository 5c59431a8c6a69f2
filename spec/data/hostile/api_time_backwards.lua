-- Advances to times that are none.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
for _, t in ipairs { -1, 0 / 0, "x", {}, -math.huge } do if pcall(function() sim:advance_to(t) end) then return true end end
return false
