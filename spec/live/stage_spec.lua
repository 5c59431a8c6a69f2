-- Mirrors lua/saltus/live/stage.lua: the picture in what a page is told.
local json = require "dkjson"
local messages = require "saltus.live.messages"
local saltus = require "saltus"
local session = require "saltus.live.session"

local function open(draw)
  return assert(session.new { clock = function() return 0 end, load = function()
    return saltus.scenario { duration = 2, draw = draw, view = { left = -1 }, system = saltus.system { name = "line",
      z = { "x" }, derivatives = function(_, dot) dot.x = 1 end } }
  end })
end

describe("the picture of a live run", function()
  it("is that of the time that is shown, inside a step", function()
    local live = open(function(ctx, pen) pen:circle(ctx.x, ctx.time, 1) end)
    local first = json.decode(messages.news(live))
    assert.same({ true, { left = -1 }, { 0, 0, 1 } },
      { first.setup.moves, first.setup.view, first.frame.commands[1][3] })
    live:act "play"
    for _ = 1, 30 do live:tick(1 / 30) end
    assert.is_true(live.shown < live.run:time())
    local frame = json.decode(messages.news(live)).frame
    assert.near(1, frame.time, 1e-9)
    assert.near(1, frame.commands[1][3][1], 1e-9)
    assert.equal(frame.time, frame.commands[1][3][2])
  end)

  it("does not change the run", function()
    local live = open(function(ctx) ctx.x = 5 end)
    local hash = live.run.sim:hash()
    messages.news(live)
    assert.equal(hash, live.run.sim:hash())
    assert.matches("x is read%-only here", live.notices[1].text)
  end)

  it("is given up when a draw function fails, with one message", function()
    local live = open(function(ctx) if ctx.time > 0.5 then error "no ink" end end)
    live:act "play"
    for _ = 1, 30 do
      live:tick(1 / 30)
      messages.news(live)
    end
    assert.equal(1, #live.notices)
    assert.matches("no ink %(draw at t = 0%.5", live.notices[1].text)
    assert.equal("running", live.mode)
  end)

  it("is absent when nothing draws", function()
    local message = json.decode(messages.news(open()))
    assert.is_nil(message.frame)
    assert.is_false(message.setup.moves)
  end)
end)
