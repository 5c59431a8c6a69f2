-- The least that a user's first script does: require, one system, one step.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system {
  name = "decay", z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end,
})
sim:advance_to(0.1)
