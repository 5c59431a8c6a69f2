-- Drives a live session as a page does. The clock is the spec's own: `now` in seconds.
local assert = require "luassert"
local saltus = require "saltus"
local session = require "saltus.live.session"

local live_session = { now = 0 }

-- A ball as a scenario: `how` has other fields and functions.
function live_session.ball(how)
  how = how or {}
  return saltus.scenario { duration = how.duration or 3, log = how.log or { "height", every = 0.1 },
    system = saltus.system {
      name = "ball", q = { { "height", 1 } }, v = { { "speed", 0 } }, discrete = { "touches" },
      params = how.params or { { "gravity", 10 }, { "restitution", 0.5 } }, inputs = how.inputs,
      derivatives = how.derivatives or function(ctx, dot) dot.height, dot.speed = ctx.speed, -ctx.gravity end,
      events = how.events or {
        { name = "touch", direction = "falling", witness = function(ctx) return ctx.height end,
          unrestricted_update = function(ctx, next)
            next.height, next.speed, next.touches = 0, -ctx.restitution * ctx.speed, ctx.touches + 1
          end,
          on_zeno = function(_, next) next.height, next.speed = 0, 0 end },
        { name = "kick", at = "demand", unrestricted_update = function(_, next) next.speed = 5 end },
      },
    } }
end

-- `load` returns the scenario, or nil and a text.
function live_session.open(load)
  live_session.now = 0
  local live, wrong = session.new { clock = function() return live_session.now end, load = load or live_session.ball }
  return live, wrong
end

function live_session.pass(live, seconds)
  for _ = 1, seconds * 30 + 0.5 do
    live_session.now = live_session.now + 1 / 30
    live:tick(1 / 30)
  end
end

function live_session.seek(live)
  assert.is_nil(live:act "event")
  for _ = 1, 100 do live:tick(0.01) end
  assert.equal("paused", live.mode)
end

function live_session.hash(live) return live.run.sim:hash() end

function live_session.last_notice(live) return live.notices[#live.notices] end

return live_session
