-- A flow that each crossing of its surface turns back, some times at one instant, until it leads away; a little farther
-- the state is sent back to where it began. What the state moves between two turns is less than rounding.
local numbers = require "spec.support.outside.numbers"

local WALL = 1e-3 -- away from the surface

return { degree = 1, make = function(c)
  c.scale = c.plan:scale()
  local r, scale = c.r, c.scale
  local a, b, level = numbers.between(r, 0.1, 1.1), r:chance(0.5) and numbers.between(r, -0.5, 0.5) or 0,
    numbers.between(r, -0.5, 0.5)
  local drift, first = numbers.between(r, -0.05, 0.05) / scale, -numbers.between(r, 0.2, 1)
  local rates = { 1 / scale }
  for k = 2, r:integer(2, 4) do rates[k] = (k % 2 == 0 and -1 or 1) * numbers.decades(r, -4, 0) / scale end
  local last = #rates
  local away = rates[last] > 0 and 1 or -1
  c.least = 0.2 * scale

  local function x_of(w, y) return (level + w - b * y) / a end
  c:event { name = "cross", witness = function(ctx) return a * ctx.x + b * ctx.y - level end,
    writes = "discrete_update", act = function(ctx, next)
      next.turn = math.min(ctx.turn + 1, last)
      next.rate = rates[math.tointeger(next.turn)]
    end }
  c:event { name = "wall", witness = function(ctx) return away * (a * ctx.x + b * ctx.y - level) - WALL end,
    direction = "rising", writes = "unrestricted_update", act = function(ctx, next)
      next.x, next.turn, next.rate = x_of(first, ctx.y), 1, rates[1]
    end }

  -- Of the crossing at the k-th rate: the rounding of the state by its speed.
  local function tol_of(k, t) return c:sharp(t, 4 / math.abs(rates[k])) end
  local k = 1
  local cross = c:clock("cross", { due = c.start - first * scale, sign = 1, tol = tol_of(1, c.start) })
  local wall = c:clock("wall", { tol = 0, sign = 1 })
  -- Taken late at a limit, it has gone so far beyond at the old rate.
  function cross.after(t, late, blur)
    local was = math.abs(rates[k])
    if k == last then
      wall.due, wall.tol, wall.since = t - late + WALL / was, tol_of(k, t) + blur, c.count()
      return nil
    end
    k = k + 1
    local now = math.abs(rates[k])
    return t + late * was / now, rates[k] > 0 and 1 or -1, tol_of(k, t) + (blur + 2 * c:ulp(t)) * was / now
  end
  function wall.after(t)
    k = 1
    cross.due, cross.sign, cross.tol, cross.since = t - first * scale, 1, tol_of(1, t), c.count()
  end
  return c:build({ z = { { "x", x_of(first, 0) }, { "y", 0 } }, discrete = { { "turn", 1 }, { "rate", rates[1] } },
    derivatives = function(ctx, dot) dot.x, dot.y = (ctx.rate - b * drift) / a, drift end },
    c.start + scale * numbers.between(r, 2, 20))
end }
