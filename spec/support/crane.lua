-- The load of a crane, which swings up when the jerks of the trolley meet its period: the worst is inside the ranges,
-- in a narrow valley.
local saltus = require "saltus"

local crane = saltus.system { name = "crane", q = { { "angle", 0 } }, v = { { "rate", 0 } },
  params = { { "length", 10 }, { "a1", 0.1 }, { "w1", 2 }, { "a2", 0.1 }, { "w2", 3 }, { "phase", 0 } },
  derivatives = function(ctx, dot)
    local push = ctx.a1 * math.sin(ctx.w1 * ctx.time) + ctx.a2 * math.sin(ctx.w2 * ctx.time + ctx.phase)
    dot.angle = ctx.rate
    dot.rate = -(9.81 * math.sin(ctx.angle) + push * math.cos(ctx.angle)) / ctx.length - 0.01 * ctx.rate
  end }

return saltus.scenario { system = crane, duration = 60, accuracy = 1e-4, max_step = 0.5 }
