-- Mirrors lua/saltus/live/session.lua: the run that a page drives.
local driver = require "spec.support.live_session"
local messages = require "saltus.live.messages"

local ball, open, pass, seek = driver.ball, driver.open, driver.pass, driver.seek
local hash, last_notice = driver.hash, driver.last_notice

describe("a live session", function()
  it("shows the run at the chosen speed, and computes it by the steps of an ordinary run", function()
    local live = open()
    assert.equal("paused", live.mode)
    live:act "play"
    pass(live, 1)
    assert.near(1, live.shown, 1e-9)
    live:act("speed", { value = "0.5" })
    pass(live, 1)
    assert.near(1.5, live.shown, 1e-9)
    live:act("speed", { value = "max" })
    live:tick(0.01)
    assert.equal("ended", live.mode)
    assert.same({ "end", "reached 3 s, the duration of the scenario" },
      { last_notice(live).kind, last_notice(live).text })
    assert.equal(ball():run().sim:hash(), hash(live))
  end)

  it("goes on after its duration", function()
    local live = open()
    live:act("speed", { value = "max" })
    live:act "play"
    live:tick(0.01)
    assert.equal("ended", live.mode)
    live:act "play"
    live:tick(0.01)
    assert.equal(6, live.run:time())
    assert.equal("reached 6 s", last_notice(live).text)
  end)

  it("steps back to the same hash, as far as the start", function()
    local live, hashes = open(), {}
    for number = 0, 30 do
      assert.equal(number, live.number)
      hashes[number] = hash(live)
      assert.is_nil(live:act "step")
    end
    for number = 30, 0, -1 do
      assert.is_nil(live:act "back")
      assert.equal(hashes[number], hash(live))
    end
    assert.equal("this is the start of the run", live:act "back")
  end)

  it("draws the same random numbers again after a step back", function()
    local live = open(function()
      return ball { events = { { name = "gust", every = 0.1,
        unrestricted_update = function(ctx, next) next.speed = ctx.speed + next.random:normal(0, 1) end } } }
    end)
    local hashes = {}
    for i = 1, 20 do
      live:act "step"
      hashes[i] = hash(live)
    end
    for _ = 1, 15 do live:act "back" end
    for i = 6, 20 do
      live:act "step"
      assert.equal(hashes[i], hash(live))
    end
  end)

  it("computes again the steps between two saves", function()
    local live, hashes = open(), {}
    live:act "play"
    live.mode = "running" -- saves are 5 ms of the clock apart, which stands still
    for _ = 1, 20 do
      hashes[live.number] = hash(live)
      live:step()
    end
    assert.equal(1, #live.ring.list)
    for number = 19, 1, -1 do
      live:act "back"
      assert.equal(hashes[number], hash(live))
    end
  end)

  it("cuts the plot and the events where it steps back to", function()
    local live = open()
    for _ = 1, 3 do seek(live) end
    local rows = #live.trace.time
    assert.equal(3, live.run.reader.counts.touch)
    for _ = 1, 40 do live:act "back" end
    assert.equal(0, live.number)
    assert.is_true(#live.trace.time <= 1)
    assert.is_nil(live.run.reader.counts.touch)
    for _ = 1, 3 do seek(live) end
    assert.equal(rows, #live.trace.time)
    for i = 2, rows do assert.is_true(live.trace.time[i] >= live.trace.time[i - 1]) end
  end)

  it("stops just after the update of the next event", function()
    local live = open()
    seek(live)
    assert.near(math.sqrt(0.2), live.shown, 1e-9)
    assert.equal(1, live.run.sim.context.touches)
    assert.near(math.sqrt(20) / 2, live.run.sim.context.speed, 1e-6)
    seek(live)
    assert.near(2 * math.sqrt(0.2), live.shown, 1e-9)
    assert.equal(2, live.run.sim.context.touches)
  end)

  it("has both sides of each jump in its rows", function()
    local live = open(function() return ball { log = { "speed", every = 0.1 } } end)
    seek(live)
    local rows = live.trace:rows(0, live.shown, math.huge)
    local before, after = rows[#rows - 1], rows[#rows]
    assert.equal(before[1], after[1])
    assert.near(-math.sqrt(20), before[2], 1e-6)
    assert.equal(-0.5 * before[2], after[2])
  end)

  it("sets a parameter at the time that is shown, inside a step", function()
    local live = open()
    live:act "play"
    pass(live, 0.2)
    live:act "pause"
    assert.is_true(live.shown < live.run:time())
    local shown = live.shown
    assert.is_nil(live:act("set", { name = "gravity", value = "0" }))
    assert.equal(shown, live.run:time())
    local height, speed = 1 - 5 * shown ^ 2, -10 * shown
    live:act "play"
    pass(live, 0.1)
    live:act "pause"
    live:act("set", { name = "gravity", value = "1" })
    assert.near(height + 0.1 * speed, live.run.sim.context.height, 1e-6)
  end)

  it("takes changes in a row back as one", function()
    local live = open()
    for _ = 1, 3 do live:act "step" end
    local before = hash(live)
    for value = 1, 5 do live:act("set", { name = "restitution", value = tostring(value / 10) }) end
    assert.equal(0.5, live.run.sim.context.restitution)
    assert.equal(4, live.number)
    live:act "back"
    assert.equal(before, hash(live))
  end)

  it("takes a change back after many steps, and runs as if it had not been", function()
    local live = open()
    for _ = 1, 3 do live:act "step" end
    local third = hash(live)
    live:act "step"
    local fourth = hash(live)
    live:act "back"
    live:act("set", { name = "gravity", value = "3" })
    for _ = 1, 5 do live:act "step" end
    for _ = 1, 6 do live:act "back" end
    assert.equal(third, hash(live))
    live:act "step"
    assert.equal(fourth, hash(live))
  end)

  it("sets modes and inputs, and runs an event on demand", function()
    local live = open(function()
      return ball { inputs = { { "wind" }, { "gear", "low", values = { "low", "high" } } },
        derivatives = function(ctx, dot)
          dot.height, dot.speed = ctx.speed, ctx.wind + (ctx.gear == "high" and 1 or 0)
        end }
    end)
    live:act "step"
    assert.equal("failed", live.mode)
    assert.matches("not connected and has no value\n *wind", last_notice(live).text)
    assert.is_nil(live:act("set", { name = "wind", value = "2" }))
    assert.is_nil(live:act("set", { name = "gear", value = "high" }))
    assert.is_nil(live:act "step")
    assert.matches('"gear" cannot be "third"', live:act("set", { name = "gear", value = "third" }))
    assert.is_nil(live:act("demand", { name = "kick" }))
    assert.matches("has its own trigger", live:act("demand", { name = "touch" }))
    live:act "step"
    assert.is_true(live.run.sim.context.speed >= 5)
  end)

  it("refuses what it does not know", function()
    local live = open()
    local before = hash(live)
    for _, case in ipairs {
      { "set", { name = "gravty", value = "1" }, 'no parameter or input "gravty"' },
      { "set", { name = "height", value = "1" }, 'no parameter or input "height"' },
      { "set", { value = "1" }, "no parameter or input nil" },
      { "set", { name = "gravity", value = "1e999" }, "gravity must be a number" },
      { "set", { name = "gravity", value = "os.exit()" }, "gravity must be a number" },
      { "set", { name = "gravity", value = ("9"):rep(1000) }, "gravity must be a number" },
      { "set", { name = "gravity" }, "gravity must be a number" },
      { "speed", { value = "-1" }, "must be a number greater than 0" },
      { "speed", { value = "nan" }, "must be a number greater than 0" },
      { "to", { time = "x" }, "time must be a number" },
      { "demand", { name = "nothing" }, 'unknown event "nothing"' },
      { "begin", {}, 'no action "begin"' },
      { "__index", {}, 'no action "__index"' },
    } do
      assert.matches(case[3], live:act(case[1], case[2]))
    end
    assert.equal(before, hash(live))
  end)

  it("stands where a closure fails, and goes on after a change", function()
    local live = open(function()
      return ball { derivatives = function(ctx, dot)
        if ctx.time > 0.3 and ctx.gravity == 10 then error "too late" end
        dot.height, dot.speed = ctx.speed, -ctx.gravity
      end }
    end)
    live:act "play"
    pass(live, 1)
    assert.equal("failed", live.mode)
    assert.matches("too late", last_notice(live).text)
    assert.matches("the run failed", live:act "play")
    live:act("set", { name = "gravity", value = "9" })
    live:act "play"
    pass(live, 0.5)
    assert.equal("running", live.mode)
  end)

  it("stands where a handler that counts its calls fails as the next event is looked for", function()
    local calls = 0
    local live = open(function()
      return ball { events = { { name = "tick", every = 0.5, discrete_update = function(_, next)
        calls = calls + 1
        if calls == 2 then error "again" end
        next.touches = calls
      end } } }
    end)
    live:act "event"
    for _ = 1, 100 do live:tick(0.01) end
    assert.equal("failed", live.mode)
    assert.matches("again", last_notice(live).text)
  end)

  it("starts again with the values that were set", function()
    local live = open()
    live:act("set", { name = "restitution", value = "0.9" })
    seek(live)
    live:act "restart"
    assert.same({ 0, 0, 0.9 }, { live.number, live.run:time(), live.run.sim.context.restitution })
    assert.equal(0, #live.run.reader.events)
  end)

  it("goes to a time in the past", function()
    local live = open()
    for _ = 1, 12 do live:act "step" end
    local t = live.ring.list[6].time
    live:act("to", { time = tostring(t + 1e-9) })
    assert.equal(t, live.shown)
  end)

  it("tells a page everything at first, then what is new", function()
    local live = open()
    live:act "play"
    pass(live, 0.5)
    local json = require "dkjson"
    local all = json.decode(messages.news(live))
    assert.same({ "ball", "touch", "gravity" }, { all.setup.title, all.events[1][1], all.setup.controls[1].path })
    pass(live, 0.1)
    local news = json.decode(messages.news(live))
    assert.is_nil(news.setup)
    assert.is_true(news.rows[1][1] > all.rows[#all.rows][1])
    assert.near(0.6, news.head[1], 1e-9)
    assert.is_nil(messages.news(live))
    live:act "back"
    assert.truthy(json.decode(messages.news(live)).setup)
  end)

  describe("that lasts long", function()
    local trace, log_reader = require "saltus.live.trace", require "saltus.live.log_reader"
    local before

    before_each(function()
      before = { trace.MOST, log_reader.MOST_ROWS, log_reader.MOST_EVENTS }
      trace.MOST, log_reader.MOST_ROWS, log_reader.MOST_EVENTS = 500, 300, 100
    end)

    after_each(function() trace.MOST, log_reader.MOST_ROWS, log_reader.MOST_EVENTS = table.unpack(before) end)

    it("has bounded saves, rows and events", function()
      local live = open(function()
        return ball { duration = 1e6, events = { { name = "tick", every = 0.01,
          discrete_update = function(ctx, next) next.touches = ctx.touches + 1 end } } }
      end)
      for _ = 1, 3000 do
        driver.now = driver.now + 0.006
        live:step()
      end
      live.run.reader:pull(live.trace)
      assert.is_true(#live.ring.list <= 400 and #live.trace.time <= 500 and #live.run.reader.log.time <= 600)
      assert.is_true(#live.run.reader.events <= 100)
      assert.equal(live.run.sim.context.touches, live.run.reader.counts.tick)
      for i = 2, #live.ring.list do assert.is_true(live.ring.list[i].number > live.ring.list[i - 1].number) end
      live:act "step"
      local hash_before = hash(live)
      live:act "step"
      live:act "back"
      assert.equal(hash_before, hash(live))
    end)
  end)
end)
