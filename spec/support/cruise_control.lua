-- A car follows another one, which brakes twice: constant time gap, limited braking, a lag of the actuator. It stops
-- when the gap is far below 0.
local saltus = require "saltus"

local function push_of(ctx)
  local t = ctx.time
  if t > ctx.t1 and t < ctx.t1 + ctx.len1 then return -ctx.brake1 end
  if t > ctx.t2 and t < ctx.t2 + ctx.len2 then return -ctx.brake2 end
  return t > ctx.t1 + ctx.len1 and t < ctx.t2 and ctx.boost or 0
end

local cruise = saltus.system { name = "cruise",
  q = { { "gap", 50 } }, v = { { "ego", 30 }, { "lead", 30 } }, z = { { "a", 0 } },
  params = { { "headway", 1.4 }, { "k1", 0.23 }, { "k2", 0.45 }, { "lag", 0.4 }, { "t1", 5 }, { "brake1", 2 },
    { "len1", 2 }, { "t2", 12 }, { "brake2", 2 }, { "len2", 2 }, { "boost", 1 } },
  derivatives = function(ctx, dot)
    local push = push_of(ctx)
    local want = ctx.k1 * (ctx.gap - 5 - ctx.headway * ctx.ego) + ctx.k2 * (ctx.lead - ctx.ego)
    dot.gap = ctx.lead - ctx.ego
    dot.lead = ctx.lead <= 0 and push < 0 and 0 or push
    dot.ego = ctx.ego <= 0 and ctx.a < 0 and 0 or ctx.a
    dot.a = (math.max(-3.5, math.min(2, want)) - ctx.a) / ctx.lag
  end }

return saltus.scenario { system = cruise, duration = 30, accuracy = 1e-4, max_step = 0.25,
  monitor = function(ctx)
    if ctx.gap < -20 then return saltus.terminate "far too near" end
  end }
