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
      local was = e.active
      e.active = e.spec.direction ~= "none" and (not e.spec.when or e.spec.when(e.part.ctx))
      if e.active and not was then e.level, e.settle, e.fired = nil, nil, nil end
      e.w0 = e.active and e.spec.witness(e.part.ctx)
      if e.active and e.settle then -- handled: is it left on or beyond its surface?
        e.level = e.w0 * e.near <= 0 and e.w0 or nil
        e.settle = nil
      elseif e.active and e.level and (e.w0 * e.near > 0 or (e.w0 - e.level) * e.near < 0) then
        e.level = nil
      end
    end
  end
end

-- From a value that is not zero to one that is zero or beyond; on the surface, from its near side to its level.
local function crosses(e, w1)
  local a, b = e.w0 - (e.level or 0), w1 - (e.level or 0)
  if not ((a > 0 and b <= 0) or (a < 0 and b >= 0)) then return nil end
  if e.level and (w1 * e.near > 0 or a * e.near <= 0) then return nil end
  local wanted = e.spec.direction or "crossing"
  if not e.level and wanted ~= "crossing" and wanted ~= (a > 0 and "falling" or "rising") then return nil end
  return a / (a - b), a > 0 and 1 or -1
end

-- Witnesses that crossed over the step: the earliest fires, with it those within 4 ulp; the step ends there.
function flow:cut(t0, t1, kept, rates, at_limit)
  local first, found = 2, {}
  for _, e in ipairs(self.events) do
    local theta, near
    if e.active then theta, near = crosses(e, e.spec.witness(e.part.ctx)) end
    if theta then
      found[#found + 1] = { e = e, theta = self.options.isolation and theta or 1, near = near }
      first = math.min(first, found[#found].theta)
    end
  end
  if first > 1 then return end
  local t, fires = t0 + first * (t1 - t0), nil
  for _, f in ipairs(found) do
    if self.same(t0 + f.theta * (t1 - t0), t) then f.e.fired, f.e.near, fires = true, f.near, f.e end
  end
  if first == 1 or (at_limit and t1 - t <= self.options.window) then return end
  for k = 0, 60 do -- the event is seen from the far side of its surface
    self:move(t0, kept, rates, t - t0, t)
    if (fires.spec.witness(fires.part.ctx) - (fires.level or 0)) * fires.near <= 0 then return end
    t = t0 + (first + 2.0 ^ (k - 53)) * (t1 - t0)
  end
end

return flow
