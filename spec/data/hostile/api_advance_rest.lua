-- A run without events whose state comes to rest goes on for ever.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end }
for _, name in ipairs { "auto", "radau5", "implicit_euler" } do
  pcall(function() saltus.simulator(s, { integrator = name }):advance_to(math.huge) end)
end
return false
