-- Changes a table that a program reads, in the middle of a run.
local saltus = require "saltus"
local t = { a = { b = 1.0 } }
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = -t.a.b end,
  events = { { name = "e", every = 0.1, discrete_update = function(ctx) if ctx.time > 1 then t.a = setmetatable({}, { __index = function() return {} end }) end end } } }
pcall(function() saltus.simulator(s, { max_step = 1e-3 }):advance_to(2) end)
return false
