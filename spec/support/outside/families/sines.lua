-- An oscillator and levels, its own or of a quicker sine of time: x - level, x - a sin(nu t + phase) - level, x
-- cos(nu t) - level. Every root is known beforehand from the closed form, in every direction.
local numbers = require "spec.support.outside.numbers"

local forms = {}

-- Each: w(ctx), and of the phase s since the start value and slope; g and its frequency.
function forms.level(_, r)
  local level = numbers.between(r, -0.95, 0.95)
  return { frequency = 0, w = function(ctx) return ctx.x - level end,
    g = function(_, x) return x - level end, slope = function(_, _, y) return y end }
end

function forms.moving(c, r, omega)
  local nu, phase, size = omega * numbers.decades(r, -2, 0.5), r:real() * 6, numbers.between(r, 0.1, 0.8)
  local level, start = numbers.between(r, -0.3, 0.3), c.start
  return { frequency = nu, w = function(ctx) return ctx.x - size * math.sin(nu * ctx.time + phase) - level end,
    g = function(s, x) return x - size * math.sin(nu * (start + s) + phase) - level end,
    slope = function(s, _, y) return y - size * nu / omega * math.cos(nu * (start + s) + phase) end }
end

function forms.rotating(c, r, omega)
  local nu, level, start = omega * numbers.decades(r, -2, 0), numbers.between(r, -0.5, 0.5), c.start
  return { frequency = nu, w = function(ctx) return ctx.x * math.cos(nu * ctx.time) - level end,
    g = function(s, x) return x * math.cos(nu * (start + s)) - level end,
    slope = function(s, x, y)
      local a = nu * (start + s)
      return y * math.cos(a) - x * nu / omega * math.sin(a)
    end }
end

function forms.ramp(c, r, omega)
  local size, start = omega * numbers.decades(r, -3, -1) * r:pick { -1, 1 }, c.start
  return { frequency = 0, w = function(ctx) return ctx.x - size * (ctx.time - start) end,
    g = function(s, x) return x - size * s end, slope = function(_, _, y) return y - size / omega end }
end

-- The roots of one witness, or nil where it comes so near to zero that the accuracy cannot decide.
local function roots(c, form, omega, phi, span)
  local function g(s) return form.g(s, math.sin(omega * s + phi), math.cos(omega * s + phi)) end
  local function slope(s) return form.slope(s, math.sin(omega * s + phi), math.cos(omega * s + phi)) end
  local found, nearest = numbers.roots(g, slope, 0, span, 0.2 / (omega + form.frequency))
  local margin = 0.02 + 4 * c:error_of(omega * span)
  if nearest < margin then return nil end
  for _, root in ipairs(found) do
    if root.slope < 0.05 then return nil end
  end
  return found
end

local function one(c, r, omega, phi, span, i)
  local form, found
  for _ = 1, 50 do
    form = forms[c.plan.time_alone and "moving" or r:pick { "level", "moving", "moving", "rotating", "ramp" }](c, r,
      omega)
    found = roots(c, form, omega, phi, span)
    if found then break end
  end
  if not found then return end
  c.least = math.min(c.least or math.huge, numbers.least_gap(found))
  c.fastest = math.max(c.fastest or 0, form.frequency)
  local direction = c.plan.direction == "directed" and r:pick { "rising", "falling" } or nil
  local mine, k = {}, 1
  for _, root in ipairs(found) do
    if not direction or (direction == "rising") == (root.sign > 0) then mine[#mine + 1] = root end
  end
  local function entry()
    local root = mine[k]
    if not root then return nil end
    -- Time comes rounded into the sine of the witness too: nu t.
    local tol = c:error_of(omega * root.at) / (omega * root.slope) + 64 * numbers.ulp(c.start +
      root.at) / math.min(1, root.slope)
    return c.start + root.at, root.sign, tol
  end
  local due, sign, tol = entry()
  c:event { name = "w" .. i, witness = form.w, direction = direction }
  c:clock("w" .. i, { due = due, sign = sign, tol = tol or 0, line = true, after = function()
    k = k + 1
    return entry()
  end })
  return true
end

return { degree = math.huge, make = function(c)
  local r = c.r
  c.scale = c.plan:scale(-1.5, 1.5)
  c.crosses_back, c.flows_alone = true, true
  local omega, phi = 6 / c.scale, r:real() * 6
  local span = c.scale * numbers.between(r, 1, c.plan.accuracy > 1e-5 and 3 or 8)
  for i = 1, r:integer(1, 5) do one(c, r, omega, phi, span, i) end
  -- Within a third of a turn, a witness has two roots at most.
  c:smooth(omega + (c.fastest or 0), 2)
  c.least = c.least or c.scale
  return c:build({ z = { { "x", math.sin(phi) }, { "y", math.cos(phi) } },
    derivatives = function(ctx, dot) dot.x, dot.y = omega * ctx.y, -omega * ctx.x end }, c.start + span)
end }
