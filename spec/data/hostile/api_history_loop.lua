-- A history function that loops.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, past = { x = 1 }, history = function() while true do end end,
  derivatives = function(ctx, dot) dot.x = -ctx.past.x(1) end }
saltus.simulator(s):advance_to(1)
return true
