-- Catches the error of the budget around a run of programs.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end }
while true do pcall(function() saltus.simulator(s, { max_step = 1e-9 }):advance_to(1000) end) end
