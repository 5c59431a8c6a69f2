-- Mirrors lua/saltus/live/handover.lua: an edited scenario takes over a live session.
local driver = require "spec.support.live_session"

local ball, open, seek, hash, last_notice = driver.ball, driver.open, driver.seek, driver.hash, driver.last_notice

describe("an edited file", function()
  local edited

  local function load()
    if type(edited) == "string" then return nil, edited end
    return ball(edited)
  end

  before_each(function() edited = {} end)

  it("takes over from the same state", function()
    local live = open(load)
    seek(live)
    local before = hash(live)
    edited = { derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, 0 * ctx.gravity end }
    live:reload()
    assert.matches("^the edited file runs on from t = [%d.]+ s$", last_notice(live).text)
    assert.equal(before, hash(live))
    local height, speed, t = live.run.sim.context.height, live.run.sim.context.speed, live.shown
    live:act "step"
    assert.near(height + speed * (live.shown - t), live.run.sim.context.height, 1e-12)
    for _ = 1, 3 do live:act "back" end
    assert.equal(0, live.run.sim.context.touches)
    assert.is_true(live.shown < t)
  end)

  it("continues with equal functions to the same bits", function()
    local live, other = open(load), open(load)
    seek(live)
    seek(other)
    live:reload()
    for _ = 1, 10 do
      live:act "step"
      other:act "step"
      assert.equal(hash(other), hash(live))
    end
  end)

  it("brings defaults of parameters that it changed", function()
    local live = open(load)
    live:act("set", { name = "restitution", value = "0.7" })
    for _ = 1, 3 do live:act "step" end
    edited = { params = { { "gravity", 2 }, { "restitution", 0.5 } } }
    live:reload()
    assert.matches("gravity was 10.0 and is 2.0, as the file says now", last_notice(live).text)
    assert.same({ 2, 0.7 }, { live.run.sim.context.gravity, live.run.sim.context.restitution })
  end)

  it("reports names and events that vanished and appeared", function()
    local live = open(load)
    seek(live)
    local height = live.run.sim.context.height
    edited = { params = { { "gravity", 10 }, { "drag", 1 } }, events = {
      { name = "tick", every = 0.5, publish = function() end } }, log = { "height", "speed" } }
    live:reload()
    local text = last_notice(live).text
    for _, part in ipairs { "1 name vanished: restitution", "1 name appeared, with defaults: drag",
      "2 events vanished: kick, touch", "1 event appeared: tick", "random streams, timers and pasts begin anew" } do
      assert.truthy(text:find(part, 1, true), part)
    end
    assert.equal(height, live.run.sim.context.height)
    assert.same({ "height", "speed" }, { live.trace.columns[1].name, live.trace.columns[2].name })
    live:act("speed", { value = "max" })
    live:act "play"
    for _ = 1, 20 do live:tick(0.01) end
    assert.equal(3 // 0.5, live.run.reader.counts.tick)
  end)

  it("leaves the run as it is if it does not load", function()
    local live = open(load)
    for _ = 1, 4 do live:act "step" end
    local before, run = hash(live), live.run
    edited = "ball.lua:3: unexpected symbol"
    live:reload()
    assert.equal("error", last_notice(live).kind)
    assert.matches("ball.lua:3: unexpected symbol", last_notice(live).text)
    assert.equal(run, live.run)
    assert.equal(before, hash(live))
    edited = { params = { { "gravty", 1 } } } -- loads, and its derivatives fail at the first step
    live:reload()
    live:act "step"
    assert.equal("failed", live.mode)
    edited = {}
    live:reload()
    live:act "step"
    assert.equal("paused", live.mode)
  end)

  it("begins again if nothing has run", function()
    local live = open(load)
    edited = { params = { { "gravity", 3 }, { "restitution", 0.5 } } }
    live:reload()
    assert.same({ 0, 3 }, { live.number, live.run.sim.context.gravity })
  end)
end)
