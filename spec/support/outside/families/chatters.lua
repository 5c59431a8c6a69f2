-- Relays against a drift that is weaker than they are: the flow leads back to the surface from both sides. An error,
-- in time.
local numbers = require "spec.support.outside.numbers"

return { degree = 1, make = function(c)
  local r = c.r
  c.scale = c.plan:scale(-1.5, 1.5)
  local drift, side = numbers.between(r, -0.8, 0.8), r:pick { -1, 1 }
  local two = r:chance(0.5)
  local arrives = c.start + c.scale / (1 - side * drift)
  local spec = { z = { { "x", side } }, discrete = { { "u", side } },
    derivatives = function(ctx, dot) dot.x = (drift - ctx.u) / c.scale end }
  for _, direction in ipairs(two and { "falling", "rising" } or { "crossing" }) do
    local up = direction == "rising" and -1 or 1
    local name = "w" .. direction
    c:event { name = name, witness = function(ctx) return ctx.x end, direction = direction, writes = "discrete_update",
      act = function(ctx, next) next.u = two and -up or -ctx.u end }
    c:clock(name, { due = arrives, tol = math.huge, free = true })
  end
  c.raises = "chatter"
  c.final = function(ctx, fail) fail("silent", "it goes on to x = %g", ctx[c.state_prefix .. "x"]) end
  return c:build(spec, arrives + c.scale * numbers.between(r, 0.5, 5))
end }
