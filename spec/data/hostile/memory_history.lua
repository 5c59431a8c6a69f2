-- A past that grows for ever.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, past = { x = 1e12 },
  derivatives = function(ctx, dot) dot.x = -ctx.past.x(1e11) end }
saltus.simulator(s, { max_step = 1e-6 }):advance_to(1e9)
return true
