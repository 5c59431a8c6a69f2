-- A closure that counts for long once it is a program.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot)
  local s = 0.0
  for i = 1, (ctx.time > 0.5 and 1e15 or 2) do s = s + 1e-12 end
  dot.x = -ctx.x + 0 * s
end }
saltus.simulator(s, { max_step = 1e-3 }):advance_to(1)
return true
