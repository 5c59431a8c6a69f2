-- The compass gait: two legs and a hip walk down a slope without a motor (Goswami, Espiau, Keramane 1996). Parameters
-- and start are those of Drake's example.
--
-- Between footfalls the walker is a double pendulum on the stance foot. At a footfall the legs change roles. The
-- angular momentum of the walker about the new foot is conserved, and so is that of the trailing leg about the hip.
--
--   saltus run examples/07-compass-gait.lua --duration 10 --animate gait.html
local saltus = require "saltus"

local sin, cos, max = math.sin, math.cos, math.max

-- Solves [a b; c d] [x; y] = [p; q].
local function solve(a, b, c, d, p, q)
  local det = a * d - b * c
  return (d * p - b * q) / det, (a * q - c * p) / det
end

-- Parameters with the letters of the papers: masses of leg and hip, leg length, distance of the leg's centre of mass
-- from the hip and from the foot.
local function letters(ctx)
  local l, b = ctx.length_leg, ctx.center_of_mass_leg
  return ctx.mass_leg, ctx.mass_hip, l, b, l - b, ctx.gravity
end

local function derivatives(ctx, dot)
  local m, mh, l, b, a, g = letters(ctx)
  local st, sw, vst, vsw = ctx.stance, ctx.swing, ctx.stance_rate, ctx.swing_rate
  local coupling = m * l * b * cos(sw - st)
  local twist = m * l * b * sin(st - sw)
  local bias_st = -twist * vsw ^ 2 - (mh * l + m * (a + l)) * g * sin(st)
  local bias_sw = twist * vst ^ 2 + m * b * g * sin(sw)
  dot.stance, dot.swing = vst, vsw
  dot.stance_rate, dot.swing_rate = solve(
    mh * l ^ 2 + m * (l ^ 2 + a ^ 2), -coupling,
    -coupling, m * b ^ 2,
    -bias_st, -bias_sw)
end

local function footfall(ctx, next)
  local m, mh, l, b, a = letters(ctx)
  local st, sw, vst, vsw = ctx.stance, ctx.swing, ctx.stance_rate, ctx.swing_rate
  local c = cos(st - sw)
  next.stance, next.swing = sw, st
  next.stance_rate, next.swing_rate = solve(
    -m * b * l * c, m * b ^ 2,
    m * l * (l - b * c) + m * a ^ 2 + mh * l ^ 2, m * b * (b - l * c),
    -m * a * b * vst,
    (mh * l ^ 2 + 2 * m * a * l) * c * vst - m * a * b * (vst + vsw))
  next.toe = ctx.toe - 2 * l * sin((sw - st) / 2)
  next.stance_leg = ctx.stance_leg == "left" and "right" or "left"
end

local gait = saltus.system {
  name     = "gait",
  q        = { { "stance", 0, unit = "rad" }, { "swing", 0, unit = "rad" } },
  v        = { { "stance_rate", 0.4, unit = "rad/s" }, { "swing_rate", -2, unit = "rad/s" } },
  discrete = {
    { "toe", 0, unit = "m", doc = "position of the stance foot along the slope" },
    { "stance_leg", "left", values = { "left", "right" } },
  },
  params   = {
    { "mass_hip", 10, unit = "kg" }, { "mass_leg", 5, unit = "kg" }, { "length_leg", 1, unit = "m" },
    { "center_of_mass_leg", 0.5, unit = "m", doc = "distance from the hip" }, { "gravity", 9.81, unit = "m/s^2" },
    { "slope", 0.0525, unit = "rad" },
  },

  derivatives = derivatives,

  events = {
    -- The swing foot is on the ground when both legs have the same angle to the slope's normal. The model ignores
    -- that the foot touches the ground while it passes the stance leg, as is usual for these models.
    { name = "footfall", direction = "falling",
      witness = function(ctx) return max(2 * ctx.slope - ctx.stance - ctx.swing, ctx.swing - ctx.stance) end,
      unrestricted_update = footfall },
  },
}

-- The ground, the stance leg in one colour for each foot, the swing leg and the hip.
local function draw(ctx, pen)
  local x, y, l = ctx.toe * cos(ctx.slope), -ctx.toe * sin(ctx.slope), ctx.length_leg
  local hip_x, hip_y = x + l * sin(ctx.stance), y + l * cos(ctx.stance)
  local left = ctx.stance_leg == "left"
  pen:line(x - 2, y + 2 * math.tan(ctx.slope), x + 2, y - 2 * math.tan(ctx.slope))
  pen:trail(hip_x, hip_y, { colour = "soft", dashed = true })
  pen:line(x, y, hip_x, hip_y, { colour = left and 1 or 2, width = 4 })
  pen:line(hip_x, hip_y, hip_x - l * sin(ctx.swing), hip_y - l * cos(ctx.swing),
    { colour = left and 2 or 1, width = 4 })
  pen:circle(hip_x, hip_y, 0.06, { fill = true })
end

return saltus.scenario { system = gait, duration = 1.5, accuracy = 1e-8, draw = draw,
  log = { "stance", "swing", "toe", every = 0.005 } }
