-- Conditions that turn true by flow (a ramp beyond a height, inside a band however narrow, outside it) and by jumps (so
-- many ramps counted, every second count), behind a ramp that starts anew.
local numbers = require "spec.support.outside.numbers"

-- Of a height of the ramp: once a period, unless the ramp starts beyond it.
local function height_clock(c, name, height, period, x0)
  local due = c.start + (height - x0) * period
  local clock = c:clock(name, { due = x0 < height and due or nil, sign = 1, tol = c:sharp(due, period) })
  return function(t)
    clock.due, clock.since, clock.tol = t + height * period, c.count(), c:sharp(t, period)
  end
end

return { degree = 1, make = function(c)
  local r = c.r
  c.scale = c.plan:scale()
  local period, rate = c.scale, 1 / c.scale
  local height, from = numbers.between(r, 0.1, 0.9), numbers.between(r, 0.05, 0.6)
  -- No band so narrow that the time has no number in it.
  local to = from + math.max(numbers.decades(r, -7, -0.5), 64 * numbers.ulp(math.abs(c.start) + 100 * period) / period)
  local many, x0 = r:integer(1, 4), r:chance(0.5) and 0 or numbers.between(r, 0.01, 0.04)
  c.least = period * math.min(height, from, 1 - height, 0.05)

  local beyond = height_clock(c, "beyond", height, period, x0)
  local inside = height_clock(c, "inside", from, period, x0)
  local outside = height_clock(c, "outside", to, period, x0)
  local count, odd = 0, false
  local full, second = c:clock("full", { tol = 0, sign = 1 }), c:clock("second", { tol = 0, sign = 1 })
  c:event { name = "again", witness = function(ctx) return ctx.x - 1 end, direction = "rising", alone = true,
    writes = "unrestricted_update", act = function(ctx, next) next.x, next.n = 0, ctx.n + 1 end }
  c:clock("again", { due = c.start + (1 - x0) * period, sign = 1, tol = c:sharp(c.start, period), after = function(t)
    beyond(t)
    inside(t)
    outside(t)
    count = count + 1
    if count == many then full.due = t end
    return t + period, 1, c:sharp(t, period)
  end })
  function full.after(t)
    count, odd = 0, not odd
    if odd then second.due = t end
  end
  c:event { name = "beyond", becomes = function(ctx) return ctx.x > height end }
  c:event { name = "inside", becomes = function(ctx) return ctx.x >= from and not (ctx.x >= to) end }
  c:event { name = "outside", becomes = function(ctx) return ctx.x < from or ctx.x >= to end }
  c:event { name = "full", becomes = function(ctx) return ctx.n >= many end, writes = "discrete_update",
    act = function(ctx, next) next.n, next.odd = 0, 1 - ctx.odd end }
  c:event { name = "second", becomes = function(ctx) return ctx.odd > 0.5 end }
  return c:build({ z = { { "x", x0 } }, discrete = { { "n", 0 }, { "odd", 0 } },
    derivatives = function(_, dot) dot.x = rate end }, c.start + period * r:integer(5, 40))
end }
