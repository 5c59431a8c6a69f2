-- Ramps that start anew at a threshold: by a reset, by a reset that keeps what went beyond, or by moving the
-- threshold on. Their periods are commensurate, nearly so, or anything.
local numbers = require "spec.support.outside.numbers"

local function period_of(c, r, like)
  if like == "free" then return c.scale * numbers.between(r, 0.5, 2) end
  local period = c.scale * r:integer(1, 12) / r:integer(1, 12)
  if like == "near" then period = period * (1 + r:pick { -1, 1 } * numbers.decades(r, -15.5, -8)) end
  return math.max(period, c.scale / 6)
end

local function tooth(c, r, i, like, spec)
  local name, level = "x" .. i, "level" .. i
  local up = r:pick { -1, 1 }
  local threshold = up * r:pick { 0.375, 1, 1 / 3, numbers.between(r, 0.1, 2) }
  local period = period_of(c, r, like)
  local rate = threshold / period
  local x0 = r:chance(0.5) and 0 or threshold * r:integer(-4, 4) / 5
  local how = r:pick { "reset", "carry", "stair" }
  spec.z[i] = { name, x0 }
  spec.discrete[i] = { level, threshold }
  spec.rates[name] = rate
  c.least = math.min(c.least or math.huge, period)

  local due = c.start + (threshold - x0) / rate
  local count = 0
  local writes, act = "unrestricted_update"
  if how == "reset" then
    act = function(_, next) next[name] = 0 end
  elseif how == "carry" then
    act = function(ctx, next) next[name] = ctx[name] - threshold end
  else
    act = function(ctx, next) next[level] = ctx[level] + threshold end
    if r:chance(0.5) then writes = "discrete_update" end
  end
  c:event { name = "w" .. i, witness = function(ctx) return ctx[name] - ctx[level] end, writes = writes, act = act,
    direction = up > 0 and "rising" or "falling", alone = true }
  c:clock("w" .. i, { due = due, sign = up, tol = c:sharp(due, period), line = how ~= "reset", after = function(t)
    count = count + 1
    due = how == "reset" and t + period or due + period
    return due, up, c:sharp(t, how == "reset" and period or period * (1 + count))
  end })
  return how ~= "stair"
end

return { degree = 1, make = function(c)
  local r = c.r
  c.scale = c.plan:scale()
  local like = r:pick { "commensurate", "commensurate", "near", "free" }
  local spec = { z = {}, discrete = {}, rates = {} }
  local jumps = false
  for i = 1, r:integer(2, 5) do jumps = tooth(c, r, i, like, spec) or jumps end
  local rates = spec.rates
  spec.rates = nil
  spec.derivatives = function(_, dot)
    for name, rate in pairs(rates) do dot[name] = rate end
  end
  c.flows_alone = not jumps
  return c:build(spec, c.start + c.scale * r:integer(5, 40))
end }
