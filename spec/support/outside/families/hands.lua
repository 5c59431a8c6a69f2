-- A state that integrates an input that the host feeds along straight lines, through a block or by itself: parabolas,
-- then straight on, each begun anew where the last one is. Witnesses of the state, and of the state and time, in both
-- directions.
local numbers = require "spec.support.outside.numbers"

return { degree = 2, make = function(c)
  -- At large times a line is as rough as the time, which the error control must not see.
  c.scale = math.max(c.plan:scale(), 1e4 * numbers.ulp(c.start) / c.plan.accuracy)
  local r, scale, start = c.r, c.scale, c.start
  c.crosses_back, c.flows_alone, c.least = true, true, 0.05 * scale
  local host = c.plan:stream "host"

  -- Times are counted in `scale`, from the start: z' = u. The line from (t0, u0, z0) to (t1, u1), then level.
  local line = { t0 = 0, u0 = 0.5, z0 = 0, t1 = 0, u1 = 0.5 }
  local lines = 1 -- so far; each begins at a rounded time, and z is off by what it moves in an ulp
  local function slope_of(l) return l.t1 > l.t0 and (l.u1 - l.u0) / (l.t1 - l.t0) or 0 end
  local function at(l, t)
    local s, a = math.min(t, l.t1) - l.t0, slope_of(l)
    local z, u = l.z0 + l.u0 * s + a * s * s / 2, t < l.t1 and l.u0 + a * s or l.u1
    return z + (t > l.t1 and l.u1 * (t - l.t1) or 0), u
  end

  -- z - level - drift t on a line: { at, sign, speed } in order, nil where it is near to touching zero, or near to it
  -- at a corner.
  local function roots_of(w, l)
    local list = {}
    local function g(t) return at(l, t) - w.level - w.drift * t end
    local function add(t, speed)
      if math.abs(speed) < 0.05 then return false end
      list[#list + 1] = { at = t, sign = speed > 0 and 1 or -1, speed = math.abs(speed) }
      return true
    end
    if math.abs(g(l.t1)) < 0.02 or math.abs(g(l.t0)) < 0.02 then return nil end
    local a, b, k = slope_of(l) / 2, l.u0 - w.drift, g(l.t0)
    if math.abs(l.u1 - w.drift) < 0.05 then return nil end
    if l.t1 > l.t0 then
      local root = b * b - 4 * a * k
      if a ~= 0 and math.abs(root) < 0.01 then return nil end
      if a ~= 0 and root > 0 then
        local q = -(b + (b < 0 and -1 or 1) * math.sqrt(root)) / 2
        local s1, s2 = math.min(q / a, k / q), math.max(q / a, k / q)
        for _, s in ipairs { s1, s2 } do
          if s > 0 and s < l.t1 - l.t0 and not add(l.t0 + s, b + 2 * a * s) then return nil end
        end
      end
    end
    local s = -g(l.t1) / (l.u1 - w.drift)
    if s > 0 and not add(l.t1 + s, l.u1 - w.drift) then return nil end
    return list
  end

  local watched = {}
  local function aim(w, after)
    local clock, due = w.clock, nil
    for _, root in ipairs(w.roots) do
      if not due and root.at > after and (not w.direction or w.direction == root.sign) then due = root end
    end
    clock.due, clock.sign = due and start + due.at * scale, due and due.sign
    w.next = due and due.at
    clock.tol = due and c:sharp(clock.due, (16 + math.abs(at(line, due.at)) + due.at) * scale / due.speed) +
      lines * c:ulp(clock.due) / due.speed or 0
  end
  for i = 1, r:integer(1, 3) do
    local w = { level = numbers.between(r, -2, 2), drift = r:chance(0.5) and 0 or numbers.between(r, -0.3, 0.3),
      direction = c.plan.direction == "directed" and r:pick { 1, -1 } or nil }
    local drift = w.drift / scale
    c:event { name = "w" .. i, direction = w.direction and (w.direction > 0 and "rising" or "falling"),
      witness = function(ctx) return ctx.z - w.level - drift * (ctx.time - start) end }
    w.clock = c:clock("w" .. i, { tol = 0, line = true })
    w.clock.after = function()
      aim(w, w.next)
      return w.clock.due, w.clock.sign, w.clock.tol
    end
    w.roots = roots_of(w, line)
    while not w.roots do
      w.level = w.level + 0.07
      w.roots = roots_of(w, line)
    end
    watched[i] = w
  end

  function c.before(sim, now, target)
    local t0 = (now - start) / scale
    if host:chance(0.3) or (t0 < line.t1 and host:chance(0.5)) then return end
    local z0, u0 = at(line, t0)
    local t1 = t0 + math.max(0.05, (target - now) / scale * numbers.between(host, 0.2, 3))
    local new = { t0 = t0, u0 = u0, z0 = z0, t1 = t1, u1 = numbers.between(host, -1, 1) }
    new.t1 = (start + scale * t1 - start) / scale
    local roots = {}
    for i, w in ipairs(watched) do
      -- What was taken at this limit still waits for its handler.
      if w.clock.due and w.clock.due <= now + w.clock.tol then return end
      roots[i] = roots_of(w, new)
      if not roots[i] then return end
    end
    line, lines = new, lines + 1
    sim:feed(c:hand "u", start + scale * t1, line.u1)
    for i, w in ipairs(watched) do
      w.roots = roots[i]
      aim(w, t0)
    end
  end
  local rate = 1 / scale
  c:build({ z = { { "z", 0 } }, inputs = { { "u", line.u1 } },
    derivatives = function(ctx, dot) dot.z = ctx.u * rate end }, start + scale * r:integer(5, 20))
  c.values[c:hand "u"] = line.u1
  for _, w in ipairs(watched) do aim(w, 0) end
  return c
end }
