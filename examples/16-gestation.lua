-- Predators and prey. Meals become new predators only after a gestation, and only those that survive it are born.
-- Without a gestation both populations settle. With a gestation of 1 they oscillate for ever. With a gestation of 3 too
-- few predators are born for oscillations.
--
--   saltus run examples/16-gestation.lua --set gestation=3 --plot gestation.html
local saltus = require "saltus"

local pond = saltus.system {
  name   = "pond",
  z      = { { "prey", 0.6 }, { "predators", 0.4 } },
  params = {
    growth = 1, capacity = 1,
    { "appetite", 6, doc = "meals per predator and prey" },
    { "yield", 1, doc = "predators per meal" },
    { "mortality", 0.5, doc = "of predators, before and after birth" },
    { "gestation", 1, doc = "at most 20" },
  },
  past   = { prey = 20, predators = 20 }, -- constant before the start

  derivatives = function(ctx, dot)
    local eaten = ctx.appetite * ctx.prey * ctx.predators
    local then_eaten = ctx.appetite * ctx.past.prey(ctx.gestation) * ctx.past.predators(ctx.gestation)
    local survive = math.exp(-ctx.mortality * ctx.gestation)
    dot.prey = ctx.growth * ctx.prey * (1 - ctx.prey / ctx.capacity) - eaten
    dot.predators = ctx.yield * survive * then_eaten - ctx.mortality * ctx.predators
  end,
}

return saltus.scenario { system = pond, duration = 200, log = { "prey", "predators", every = 0.2 } }
