-- A sweep of 10^12 runs.
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", params = { k = 1 }, z = { { "x", 1 } },
  derivatives = function(ctx, dot) dot.x = ctx.k end } }
saltus.sweep { scenario = s, runs = 1e12 }
return true
