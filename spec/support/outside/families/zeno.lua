-- What does accumulate: a ball that loses speed in every bounce, two tanks that one tap fills in turn. Each firing
-- comes in its time; before the limit the run must say so, by on_zeno or by an error, and nothing may fall through.
local numbers = require "spec.support.outside.numbers"

-- Once their times are shorter than a hundredth of the first, firings may be called an accumulation; when they are so
-- short that rounding or the accuracy moves them by a part of themselves, they cannot be distinguished.
local tell, blurs = 1 / 100, 1e-3

local function ball(c, r)
  local g = r:pick { 9.81, 1.62 }
  local floor = r:pick { 0, 1, 1, -3, numbers.between(r, -10, 10) }
  local e = r:pick { 0.2, 0.5, 0.8, 0.9, 0.95, numbers.between(r, 0.2, 0.97) }
  local v = g * c.scale / 2
  local first, told = 2 * v / g, c.plan:stream("told"):chance(0.7)
  local limit = c.start + first / (1 - e)
  local exact = r:chance(0.5)
  local flight, speed = first, v
  local error = c.plan.exact and 0 or 10 * c.plan.accuracy
  c:event { name = "bounce", witness = function(ctx) return ctx.h - floor end, direction = "falling", alone = true,
    when = function(ctx) return ctx.resting < 0.5 end,
    writes = "unrestricted_update", act = function(ctx, next)
      next.s = -e * ctx.s
      if exact then next.h = floor end
    end,
    on_zeno = told and function(ctx, next)
      c:note("rest", ctx.time)
      next.resting, next.h, next.s = 1, floor, 0
    end or nil }
  local rest = told and c:clock("rest", { due = limit, tol = 0, early = 0 }) or nil
  local rough = 8 * (math.abs(floor) + v * c.scale)
  -- A state that is integrated to the time of its bounce is up to an ulp of it after the root, and quicker for all
  -- bounces to come.
  local quicker = c.plan.event_state == "reintegrate" and 2 * e / (1 - e) or 0
  local bounce
  bounce = c:clock("bounce", { due = c.start + flight, sign = -1, tol = c:sharp(c.start + first, 16 * rough / v +
    c.scale) + error * first,
    after = function(t, late, blur)
      -- Taken late, at a limit, it is below the floor by now, and quicker.
      local deep = exact and 0 or speed * late + g * late * late / 2
      local up = e * (speed + g * late)
      speed = math.sqrt(math.max(0, up * up - 2 * g * deep))
      flight = (up + speed) / g
      -- What rounding does to the speed adds up, and the ball is an ulp of the time times its speed too low.
      local tol = c:sharp(t, 16 * rough * c.scale / (v * flight) * c.scale + c.scale) +
        4 * error * first + 4 * blur / e + quicker * c:ulp(t)
      if flight < tell * first and rest then rest.early = math.huge end
      bounce.free = flight < blurs * first or tol > 0.01 * flight
      return not bounce.free and t + flight or nil, -1, tol
    end })
  if rest then
    -- No later than the limit, but for what is called late at limits on the way, and for a last hop of the shortest
    -- told.
    rest.tol = tell * first + c:sharp(limit, c.scale) + error * first / (1 - e) * 10
    rest.after = function() bounce.free, bounce.due = false, nil end
  else
    c.raises = "accumulat"
  end
  c.final = function(ctx, fail)
    local h, s = ctx[c.state_prefix .. "h"], ctx[c.state_prefix .. "s"]
    if told and (h ~= floor or s ~= 0) then fail("not at rest", "height %.17g for %.17g, speed %g", h, floor, s) end
  end
  c.least, c.step = blurs * first, first / 4.1
  return { q = { { "h", floor } }, v = { { "s", v } }, discrete = { { "resting", 0 } },
    derivatives = function(ctx, dot)
      dot.h = ctx.s
      dot.s = ctx.resting > 0.5 and 0 or -g
    end }, limit + (limit - c.start) * 0.5
end

return { degree = 2, interior = true, make = function(c)
  local r = c.r
  c.scale = c.plan:scale(-1, 1)
  local spec, stop = ball(c, r)
  return c:build(spec, stop)
end }
