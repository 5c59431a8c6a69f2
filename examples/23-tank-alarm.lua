-- A tank drains through its bottom (Torricelli: the flow is proportional to the root of the level) while a pump keeps
-- it full. At 2 s the power fails. When the level falls below 1 m, the controller rings the alarm, 0.25 s later. The
-- story says what is to happen, and fails with its line, the time and the margin when it does not.
--
--   saltus run examples/23-tank-alarm.lua --set reaction=0.4
local saltus = require "saltus"

local tank = saltus.system {
  name     = "tank",
  z        = { { "level", 1.96, unit = "m" } },
  discrete = { { "power", "on", values = { "on", "off" } }, { "alarm", "quiet", values = { "quiet", "ringing" } },
    { "ring_at", math.huge, unit = "s" } },
  inputs   = { { "inflow", 0.14, unit = "m/s" } },
  params   = { { "drain", 0.1, unit = "m^0.5/s" }, { "reaction", 0.25, unit = "s", doc = "of the controller" } },

  derivatives = function(ctx, dot)
    dot.level = (ctx.power == "on" and ctx.inflow or 0) - ctx.drain * math.sqrt(math.max(ctx.level, 0))
  end,

  events = {
    { name = "low", direction = "falling", witness = function(ctx) return ctx.level - 1 end,
      discrete_update = function(ctx, next) next.ring_at = ctx.time + ctx.reaction end },
    { name = "ring", next_time = "ring_at", discrete_update = function(_, next) next.alarm = "ringing" end },
  },
}

local function power_cut(s, run)
  s:wait(2)
  run.power = "off"
  s:wait_until("level < 1", { within = 60 })
  s:wait_event("ring", { within = 0.3 })
  run.power = "on"
  s:ramp("inflow", 0.2, { over = 5 })
  s:wait_until("level > 1.5", { within = 60 })
  run.alarm = "quiet"
  s:wait(10)
  s:stop "the tank is filling again"
end

local function draw(ctx, pen)
  local ringing = ctx.alarm == "ringing"
  pen:box(0, ctx.level / 2, 2, ctx.level, { colour = 1, fill = true })
  pen:box(0, 1.25, 2, 2.5, { fill = false })
  pen:line(-1.2, 1, 1.2, 1, { colour = 2, dashed = true })
  pen:circle(1.6, 1, 0.15, { colour = ringing and 2 or "soft", fill = ringing })
  if ctx.power == "on" then pen:line(-0.7, 2.8, -0.7, ctx.level, { colour = 1, width = 40 * ctx.inflow }) end
  pen:text(0, 2.9, ("power %s, alarm %s"):format(ctx.power, ctx.alarm), { align = "centre" })
end

return saltus.scenario { system = tank, duration = 60, story = power_cut, draw = draw,
  view = { left = -2, right = 2, bottom = -0.2, top = 3.1 },
  log = { "level", "inflow", "power", "alarm", every = 0.1 } }
