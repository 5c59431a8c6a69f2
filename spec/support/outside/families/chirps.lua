-- Turns that come quicker and quicker, from a hertz to a gigahertz, by acceleration or by a factor for each turn:
-- they shrink, and do not accumulate.
local numbers = require "spec.support.outside.numbers"

local function steady(c, r, f)
  local gain = r:pick { -1, 1 } * numbers.decades(r, -5, -2.5)
  local turns = r:integer(30, 150)
  local k = 0
  -- k = f s + gain f^2 s^2 / 2; k turns take
  local function at(n) return 2 * n / (f * (1 + math.sqrt(1 + 2 * gain * n))) end
  c:event { name = "turn", witness = function(ctx) return ctx.phase - ctx.k end, direction = "rising", alone = true,
    writes = "discrete_update", act = function(ctx, next) next.k = ctx.k + 1 end }
  local function tol(n)
    local seconds = 1 / (f * math.sqrt(1 + 2 * gain * n)) -- that a turn takes by then
    return c:sharp(c.start + at(n), (n + 16) * seconds) + (c.plan.exact and 0 or 10 * c.plan.accuracy * n * seconds)
  end
  c:clock("turn", { due = c.start + at(1), sign = 1, tol = tol(1), line = true, after = function()
    k = k + 1
    return c.start + at(k + 1), 1, tol(k + 1)
  end })
  c.least = 1 / (f * math.sqrt(math.max(1, 1 + 2 * gain * turns)))
  return { z = { { "phase", 0 }, { "rate", f } }, discrete = { { "k", 1 } },
    derivatives = function(ctx, dot) dot.phase, dot.rate = ctx.rate, gain * f * f end }, at(turns)
end

local function geometric(c, r, f)
  local ratio = 1 - numbers.decades(r, -5, -2.5)
  local turns, n = r:integer(30, 400), 1
  local reset = r:chance(0.5)
  c:event { name = "turn", witness = function(ctx) return ctx.phase - 1 end, direction = "rising", alone = true,
    writes = "unrestricted_update", act = function(ctx, next)
      next.phase = reset and 0 or ctx.phase - 1
      next.rate = ctx.rate / ratio
    end }
  local seconds = 1 / f
  -- Twice: what goes beyond a turn, unseen in the tolerance, is the next one's.
  local function tol(t) return (reset and 1 or 2) * c:sharp(t, 16 * seconds) end
  c:clock("turn", { due = c.start + seconds, sign = 1, tol = tol(c.start), after = function(t, late, blur)
    -- A turn taken late, at a limit, has begun the next, at the rate before.
    local behind = reset and 0 or late / seconds
    n, seconds = n + 1, seconds * ratio
    return t + seconds * (1 - behind), 1, tol(t) + blur
  end })
  c.least = seconds * ratio ^ turns
  local span, each = 0, seconds
  for _ = 1, turns do span, each = span + each, each * ratio end
  return { z = { { "phase", 0 }, { "rate", f } },
    derivatives = function(ctx, dot) dot.phase, dot.rate = ctx.rate, 0 end }, span
end

return { degree = 2, make = function(c)
  local r = c.r
  local f = math.min(numbers.decades(r, 0, 9), 1 / (numbers.ulp(c.start) * 2 ^ 16 + 1e-9))
  c.scale = 1 / f
  -- Without limits beside them, the turns may be quicker than the window.
  c.any_window = c.plan.cuts == "none" and c.plan.ticks == 0 and not c.plan.timer and not c.plan.shouts
  local spec, span = (r:chance(0.5) and steady or geometric)(c, r, f)
  return c:build(spec, c.start + span)
end }
