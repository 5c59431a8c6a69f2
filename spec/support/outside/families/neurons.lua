-- What charges towards a limit and is discharged at a threshold, or switched over to another limit (a thermostat):
-- periods are logarithms.
local numbers = require "spec.support.outside.numbers"

local function neuron(c, r, i, spec)
  local x, u = "x" .. i, "u" .. i
  local k = numbers.between(r, 0.5, 3) / c.scale
  local limit = { numbers.between(r, 1.2, 2), -numbers.between(r, 0.2, 1) }
  local high, low = 1, numbers.between(r, 0.05, 0.6)
  local thermostat = r:chance(0.5)
  spec.z[i], spec.discrete[i] = { x, low }, { u, limit[1] }
  spec.rates[i] = k
  local function rise(from) return math.log((limit[1] - from) / (limit[1] - high)) / k end
  local up, down = rise(low), math.log((high - limit[2]) / (low - limit[2])) / k
  c.least = math.min(c.least or math.huge, up, thermostat and down or up)
  -- Of a period: an error of the state by the speed at its end, and Newton's.
  local tol_up = c:error_of(k * up) / (k * (limit[1] - high))
  local tol_down = c:error_of(k * down) / (k * (low - limit[2]))

  local hot = c:clock("hot" .. i, { due = c.start + up, sign = 1, tol = c:sharp(c.start, c.scale) + tol_up })
  if not thermostat then
    c:event { name = "hot" .. i, witness = function(ctx) return ctx[x] - high end, direction = "rising", alone = true,
      writes = "unrestricted_update", act = function(_, next) next[x] = low end }
    hot.after = function(t) return t + up, 1, c:sharp(t, c.scale) + tol_up end
    return
  end
  c:event { name = "hot" .. i, witness = function(ctx) return ctx[x] - high end, direction = "rising",
    writes = "discrete_update", act = function(_, next) next[u] = limit[2] end }
  c:event { name = "cold" .. i, witness = function(ctx) return ctx[x] - low end, direction = "falling",
    writes = "discrete_update", act = function(_, next) next[u] = limit[1] end }
  local cold = c:clock("cold" .. i, { tol = 0, sign = -1 })
  -- From the threshold, passed `late` seconds ago, towards its limit; then to the other threshold, towards the other.
  local function back(from, to, limit1, limit2, late)
    local start = limit1 - (limit1 - from) * math.exp(-k * late)
    return math.log((start - limit2) / (to - limit2)) / k
  end
  -- Taken late at a limit, it starts beyond its threshold.
  hot.after = function(t, late, blur)
    cold.due, cold.tol, cold.since = t + back(high, low, limit[1], limit[2], late),
      4 * c:sharp(t, c.scale) + tol_down + blur * (limit[1] - high) / (high - limit[2]), c.count()
    return nil
  end
  cold.after = function(t, late, blur)
    hot.due, hot.tol, hot.since = t + back(low, high, limit[2], limit[1], late),
      4 * c:sharp(t, c.scale) + tol_up + blur * (low - limit[2]) / (limit[1] - low), c.count()
    return nil
  end
end

return { degree = math.huge, make = function(c)
  local r = c.r
  c.scale = c.plan:scale(-1.5, 1.5)
  local spec = { z = {}, discrete = {}, rates = {} }
  local m = r:integer(1, 4)
  for i = 1, m do neuron(c, r, i, spec) end
  local rates = spec.rates
  spec.rates = nil
  spec.derivatives = function(ctx, dot)
    for i = 1, m do dot["x" .. i] = rates[i] * (ctx["u" .. i] - ctx["x" .. i]) end
  end
  c:smooth(3 / c.scale, c.plan.method.order <= 3 and 1 or 20)
  return c:build(spec, c.start + c.scale * r:integer(3, 15))
end }
