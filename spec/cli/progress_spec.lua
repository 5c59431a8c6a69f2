-- Mirrors lua/saltus/cli/progress.lua and summary.lua, with a clock of our own.
local progress = require "saltus.cli.progress"
local summary = require "saltus.output.summary"

describe("the progress line", function()
  local now, written, line

  local function new(shown)
    now, written = 0, {}
    line = progress.new { start = 0, stop = 10, shown = shown, clock = function() return now end,
      write = function(text) written[#written + 1] = text end }
  end

  it("shows time, fraction, rate and remaining time", function()
    new(true)
    now = 2
    line:update(5)
    assert.matches("50 %%  t = 5 of 10 s  2.5 x real time  2 s left$", written[1])
  end)

  it("is written at most ten times a second, and removed at the end", function()
    new(true)
    for i = 1, 100 do
      now = i / 100
      line:update(i / 10)
    end
    assert.is_true(#written >= 9 and #written <= 10)
    line:clear()
    assert.equal("\r\27[K", written[#written])
  end)

  it("shows the last step and the number of events, as far as the terminal has room", function()
    local shown = {}
    for _, width in ipairs { 120, 60 } do
      now = 0
      line = progress.new { start = 0, stop = 10, shown = true, clock = function() return now end, width = width,
        write = function(text) shown[#shown + 1] = text end, details = function() return 0.0125, 3 end }
      now = 2
      line:update(5)
    end
    assert.matches("^\r\27%[K━━━.* 50 %%  t = 5 of 10 s  2.5 x real time  2 s left  step 0.013 s  3 events$", shown[1])
    assert.matches("^\r\27%[K 50 %%  t = 5 of 10 s  2.5 x real time", shown[2])
    assert.is_true(#shown[2] < 60 + #"\r\27[K")
  end)

  it("is a line a minute in pipes", function()
    written, now = {}, 0
    line = progress.new { start = 0, stop = 600, shown = true, in_lines = true, clock = function() return now end,
      write = function(text) written[#written + 1] = text end }
    for i = 1, 300 do
      now = i
      line:update(2 * i)
    end
    line:clear()
    assert.equal(5, #written)
    assert.equal(" 20 %  t = 120 of 600 s  2 x real time  4 min 00 s left\n", written[1]:gsub("240 s", "4 min 00 s"))
  end)

  it("writes nothing where it is not shown", function()
    new(false)
    now = 5
    line:update(5)
    line:clear()
    assert.same({}, written)
  end)
end)

describe("the report", function()
  it("says how a run ended", function()
    assert.equal("ball: reached 6 s in 0.5 s, 12 x real time",
      summary.ending("ball", { reason = "reached_boundary_time", time = 6 }, 0, 0.5))
    assert.matches("^ball: terminated at 2 s in touch of ball: hit the wall",
      summary.ending("ball", { reason = "reached_termination", time = 2, event = "touch", system = "ball",
        message = "hit the wall" }, 0, 0.5))
  end)

  it("counts the events", function()
    local text = summary.events {
      events = { { name = "a", time = 1 }, { name = "a", time = 3 }, { name = "b", time = 2 } },
    }
    assert.matches("a +2 +1 +3\n", text)
    assert.matches("b +1 +2 +2$", text)
  end)
end)
