-- A sweep in other processes.
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", params = { k = 1 }, z = { { "x", 1 } },
  derivatives = function(ctx, dot) dot.x = ctx.k end } }
return pcall(saltus.sweep, { scenario = s, params = { k = { 1, 2, 3 } }, jobs = 8, workers = 8 })
