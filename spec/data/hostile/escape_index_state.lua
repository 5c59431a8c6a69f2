-- Writes outside of a vector by an index that a state gives, once the closure is a program.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "r", { 1, 2, 3 } }, { "x", 1 } }, derivatives = function(ctx, dot)
  local i = ctx.x < 2 and 1 or 100000
  dot.r[1], dot.r[2], dot.r[3], dot.x = 0, 0, ctx.r[i], 1
end }
return pcall(function() saltus.simulator(s, { max_step = 1e-3 }):advance_to(3) end)
