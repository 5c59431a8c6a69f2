-- A network connects a controller and a motor. Every 0.1 s the controller sends a command. Each packet needs 0.25 s
-- and a random time more, so packets can overtake each other. The motor uses the newest command that has arrived. A
-- packet contains the command at the time it was sent: the past of `command`.
--
--   saltus run examples/15-networked-control.lua --seed 3 --set jitter=0.2 --plot network.html
local saltus = require "saltus"

local loop = saltus.system {
  name     = "loop",
  q        = { { "angle", 1, unit = "rad" } },
  v        = { { "rate", 0, unit = "rad/s" } },
  discrete = {
    { "command", 0, unit = "rad/s^2" },
    { "applied", 0, unit = "rad/s^2" },
    { "newest", -math.huge, unit = "s", doc = "time when the applied command was sent" },
    { "due", math.huge, unit = "s", doc = "time when the next packet arrives" },
  },
  abstract = { air = {} }, -- packets in the network: { sent =, due = }
  params   = {
    { "dead_time", 0.25, unit = "s" },
    { "jitter", 0.1, unit = "s", doc = "mean of the random time" },
    stiffness = 1.2, damping = 0.9, friction = 0.5,
  },
  past     = { command = 10 },

  derivatives = function(ctx, dot)
    dot.angle = ctx.rate
    dot.rate = -ctx.friction * ctx.rate + ctx.applied
  end,

  events = {
    { name = "send", every = 0.1,
      unrestricted_update = function(ctx, next)
        next.command = -ctx.stiffness * ctx.angle - ctx.damping * ctx.rate
        local late = ctx.jitter > 0 and next.random:exponential(ctx.jitter) or 0
        local due = ctx.time + ctx.dead_time + late
        table.insert(next.air, { sent = ctx.time, due = due })
        next.due = math.min(next.due, due)
      end },

    { name = "arrive", next_time = "due",
      unrestricted_update = function(ctx, next)
        local left, first = {}, math.huge
        for _, packet in ipairs(ctx.air) do
          if packet.due > ctx.time then
            left[#left + 1] = packet
            first = math.min(first, packet.due)
          elseif packet.sent > next.newest then -- otherwise a newer packet has overtaken it
            next.newest = packet.sent
            next.applied = ctx.past.command:at(packet.sent)
          end
        end
        next.air, next.due = left, first
      end },
  },
}

return saltus.scenario { system = loop, duration = 12, seed = 1,
  log = { "angle", "rate", "command", "applied", every = 0.02 } }
