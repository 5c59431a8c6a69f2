-- Puts code into the words of a mode.
local saltus = require "saltus"
local word = "on\" .. os.exit() .. \""
local ok, s = pcall(saltus.system, { name = "s", discrete = { { "m", word, values = { word, "off" } } },
  events = { { name = "e", every = 0.1, discrete_update = function(ctx, next) if ctx.m == word then next.m = "off" end end } } })
if ok then pcall(function() saltus.simulator(s):advance_to(1) end) end
return false
