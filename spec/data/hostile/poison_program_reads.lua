-- Changes what a compiled closure reads while it runs: its environment, and the table math.
local saltus = require "saltus"
local on = false
local f = function(x) return on and {} or x end
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = math.sin(f(ctx.x)) end,
  events = { { name = "t", every = 0.1, publish = function(ctx) if ctx.time > 0.5 then math.sin = function() return "x" end end if ctx.time > 0.8 then on = true math = nil end end } } }
local sim = saltus.simulator(s, { integrator = "runge_kutta4", max_step = 1e-2, fixed_step = true })
pcall(sim.advance_to, sim, 1)
return false
