-- Writes the table of a sweep.
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", params = { k = 1 }, z = { { "x", 1 } },
  derivatives = function(ctx, dot) dot.x = ctx.k end } }
local result = saltus.sweep { scenario = s, params = { k = { 1, 2 } } }
return pcall(function() return result:csv "hostile.csv" end)
