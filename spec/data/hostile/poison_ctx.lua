-- Changes ctx in a closure.
local saltus = require "saltus"
local changed = false
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot)
  changed = pcall(rawset, ctx, "x", 5) or changed
  dot.x = 1
end }
saltus.simulator(s):advance_to(1)
return changed
