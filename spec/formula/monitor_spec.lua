local saltus = require "saltus"
local command = require "spec.support.command"
local fails = require "spec.support.fails"
local random = require "spec.support.random"
local slurp = require "spec.support.slurp"

-- x = cos t, u = -sin t; n counts up at 0.7, 1.7, ...; the event `tick` does it.
local function new_oscillator()
  return saltus.system { name = "osc", q = { { "x", 1 } }, v = { { "u", 0 } }, discrete = { { "n", 0 } },
    derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x end,
    events = { { name = "tick", every = 1, offset = 0.7,
      discrete_update = function(ctx, next) next.n = (ctx.n + 1) % 3 end } } }
end

local oscillator = new_oscillator()

local function new(words)
  local sim = saltus.simulator(oscillator, { accuracy = 1e-9 })
  return saltus.formula.monitor(words, sim), sim
end

describe("a monitor", function()
  it("knows a verdict at its exact time, and ends the advance there", function()
    local function known(words, holds, time)
      local m, sim = new(words)
      local status = m.holds == nil and m:advance_to(30) or { time = 0 }
      assert.equal(holds, m.holds, words)
      assert.near(time, m.time, 1e-8, words)
      assert.equal(m.time, status.time)
      assert.equal(m.time, sim.context.time)
      assert.equal("reached_boundary_time", m:advance_to(30).reason) -- and no longer watches
      assert.equal(30, sim.context.time)
    end
    known("eventually x < -0.5", true, 2 * math.pi / 3)
    known("always x > -0.5", false, 2 * math.pi / 3)
    known("always (x > 0.9 -> x < -0.9 within 2)", false, 2)
    known("eventually[0,2] x < -0.9", false, 2)
    known("always[0,10] x > -1.5", true, 10)
    known("x > -0.5 until[0,3] u < -0.99", true, math.asin(0.99))
    known("eventually (tick and n == 2)", true, 1.7)
    known("never tick", false, 0.7)
    known("n == 0 until tick", true, 0.7)
    known("always (tick -> eventually[0,0.5] n == 0)", false, 1.2)
    known("x < -2 -> u > 3", true, 0)
    -- For one second x > 0.6 from -acos 0.6 around a whole turn on.
    known("eventually always[0,1] x > 0.6", true, 2 * math.pi - math.acos(0.6) + 1)
    -- An edge is known later than it is, when what is before it is settled.
    known("eventually rise (always[0,0.5] x < 0)", true, math.pi / 2 + 0.5)
    known("always (rise (always[0,0.5] x < 0) -> u > 0)", false, math.pi / 2 + 0.5)
    known("never fall (eventually[0,0.5] x > 0)", false, math.pi / 2 + 0.5)
  end)

  it("begins with the state after initialization", function()
    local counter = saltus.system { name = "counter", discrete = { { "n", 0 } },
      events = { { name = "begin", at = "initialization", discrete_update = function(_, next) next.n = 5 end } } }
    local sim = saltus.simulator(counter)
    local m = saltus.formula.monitor("eventually n == 5", sim)
    m:advance_to(1)
    assert.same({ true, 0 }, { m.holds, m.time })
  end)

  it("is not in doubt at the end of what operators without an end speak of", function()
    local m = new "always x < 2"
    m:advance_to(10)
    assert.is_nil(m.holds)
    assert.is_true(m:finish())
    m = new "eventually n == 5"
    m:advance_to(10)
    assert.is_false(m:finish())
    m = new "eventually[0,20] n == 5"
    m:advance_to(10)
    assert.is_nil(m:finish())
  end)

  it("keeps no watch that has fired", function()
    local m, sim = new "always (x > 0.9 -> x < -0.9 within 7)"
    m:advance_to(100)
    local count = 0
    for _ in pairs(sim.inner.watches) do count = count + 1 end
    assert.equal(2, count)
  end)

  it("ends an advance for the host's own watches and events too", function()
    local m, sim = new "always x < 2"
    local w = sim:watch "x < 0"
    assert.same({ w }, m:advance_to(10).watches)
    assert.near(math.pi / 2, sim.context.time, 1e-8)
    assert.is_nil(m.holds)
  end)

  it("has the verdict of a check after the run, for random formulas", function()
    local draw = random.new(4)
    local function words(depth)
      if depth == 0 then
        return draw:pick { ("x > %.2f"):format(2 * draw:real() - 1), ("u <= %.2f"):format(2 * draw:real() - 1),
          "n == 1", "n ~= 2", "tick" }
      end
      local op = draw:pick { "not", "and", "or", "->", "always", "eventually", "until", "always", "eventually", "rise" }
      local inner = ("(%s)"):format(words(depth - 1))
      if op == "not" or op == "rise" then return op .. inner end
      local from = draw:integer(0, 3) / 2
      local span = draw:chance(0.4) and "" or ("[%g,%g]"):format(from, from + draw:integer(0, 4) / 2)
      if op == "always" or op == "eventually" then return op .. span .. inner end
      return ("%s %s%s (%s)"):format(inner, op, op == "until" and span or "", words(depth - 1))
    end
    local log = saltus.scenario { system = oscillator, duration = 9, accuracy = 1e-9 }:run().log
    local undecided = 0
    for _ = 1, 60 do
      local text = words(draw:integer(1, 3))
      local m, sim = new(text)
      m:advance_to(9)
      if sim.context.time < 9 then sim:advance_to(9) end
      local offline = saltus.formula.check(log, text)
      local expected
      if offline.decided then expected = offline.holds end
      local verdict = m:finish()
      if verdict == nil then undecided = undecided + 1 end
      assert.equal(expected, verdict, text)
    end
    assert.is_true(undecided < 20)
  end)

  it("does not take what begins or ceases to hold later for known", function()
    local function known(words, holds, time)
      local m = new(words)
      m:advance_to(30)
      assert.equal(holds, m.holds, words)
      assert.near(time, m.time, 1e-8, words)
    end
    known("never[0,8] rise x > 0.5", false, 5 * math.pi / 3)
    known("eventually[0,8] fall u > -0.5", true, math.pi / 6)
    known("never[0,8] fall x < 0.5", false, 5 * math.pi / 3)
    known("never[0,5] rise x > 0.5", true, 5)
    known("never[0,2] rise (eventually[0,0.5] tick)", false, 0.7)
    known("always[0,2] (fall (n < 1) -> tick)", true, 2)
  end)

  it("knows a verdict where an interval ends that began at another one's end", function()
    local m = new "always[0,3] eventually[0.6,1.1] n == 1" -- which ends at 1.7
    m:advance_to(30)
    assert.is_false(m.holds)
    assert.near(1.7 + 0.5, m.time, 1e-8)
  end)

  it("is in doubt at the end about intervals that began shortly before", function()
    local m = new "eventually eventually[0.75,2] x < -1.5"
    m:advance_to(10)
    assert.is_nil(m:finish())
  end)

  it("hears a publish as a call ends, and no later call ends for that", function()
    local sim = saltus.simulator(saltus.system { name = "clock", z = { { "x", 0 } },
      derivatives = function(_, dot) dot.x = 1 end,
      events = { { name = "tick", every = 1, publish = function() end } } })
    local m = saltus.formula.monitor("always (tick -> x < 1.5)", sim)
    for t = 0.5, 3, 0.5 do assert.same({ "reached_boundary_time", t }, { m:advance_to(t).reason, sim.context.time }) end
    assert.same({ false, 2 }, { m.holds, m.time })
  end)

  it("refuses what is no formula of the model", function()
    fails('unknown name "y" in "osc"', new, "always y > 2")
    fails("takes a formula and a simulator", saltus.formula.monitor, "always x > 2", oscillator)
  end)

  it("goes with its simulator when both are collected", function()
    for _ = 1, 20 do
      local m = new "always (tick -> n < 5)"
      m:advance_to(2)
    end
    collectgarbage()
    collectgarbage()
    local sim = select(2, new "eventually tick")
    collectgarbage()
    assert.equal("reached_boundary_time", sim:advance_to(3).reason)
  end)
end)

describe("saltus run --until", function()
  local at

  setup(function()
    at = command.new { ["ball.lua"] = [[
local saltus = require "saltus"
local ball = saltus.system { name = "ball", q = { { "height", 1 } }, v = { "speed" },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -9.81 end,
  events = { { name = "touch", witness = function(ctx) return ctx.height end, direction = "falling",
    unrestricted_update = function(ctx, next) next.height, next.speed = 0, -0.8 * ctx.speed end } } }
return saltus.scenario { system = ball, duration = 1, draw = function(ctx, pen) pen:circle(0, ctx.height, 0.1) end }
]] }
  end)

  teardown(function() at:remove() end)

  it("ends the run where a condition, an event or a formula becomes true", function()
    local function ends(words, time)
      local status, out, err = at:saltus("run", at:path "ball.lua", "--until", words)
      assert.same({ 0, "" }, { status, err })
      assert.is_truthy(out:find(("ball: reached %s s, where %s ("):format(time, words), 1, true), out)
    end
    local fall = math.sqrt(2 / 9.81)
    ends("height < 0.5", ("%.10g"):format(math.sqrt(1 / 9.81)))
    ends("touch", ("%.10g"):format(fall))
    ends("eventually (touch and always[0,0.1] speed > 0)", ("%.10g"):format(fall + 0.1))
    ends("height < 2", "0")
  end)

  it("ends it at the same state where pictures are taken too", function()
    local function rows(...)
      local status, _, err = at:saltus("run", "-q", at:path "ball.lua", "--until",
        "eventually (touch and always[0,0.1] speed > 0)", "--csv", at:path "rows.csv", ...)
      assert.same({ 0, "" }, { status, err })
      return slurp(at:path "rows.csv")
    end
    local alone = rows()
    assert.equal(alone, rows("--animate", at:path "ball.html"))
    local seen = slurp(at:path "ball.html")
    assert.is_truthy(seen:find("<canvas", 1, true))
  end)

  it("runs to the end if it does not", function()
    local status, out = at:saltus("run", at:path "ball.lua", "--until", "always[0,0.6] height > 0.5")
    assert.equal(0, status)
    assert.is_truthy(out:find("ball: reached 1 s in", 1, true))
    at:fails(1, '"hight < 2", column 1: unknown name "hight"', "run", at:path "ball.lua", "--until", "hight < 2")
  end)
end)
