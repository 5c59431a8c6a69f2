-- A closure that loops for ever once it is a program.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot)
  local s, i = 0.0, 0
  while i < (ctx.time > 0.5 and 3e15 or 2) do s = s + 1e-12 i = i + 1 end
  dot.x = -ctx.x + 0 * s
end }
saltus.simulator(s, { max_step = 1e-3 }):advance_to(1)
return true
