-- A ferry docks at a station. It comes at 2 m/s and brakes behind three gates: to 1 m/s from 50 m on, to 0.3 m/s from
-- 10 m on, to 0.08 m/s from 2 m on. A director watches: a ferry that is faster than 1.2 m/s at 15 m must turn back, as
-- one with weak brakes.
--
--   saltus run examples/18-docking.lua --set brake=0.03 --animate docking.html
local saltus = require "saltus"

local ferry = saltus.system {
  name     = "ferry",
  q        = { { "range", 120, unit = "m" } },
  v        = { { "closing", -2, unit = "m/s", doc = "rate of the range: negative while it comes nearer" } },
  discrete = { { "thrust", 0, unit = "m/s^2" } },
  params   = { { "brake", 0.1, unit = "m/s^2" }, { "escape", 0.2, unit = "m/s^2", doc = "thrust of a retreat" } },
  derivatives = function(ctx, dot) dot.range, dot.closing = ctx.closing, ctx.thrust end,
  events = {
    { name = "abort", at = "demand", discrete_update = function(ctx, next) next.thrust = ctx.escape end },
  },
}

local GATES = { { range = 50, speed = 1 }, { range = 10, speed = 0.3 }, { range = 2, speed = 0.08 } }

local function retreat(s)
  s:wait_until("range > 20 and closing > 1", { within = 100 })
  s:stop "retreated"
end

local function approach(s, run)
  for _, gate in ipairs(GATES) do
    s:wait_until(("range < %g"):format(gate.range), { within = 60 })
    run.thrust = run.brake
    if s:wait_any { ("closing > -%g"):format(gate.speed), s:event "abort" } == 2 then return retreat(s) end
    run.thrust = 0
  end
  s:wait_until "range <= 0"
  s:expect("closing > -0.1", "a soft contact")
  s:stop "docked"
end

local function direct(s, run)
  s:wait_until "range < 15"
  if run.closing < -1.2 then s:emit "abort" end
end

local function draw(ctx, pen)
  pen:box(-4, 0, 8, 12, { colour = 8, fill = true })
  pen:polygon({ { ctx.range, 1 }, { ctx.range + 3, 3 }, { ctx.range + 12, 3 }, { ctx.range + 12, -3 },
    { ctx.range + 3, -3 }, { ctx.range, -1 } }, { colour = 1, fill = true })
  if ctx.thrust > 0 then pen:polygon({ { ctx.range, 2 }, { ctx.range - 3, 4 }, { ctx.range, 4 } }, { colour = 2 }) end
  for i, gate in ipairs(GATES) do
    pen:line(gate.range, -8, gate.range, 4 + 4 * i, { colour = "soft", dashed = true })
    pen:text(gate.range, 5 + 4 * i, ("%g m/s"):format(gate.speed), { align = "centre", size = 11 })
  end
  pen:text(60, -14, ("%.1f m, %.2f m/s"):format(ctx.range, -ctx.closing), { align = "centre" })
end

return saltus.scenario { system = ferry, duration = 300, draw = draw,
  story = function(s)
    s:spawn("approach", approach)
    s:spawn("director", direct)
  end,
  log = { "range", "closing", "thrust", every = 0.5 } }
