-- Feeds that are refused. Mirrors lua/saltus/simulation/input_feed.lua and src/engine/feed.c.
local saltus = require "saltus"
local fails = require "spec.support.fails"

describe("a feed is refused, and nothing changes", function()
  local function hands()
    local d = saltus.diagram "d"
    d:add(saltus.system { name = "hand", inputs = { { "x", 0 }, "y", { "r", { 0, 0 } },
      { "mode", "off", values = { "off", "on" } } }, z = { { "sum", 0 } },
      derivatives = function(ctx, dot) dot.sum = ctx.x end })
    d:add(saltus.blocks.gain { gain = 1 }, "gain")
    d:connect("hand.sum", "gain")
    local sim = saltus.simulator(d)
    sim:advance_to(0.5)
    return sim
  end

  local function refuses(text, ...)
    local sim = hands()
    sim:feed("hand.x", 1, 1)
    local before = sim:hash()
    fails(text, sim.feed, sim, ...)
    assert.equal(before, sim:hash())
    sim:advance_to(1)
    assert.equal(1, sim.context.hand.x)
  end

  it("when it ends now, before now, or never", function()
    local text = 'feed("hand.x"): the line must end at a finite time later than now, t = 0.5; got '
    refuses(text .. "0.5", "hand.x", 0.5, 2)
    refuses(text .. "0.25", "hand.x", 0.25, 2)
    refuses(text .. "inf", "hand.x", math.huge, 2)
    refuses("feed: time must be a number, got NaN", "hand.x", 0 / 0, 2)
    refuses("feed: time must be a number of seconds, got nil", "hand.x")
    refuses('feed("hand.x"): the line would end at the instant at which it begins; let it end later by more than '
      .. "rounding", "hand.x", 0.5 + 0x1p-53, 2)
  end)

  it("when the value is no number, or has another size", function()
    refuses('feed: the value of "hand.x" must be a number, got NaN', "hand.x", 2, 0 / 0)
    refuses('feed: the value of "hand.x" must be finite, got ', "hand.x", 2, math.huge)
    refuses('feed: the value of "hand.x" must be a number, got ', "hand.x", 2, { 1 })
    refuses('feed: the value of "hand.x" must be a number, got nil', "hand.x", 2)
    refuses('feed: the value of "hand.r"', "hand.r", 2, { 1, 2, 3 })
  end)

  it("when the input does not exist, is connected, has no value, or is not a number", function()
    refuses('"hand.z"', "hand.z", 2, 1)
    refuses('feed: "hand.sum" is not an input; only an input can be fed', "hand.sum", 2, 1)
    refuses('feed: "gain.input" is connected to "hand.sum"; only an input without connection', "gain.input", 2, 1)
    refuses('feed("hand.y"): it has no value yet to begin from', "hand.y", 2, 1)
    refuses('feed: "hand.mode" holds no numbers that flow', "hand.mode", 2, "on")
    refuses('feed: "hand.r[1]" is one element; feed the whole input, a list of 2 numbers', "hand.r[1]", 2, 1)
  end)

  it("from a handler", function()
    local sim
    sim = saltus.simulator(saltus.system { name = "hand", inputs = { x = 0 },
      events = { { name = "go", every = 1, offset = 0.5, publish = function() sim:feed("x", 2, 1) end } } })
    fails("a closure cannot feed an input; the host does, between calls", sim.advance_to, sim, 1)
    assert.equal(0, sim.context.x)
  end)
end)
