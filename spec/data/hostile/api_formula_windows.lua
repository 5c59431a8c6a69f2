-- Formulas with windows in windows over a long log.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end })
local log = saltus.log(sim, { "x", every = 1e-5 })
sim:advance_to(10)
for i = 1, math.huge do saltus.formula.check(log, ("always within 5 "):rep(20) .. "(x > " .. i .. ")") end
