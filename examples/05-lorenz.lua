-- Lorenz' three equations of 1963. Two runs with almost the same start separate after about twenty seconds: change
-- the start by 1e-9 and compare.
--
--   saltus run examples/05-lorenz.lua --set x=1.000000001 --plot lorenz.html
local saltus = require "saltus"

local lorenz = saltus.system {
  name   = "lorenz",
  z      = { { "x", 1 }, { "y", 1 }, { "z", 1 } },
  params = { sigma = 10, rho = 28, beta = 8 / 3 },

  derivatives = function(ctx, dot)
    local x, y, z = ctx.x, ctx.y, ctx.z
    dot.x = ctx.sigma * (y - x)
    dot.y = x * (ctx.rho - z) - y
    dot.z = x * y - ctx.beta * z
  end,
}

return saltus.scenario { system = lorenz, duration = 10, accuracy = 1e-10, log = { "x", "y", "z", every = 0.01 } }
