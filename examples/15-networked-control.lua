-- A controller and a motor with a network between them: every 0.1 s a command is sent, each packet is on its way
-- for 0.25 s and a random while more; packets may overtake each other, and the motor holds the newest that arrived.
-- What a packet says is what the command was when it was sent: the past of `command`.
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
    { "newest", -math.huge, unit = "s", doc = "when the command that is applied was sent" },
    { "due", math.huge, unit = "s", doc = "when the next packet arrives" },
  },
  abstract = { air = {} }, -- packets on their way: { sent =, due = }
  params   = {
    { "dead_time", 0.25, unit = "s" },
    { "jitter", 0.1, unit = "s", doc = "mean of what comes on top" },
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
          elseif packet.sent > next.newest then -- else it was overtaken
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
