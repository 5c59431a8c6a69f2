-- An input that the host feeds along straight lines, each begun where the last one, or a part of it, ended: witnesses
-- of it, of it and time, and a condition, cross as they do states.
local numbers = require "spec.support.outside.numbers"

return { degree = 1, make = function(c)
  local r = c.r
  c.scale = c.plan:scale()
  local level, slope = numbers.between(r, -0.5, 0.5), numbers.between(r, -0.2, 0.2) / c.scale
  local start = c.start
  -- From t0 at u0 to t1 at u1, then level.
  local line = { t0 = start, u0 = 0, t1 = start, u1 = 0 }
  local host = c.plan:stream "host"

  local function value(t)
    if t >= line.t1 then return line.u1 end
    return line.u0 + (line.u1 - line.u0) * (t - line.t0) / (line.t1 - line.t0)
  end

  local watched = {}
  local function watch(name, drift, direction, event)
    event.name = name
    c:event(event)
    watched[#watched + 1] = { clock = c:clock(name, { tol = 0 }), drift = drift, direction = direction }
  end

  -- The crossing of u - level - drift (t - start) on a straight piece, strictly inside or at its end.
  local function on_piece(w, t0, u0, t1, u1)
    local g0, g1 = u0 - level - w.drift * (t0 - start), u1 - level - w.drift * (t1 - start)
    if (g0 < 0) == (g1 < 0) then return nil end
    local sign = g0 < 0 and 1 or -1
    if w.direction and w.direction ~= sign then return nil end
    local speed = math.abs(g1 - g0) / (t1 - t0)
    return t0 + (t1 - t0) * g0 / (g0 - g1), sign, c:sharp(t0 + (t1 - t0), 4 / speed)
  end

  local function aim(w, now)
    local clock, due, sign, tol = w.clock, nil, nil, nil
    if now < line.t1 then due, sign, tol = on_piece(w, now, value(now), line.t1, line.u1) end
    if not due and w.drift ~= 0 then
      local t0 = math.max(now, line.t1)
      due, sign, tol = on_piece(w, t0, line.u1, c.stop + c.scale, line.u1)
    end
    clock.due, clock.sign, clock.tol, clock.since = due, sign, tol or 0, c.count()
  end
  for _, w in ipairs { { "level", 0 }, { "drifting", slope } } do
    local name, drift = w[1], w[2]
    watch(name, drift, nil, { witness = function(ctx) return ctx.u - level - drift * (ctx.time - start) end })
  end
  watch("over", 0, 1, { becomes = function(ctx) return ctx.u > level end })
  for _, w in ipairs(watched) do
    -- A line's crossing is its only one; the next comes with what follows the corner.
    w.clock.after = function(t)
      w.clock.due = nil
      if w.drift ~= 0 and t < line.t1 then
        local due, sign, tol = on_piece(w, line.t1, line.u1, c.stop + c.scale, line.u1)
        return due, sign, tol
      end
    end
  end

  function c.before(sim, now, target)
    if now < line.t1 and host:chance(0.4) then return end
    local u0 = value(now)
    local t1 = math.max(now + (target - now) * numbers.between(host, 0.2, 3), now + 0.01 * c.scale)
    local u1 = numbers.between(host, -1, 1)
    -- Neither corner so near to a surface that rounding would decide on which side it is.
    for _, w in ipairs(watched) do
      -- What was taken at this limit still waits for its handler.
      if w.clock.due and w.clock.due <= now + w.clock.tol then return end
      if math.abs(u0 - level - w.drift * (now - start)) < 1e-3 then return end
      while math.abs(u1 - level - w.drift * (t1 - start)) < 1e-3 do u1, t1 = u1 + 0.01, t1 end
    end
    line = { t0 = now, u0 = u0, t1 = t1, u1 = u1 }
    sim:feed(c.prefix .. "u", t1, u1)
    for _, w in ipairs(watched) do aim(w, now) end
  end
  c.least = c.scale * 0.01
  c.stop = start + c.scale * r:integer(5, 20)
  line.u1 = level > 0 and level - 0.1 or level + 0.1
  line.u0 = line.u1
  c:build({ z = { { "x", 0 } }, inputs = { { "u", line.u1 } }, derivatives = function(_, dot) dot.x = 1 end }, c.stop)
  for _, w in ipairs(watched) do aim(w, start) end
  return c
end }
