-- Runners to one goal: who is first sends all back, at speeds of a new round; a guard lets some of them go for
-- nothing. The next one may be as near as some hundred ulp of the time: it must not be taken for a finisher.
local numbers = require "spec.support.outside.numbers"

return { degree = 1, make = function(c)
  local r = c.r
  c.scale = c.plan:scale()
  local m, rounds = r:integer(2, 4), r:integer(1, 7)
  local goal = r:pick { 1, 0.375, 3 }
  -- table[round][i]: seconds to the goal; `out[round]`: who does not count, though quickest.
  local seconds, out = {}, {}
  for k = 1, rounds do
    local winner, best = r:integer(1, m), c.scale * numbers.between(r, 0.5, 2)
    seconds[k] = {}
    local nearest = math.max(2000 * numbers.ulp(math.abs(c.start) + 100 * c.scale), 1e-12 * best,
      c.plan.method.implicit and 20 * c.plan.accuracy * best or 0)
    for i = 1, m do
      local behind = r:chance(0.5) and best * numbers.decades(r, -12, 0) or best * r:real()
      seconds[k][i] = i == winner and best or best + math.max(behind, nearest)
    end
    if r:chance(0.4) then
      out[k] = r:integer(1, m)
      if out[k] == winner then out[k] = nil else seconds[k][out[k]] = best * numbers.between(r, 0.3, 0.9) end
    end
    c.least = math.min(c.least or math.huge, best / 4)
  end

  local spec = { z = {}, discrete = { { "round", 1 } } }
  for i = 1, m do
    spec.z[i], spec.discrete[i + 1] = { "x" .. i, 0 }, { "rate" .. i, goal / seconds[1][i] }
  end
  spec.derivatives = function(ctx, dot)
    for i = 1, m do dot["x" .. i] = ctx["rate" .. i] end
  end
  local round = 1
  local function start(t)
    for i = 1, m do
      local clock = c.named["w" .. i]
      local due = t + seconds[round][i]
      clock.since, clock.tol = c.count(), c:sharp(t, c.scale)
      clock.due = out[round] ~= i and due or nil
    end
  end
  for i = 1, m do
    c:event { name = "w" .. i, witness = function(ctx) return ctx["x" .. i] - goal end, direction = "rising",
      alone = true,
      when = function(ctx) return out[ctx.round // 1] ~= i end,
      writes = "unrestricted_update", act = function(ctx, next)
        local new = ctx.round % rounds + 1
        next.round = new
        for j = 1, m do next["x" .. j], next["rate" .. j] = 0, goal / seconds[new // 1][j] end
      end }
    c:clock("w" .. i, { sign = 1, tol = 0, after = function(t)
      round = round % rounds + 1
      start(t)
      return c.named["w" .. i].due
    end })
  end
  start(c.start)
  return c:build(spec, c.start + c.scale * r:integer(5, 40))
end }
