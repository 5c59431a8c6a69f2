-- Writes the failing cases of a property.
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", params = { k = 1 }, z = { { "x", 1 } },
  derivatives = function(ctx, dot) dot.x = ctx.k end } }
return pcall(saltus.forall, { scenario = s, runs = 4, params = { k = { 0, 2 } }, holds = "always x < 1.5",
  file = "hostile.failing", failures = "hostile.failing" })
