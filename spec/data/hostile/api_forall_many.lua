-- A property with very many cases.
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", params = { k = 1 }, z = { { "x", 1 } },
  derivatives = function(ctx, dot) dot.x = ctx.k end } }
saltus.forall { scenario = s, runs = 1e9, params = { k = { 0, 1 } }, holds = "always x > -1" }
return true
