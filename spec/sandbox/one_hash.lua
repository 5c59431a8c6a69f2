-- One run and one sandbox, without busted: prints a hash that is the same with every version of Lua.
local saltus = require "saltus"

local s = saltus.system { name = "s", z = { { "x", 1 } },
  derivatives = function(ctx, dot) dot.x = -ctx.x * saltus.math.cos(ctx.time) end,
  events = { { name = "up", every = 0.3, discrete_update = function() end } } }
local sim = saltus.simulator(s, { integrator = "runge_kutta4", max_step = 1e-2, fixed_step = true })
sim:advance_to(5)
local box = saltus.sandbox { memory = 32e6, seconds = 5 }
print(sim:hash(), box:run("return 6 * 7", "a"), (select(2, box:run("while true do end", "b", 10000))))
