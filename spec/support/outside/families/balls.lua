-- Balls on floors at any height. A ball loses speed in some bounces and is then thrown again; a publish at some height
-- sees it go up and down, twice a flight or not at all.
local numbers = require "spec.support.outside.numbers"

local function ball(c, r, i, g, spec)
  local h, s, n = "h" .. i, "s" .. i, "n" .. i
  local floor = r:pick { 0, 0, 1, -3, numbers.between(r, -10, 10) }
  local v0 = g * c.scale * numbers.between(r, 0.3, 1) / 2
  local e = r:chance(0.3) and 1 or numbers.between(r, 0.5, 0.95)
  local turns = e == 1 and 1 or r:integer(1, math.floor(math.log(0.05) / math.log(e)))
  local keeps_height = r:chance(0.5)
  -- What heights are rounded at, over a flight of several steps.
  local rough = (math.abs(floor) + v0 * v0 / (2 * g)) * (c.plan.method.fixed and 100 or 16)
  local function speed(k) return v0 * e ^ (k % turns) end

  spec.q[i], spec.v[i], spec.discrete[i] = { h, floor }, { s, v0 }, { n, 0 }
  c:event { name = "bounce" .. i, witness = function(ctx) return ctx[h] - floor end, direction = "falling",
    alone = true, writes = "unrestricted_update", act = function(ctx, next)
      next[n] = ctx[n] + 1
      next[s] = speed(ctx[n] + 1)
      if not keeps_height then next[h] = floor end
    end }

  local k = 0
  local since, v = c.start, v0
  local level = floor + v0 * v0 / (2 * g) * r:pick { numbers.between(r, 0.02, 0.95), 1 - numbers.decades(r,
    c.shallow, -1) }
  local pass, blurred = { tol = 0 }, 0
  -- Both passages of a flight, where its top is above the level by a part that rounding cannot take away.
  local function passages(up)
    local over = 1 - 2 * g * (level - floor) / (v * v)
    local margin = 1e-7 + 16 * (16 * numbers.ulp(since) + blurred / v) * g / v
    if over < margin then
      pass.free, pass.due, pass.sign = over > -margin, nil, nil
      return
    end
    local root = v * math.sqrt(over)
    pass.free, pass.due, pass.sign = false, since + (up and v - root or v + root) / g, up and 1 or -1
    -- A root late by an ulp leaves the ball below the floor by so much of its speed.
    pass.tol = c:sharp(since, rough / root + c.scale) + (c:error(v) + 4 * numbers.ulp(since) * v + blurred) / root
  end
  pass.after = function()
    if pass.sign == 1 then passages(false) else pass.due = nil end
    return pass.due, pass.sign, pass.tol
  end

  c:clock("bounce" .. i, { due = since + 2 * v / g, sign = -1, tol = c:sharp(since, rough / v + c.scale) +
    c:error(v) / v,
    after = function(t, late, blur)
      -- Taken late, at a limit, a ball that keeps its height starts below the floor.
      local deep = keeps_height and v * late + g * late * late / 2 or 0
      k, blurred = k + 1, 2 * v * blur
      v = speed(k)
      local rest = math.sqrt(v * v - 2 * g * deep)
      since = t + (v - rest) / g
      v = rest
      passages(true)
      return since + 2 * v / g, -1, c:sharp(t, rough / v + c.scale) + (c:error(v0) + blurred) / v
    end })
  passages(true)
  local drawn = v * math.sqrt(math.max(0, 1 - 2 * g * (level - floor) / (v * v)))
  c.least = math.min(c.least or math.huge, 2 * speed(turns - 1) / g, e == 1 and 2 * drawn / g or math.huge)
  if e < 1 then
    for j = 0, turns - 1 do
      local over = 1 - 2 * g * (level - floor) / speed(j) ^ 2
      if math.abs(over) < 1e-7 then return end
      if over > 0 then c.least = math.min(c.least, 2 * speed(j) * math.sqrt(over) / g) end
    end
  end
  c:event { name = "pass" .. i, witness = function(ctx) return ctx[h] - level end }
  c:clock("pass" .. i, pass)
end

return { degree = 2, make = function(c)
  local r = c.r
  c.scale = c.plan:scale(-1.5, 1.5)
  c.crosses_back = true
  -- How near to a top a height may be: steps must fit in between, where nobody searches inside of them.
  local p = c.plan
  c.shallow = (not p.interior or p.method.fixed or p.dense_output == "hermite") and -2 or -6
  local g = r:pick { 9.81, 1.62, 0.1 }
  -- Newton's iteration: what is not integrated to rounding, by the speed.
  function c:error(v) return self.plan.exact and 0 or 10 * self.plan.accuracy * v * self.scale end
  local spec = { q = {}, v = {}, discrete = {} }
  local m = r:integer(1, 4)
  for i = 1, m do ball(c, r, i, g, spec) end
  spec.derivatives = function(ctx, dot)
    for i = 1, m do
      dot["h" .. i] = ctx["s" .. i]
      dot["s" .. i] = -g
    end
  end
  return c:build(spec, c.start + c.scale * r:integer(3, 30))
end }
