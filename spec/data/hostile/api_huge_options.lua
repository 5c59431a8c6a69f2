-- Gives options that are huge or no numbers.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end }
for _, o in ipairs { { max_step = 0 }, { accuracy = 0 / 0 }, { max_step = -1 }, { watch_capacity = 1e18 }, { seed = {} }, { max_events_per_instant = 1e30 } } do
  if pcall(saltus.simulator, s, o) then return true end
end
return false
