-- How the naive twin (twin.lua) flows: explicit Euler between instants, and witnesses that end a step.
local flow = {}

function flow:euler()
  local rates = {}
  for i, part in ipairs(self.parts) do
    rates[i] = {}
    if part.system.derivatives then part.system.derivatives(part.ctx, rates[i]) end
  end
  return rates
end

function flow:move(t0, kept, rates, h, t)
  self.t = t or t0 + h
  for i, part in ipairs(self.parts) do
    for _, name in ipairs(part.flows) do part.now[name] = kept[i][name] + h * rates[i][name] end
  end
end

-- Without an event in reach the maximum step; an event may stretch it by 1 %, a sliver joins it.
function flow:target(instant, boundary)
  local to, h = math.min(instant, boundary), self.options.max_step
  if not self.flowing then return to end
  local reach = self.t + h
  local stretched = instant <= boundary and self.t + 1.01 * h or reach
  if stretched < to and not (to - reach < 1e-9 * h) then return reach end
  return to
end

function flow:arm()
  for _, e in ipairs(self.events) do
    if e.trigger == "witness" then
      local was, came = e.active, e.w0
      e.active = e.spec.direction ~= "none" and (not e.spec.when or e.spec.when(e.part.ctx))
      if e.active and not was then e.level, e.settle, e.fired, e.turned, e.thrown = nil, nil, nil, nil, nil end
      e.w0 = e.active and e.spec.witness(e.part.ctx)
      if e.active and e.settle then -- handled: is it left on or beyond its surface?
        e.level = e.w0 * e.near <= 0 and e.w0 or nil
        e.settle = nil
      elseif e.active and e.level and (e.w0 * e.near > 0 or (e.w0 - e.level) * e.near < 0) then
        e.level = nil
      elseif e.active and was and not e.level and e.turned and e.w0 == 0 and came ~= 0 then
        e.level, e.near = 0, came > 0 and 1 or -1 -- brought to zero by a flow that then turned
      end
      e.turned, e.thrown = e.turned and e.level, e.thrown and e.level
    end
  end
end

-- Updates of this instant wrote these parts: did they, after a crossing, change how a witness flows, but not where it
-- is? Where it is changes with its own part and those upstream. So it stays for who is on its surface, until it leaves
-- that, or another crossing's updates change where it is.
function flow:turn(kept, written)
  local crossed, moved, all = false, {}, next(written) ~= nil
  for _, e in ipairs(self.events) do crossed = crossed or e.settle end
  if not crossed then return end
  for i, part in ipairs(self.parts) do
    for _, name in ipairs(part.flows) do moved[part] = moved[part] or part.now[name] ~= kept[i][name] or nil end
  end
  for part in pairs(written) do all = all and moved[part] end
  local elsewhere = self:downstream(moved)
  for _, e in ipairs(self.events) do
    if e.settle then e.thrown, e.turned = elsewhere[e.part], e.turned and not elsewhere[e.part] end
  end
  for _, e in ipairs(self.events) do
    if not all and not elsewhere[e.part] then e.turned = not e.thrown end
  end
end

local function fits(e, from)
  local wanted = e.spec.direction or "crossing"
  return wanted == "crossing" or wanted == (from > 0 and "falling" or "rising")
end

-- From a value that is not zero to one that is zero or beyond; on the surface, from its near side to its level, or,
-- where the flow was turned, back to its near side. Answers where, from which side, and the level.
local function crosses(e, w1)
  if e.level and w1 * e.near > 0 then
    if e.turned and fits(e, -e.near) then return math.max(e.w0 / (e.w0 - w1), 0x1p-52), -e.near, 0 end
    return nil
  end
  local level = e.level or 0
  local a, b = e.w0 - level, w1 - level
  if not ((a > 0 and b <= 0) or (a < 0 and b >= 0)) then return nil end
  if e.level and a * e.near <= 0 or not e.level and not fits(e, a) then return nil end
  return a / (a - b), a > 0 and 1 or -1, level
end

-- Witnesses that crossed over the step: the earliest fires, with it those within 4 ulp; the step ends there.
function flow:cut(t0, t1, kept, rates, at_limit)
  local first, found = 2, {}
  for _, e in ipairs(self.events) do
    local theta, near, level
    if e.active then theta, near, level = crosses(e, e.spec.witness(e.part.ctx)) end
    if theta then
      found[#found + 1] = { e = e, theta = self.options.isolation and theta or 1, near = near, level = level }
      first = math.min(first, found[#found].theta)
    end
  end
  if first > 1 then return end
  local t, fires = t0 + first * (t1 - t0), nil
  for _, f in ipairs(found) do
    if self.same(t0 + f.theta * (t1 - t0), t) then f.e.fired, f.e.near, fires = true, f.near, f end
  end
  if first == 1 or (at_limit and t1 - t <= self.options.window) then return end
  for k = 0, 60 do -- the event is seen from the far side of its surface
    self:move(t0, kept, rates, t - t0, t)
    if (fires.e.spec.witness(fires.e.part.ctx) - fires.level) * fires.near <= 0 then return end
    t = t0 + (first + 2.0 ^ (k - 53)) * (t1 - t0)
  end
end

return flow
