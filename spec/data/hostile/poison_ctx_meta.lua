-- Reads the metatable of ctx.
local saltus = require "saltus"
local found
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot)
  found = found or getmetatable(ctx) or getmetatable(dot)
  dot.x = 1
end }
saltus.simulator(s):advance_to(1)
return found ~= nil
