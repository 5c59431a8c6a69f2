-- The rimless wheel: spokes without a rim roll down a slope from spoke to spoke (McGeer 1990). Parameters and start
-- are those of Drake's example.
--
-- When the wheel rolls forward, the next spoke touches the ground at the angle slope + alpha. When it rolls back, the
-- last spoke touches at slope - alpha. A touch multiplies the rate by cos(2 alpha). When the rate is too small, both
-- spokes remain on the ground. On level ground the wheel rocks to rest: --set slope=0 --set rate=1.5 --duration 6
local saltus = require "saltus"

local function rolling(ctx) return ctx.support == "single" end
local function alpha(ctx) return math.pi / ctx.number_of_spokes end

-- The spoke in front (sign 1) or behind (-1) becomes the stance spoke.
local function step(ctx, next, sign)
  next.angle = ctx.angle - sign * 2 * alpha(ctx)
  next.rate = ctx.rate * math.cos(2 * alpha(ctx))
  next.toe = ctx.toe + sign * 2 * ctx.length * math.sin(alpha(ctx))
  if sign * next.rate < 0.01 * math.sqrt(ctx.gravity / ctx.length) then
    next.support, next.rate = "double", 0
  end
end

local wheel = saltus.system {
  name     = "wheel",
  q        = { { "angle", 0, unit = "rad", doc = "angle of the stance spoke from the vertical" } },
  v        = { { "rate", 1.2, unit = "rad/s" } },
  discrete = {
    { "toe", 0, unit = "m", doc = "position of the stance foot along the slope" },
    { "support", "single", values = { "single", "double" } },
  },
  params   = {
    { "gravity", 9.81, unit = "m/s^2" }, { "length", 1, unit = "m" }, { "mass", 1, unit = "kg" },
    { "number_of_spokes", 8 }, { "slope", 0.08, unit = "rad" },
  },

  derivatives = function(ctx, dot)
    dot.angle = ctx.rate
    dot.rate = rolling(ctx) and math.sin(ctx.angle) * ctx.gravity / ctx.length or 0
  end,

  events = {
    { name = "backward", when = rolling, direction = "falling",
      witness = function(ctx) return ctx.angle - ctx.slope + alpha(ctx) end,
      unrestricted_update = function(ctx, next) step(ctx, next, -1) end },
    { name = "forward", when = rolling, direction = "falling",
      witness = function(ctx) return ctx.slope + alpha(ctx) - ctx.angle end,
      unrestricted_update = function(ctx, next) step(ctx, next, 1) end },
  },
}

local function draw(ctx, pen)
  local cos, sin = math.cos(ctx.slope), math.sin(ctx.slope)
  pen:line(-2 * cos, 2 * sin, 7 * cos, -7 * sin)
  local foot_x, foot_y = ctx.toe * cos, -ctx.toe * sin
  local hub_x, hub_y = foot_x + ctx.length * math.sin(ctx.angle), foot_y + ctx.length * math.cos(ctx.angle)
  for k = 0, ctx.number_of_spokes - 1 do
    local direction = ctx.angle + 2 * k * alpha(ctx)
    pen:line(hub_x, hub_y, hub_x - ctx.length * math.sin(direction), hub_y - ctx.length * math.cos(direction),
      { colour = k == 0 and 2 or 1, width = 3 })
  end
  pen:circle(hub_x, hub_y, 0.1, { colour = 1, fill = true })
  pen:trail(hub_x, hub_y, { colour = "soft", dashed = true })
end

return saltus.scenario { system = wheel, duration = 4, accuracy = 1e-8, draw = draw,
  log = { "angle", "rate", "toe", every = 0.01 } }
