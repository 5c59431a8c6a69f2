-- Writes a page that moves.
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", z = { { "x", 1 } },
  derivatives = function(_, dot) dot.x = 1 end }, view = { left = -1, right = 1, bottom = -1, top = 1 }, draw = function(ctx, pen) pen:circle(ctx.x, 0, 1) end }
return pcall(function() return s:run { animate = "hostile.html" } end)
