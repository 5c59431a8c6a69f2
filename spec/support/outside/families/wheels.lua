-- A rimless wheel made linear: the hub falls over each foot by a'' = a, loses speed as the next comes down. Thrown on
-- flat ground it rolls some steps and then rocks between two feet, to a Zeno point that their witnesses share.
local numbers = require "spec.support.outside.numbers"

-- From angle a and rate w (signs turned so that the foot is at +b): seconds to the foot, nil when the hub does not
-- get over.
local function seconds_to(a, w, b)
  local p, q = (a + w) / 2, (a - w) / 2
  -- p e^s + q e^-s = b
  local root = b * b - 4 * p * q
  if root < 0 then return nil end
  local best
  for _, sign in ipairs { -1, 1 } do
    local e = (b + sign * math.sqrt(root)) / (2 * p)
    if e == e and e > 1 + 1e-9 and (not best or e < best) then best = e end
  end
  return best and math.log(best)
end

-- From the throw to the Zeno point: { { seconds, foot } }, nil when it nearly stops at its top.
local function chain(w, b, keeps)
  local a, list, total = 0, {}, 0
  while #list < 2000 do
    local forward, back = seconds_to(a, w, b), seconds_to(-a, -w, b)
    local to = forward and (not back or forward < back) and 1 or -1
    local s = to > 0 and forward or back
    if not s or (#list > 0 and math.abs(math.abs(w) - b) < 0.03 * b) then return nil end
    list[#list + 1] = { seconds = s, to = to, speed = math.abs(w) }
    total = total + s
    w = keeps * (a * (math.exp(s) - math.exp(-s)) + w * (math.exp(s) + math.exp(-s))) / 2
    a = -to * b
    if s < 1e-3 then return list, total + s / (1 - keeps) end
  end
end

return { degree = math.huge, interior = true, make = function(c)
  local r = c.r
  c.scale = math.max(1, c.plan:scale(0, 0))
  local rate, b, keeps, w0, falls, total = 1 / c.scale
  repeat
    b, keeps = numbers.between(r, 0.2, 0.5), numbers.between(r, 0.5, 0.8)
    w0 = b * numbers.between(r, 0.3, 3) * r:pick { -1, 1 }
    falls, total = chain(w0, b, keeps)
  until falls
  local told, exact = c.plan:stream("told"):chance(0.7), r:chance(0.5)
  local limit = c.start + total * c.scale
  local clocks, n, wrong, rest = {}, 0, c:error_of(1), nil
  -- A state that is integrated to the time of its touch is up to an ulp of it after the root.
  local late = c.plan.event_state == "reintegrate" and 4 * rate or 0

  local function aim(t)
    n = n + 1
    local fall = falls[n]
    clocks[1].due, clocks[-1].due = nil, nil
    -- The flow spreads what is wrong by e^s, a step of the wheel keeps a part of it.
    wrong = fall and wrong * math.exp(fall.seconds) * math.max(1, b / fall.speed) * keeps + c:error_of(fall.seconds)
    local tol = fall and (wrong / math.max(fall.speed, b / 2) * c.scale + c:sharp(t, 16 * c.scale / fall.speed))
    if not fall or fall.seconds < 0.02 or tol > 0.05 * fall.seconds * c.scale then
      clocks[1].free, clocks[-1].free = true, true
      if rest then rest.early = math.huge end
      return
    end
    local clock = clocks[fall.to]
    clock.due, clock.tol, clock.since = t + fall.seconds * c.scale, tol, c.count()
  end
  for _, to in ipairs { 1, -1 } do
    c:event { name = to > 0 and "forward" or "back", witness = function(ctx) return b - to * ctx.a end,
      direction = "falling",
      when = function(ctx) return ctx.resting < 0.5 end,
      writes = "unrestricted_update", act = function(ctx, next)
        next.a = exact and -to * b or ctx.a - 2 * to * b
        next.w = keeps * ctx.w
      end,
      on_zeno = told and function(ctx, next)
        c:note("rest", ctx.time)
        next.resting, next.w = 1, 0
      end or nil }
    clocks[to] = c:clock(to > 0 and "forward" or "back", { sign = -1, tol = 0, after = function(t, taken_late)
      clocks[to].due = nil
      -- Taken late, at a limit, the next fall begins elsewhere.
      wrong = wrong + 4 * math.abs(taken_late) * rate + late * c:ulp(t)
      if not clocks[to].free then aim(t) end
      return clocks[to].due, -1, clocks[to].tol
    end })
  end
  if told then
    rest = c:clock("rest", { due = limit, early = 0, tol = c.scale * (0.1 + 2000 * c.plan.accuracy), after = function()
      clocks[1].free, clocks[-1].free = false, false
    end })
  else
    c.raises = "accumulat"
  end
  aim(c.start)
  c.final = function(ctx, fail)
    local angle = ctx[c.state_prefix .. "a"]
    if math.abs(angle) > b + 1e-3 then fail("fell through", "the hub is at %g, feet at %g", angle, b) end
  end
  c.least = c.scale * 0.02
  c:smooth(rate, 10)
  return c:build({ z = { { "a", 0 }, { "w", w0 } }, discrete = { { "resting", 0 } },
    derivatives = function(ctx, dot)
      local on = ctx.resting > 0.5 and 0 or rate
      dot.a, dot.w = on * ctx.w, on * ctx.a
    end }, limit + c.scale * 2)
end }
