local saltus = require "saltus"
local fails = require "spec.support.fails"

local G = 9.81

local ball = saltus.system { name = "ball", q = { { "height", 1 } }, v = { { "speed", 0 } },
  discrete = { { "mode", "up", values = { "up", "down" } }, { "count", 0 } }, params = { limit = 1 },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -9.81 end,
  events = {
    { name = "bounce", direction = "falling", witness = function(ctx) return ctx.height end,
      unrestricted_update = function(ctx, next)
        next.height, next.speed, next.count = 0, -0.8 * ctx.speed, next.count + 1
      end },
    { name = "flip", every = 0.5, offset = 0.5, discrete_update = function(ctx, next)
      next.mode = ctx.mode == "up" and "down" or "up"
    end },
  } }

local function scenario(options)
  local def = { system = ball, duration = 1.1, accuracy = 1e-9 }
  for key, value in pairs(options or {}) do def[key] = value end
  return saltus.scenario(def)
end

local run = scenario():run()
local FALL = math.sqrt(2 / G) -- the time of the first bounce
local UP = 0.8 * math.sqrt(2 * G) -- the speed after it

local function check(words, options) return saltus.formula.check(run, words, options) end

describe("a check over a run", function()
  it("finds an apex between two steps, to the accuracy of the run", function()
    -- Thrown up from 0 at UP: the apex is 1.2e-6 over the bound, in a log of few steps.
    local thrown = saltus.scenario { system = ball:with { height = 0, speed = UP }, duration = 0.7, accuracy = 1e-9 }
    local log = thrown:run().log
    assert.is_true(#log.time <= 9)
    local apex = UP * UP / (2 * G)
    local bound = ("%.17g"):format(apex - 1.2e-6)
    local result = saltus.formula.check(log, "always height < " .. bound)
    assert.is_false(result.holds)
    assert.near(-1.2e-6, result.margin, 1e-9)
    assert.near(UP / G, result.time, 1e-4)
    assert.near(UP / G - math.sqrt(2 * 1.2e-6 / G), result.first, 1e-5)
  end)

  it("sees both sides of a jump", function()
    assert.near(-math.sqrt(2 * G), -check("eventually speed <= -4.42").margin - 4.42, 1e-8)
    assert.near(UP - 3, check("always (bounce -> speed > 3)").margin, 1e-8)
    assert.near(FALL, check("never speed < -4.42").time, 1e-8)
    assert.is_true(check("speed <= 0 until speed > 3.5").holds)
    assert.is_true(check("count == 0 until bounce").holds)
    assert.is_false(check("count == 0 until[0.5,1] count == 1").holds)
  end)

  it("takes windows from any time on", function()
    local first = check "always (rise height > 0.5 -> height < 0.6 within 0.3)"
    assert.is_true(first.holds)
    -- After the bounce the ball is 0.1 s later at UP/10 - G/200.
    assert.near(UP / 10 - G / 200 - 0.3, check("height > 0.3 after[0.1,0.1] bounce").margin, 1e-8)
    assert.near(1 - G / 2 * 0.04 - 0.5, check("always[0,0.2] height > 0.5").margin, 1e-9)
    assert.near(1 - G / 2 * 0.04 - 0.5, check("eventually[0.2,0.3] height > 0.5").margin, 1e-9)
  end)

  it("knows modes, events and functions", function()
    assert.is_true(check("mode == 'up' until flip").holds)
    assert.is_false(check("always mode == 'up'").holds)
    assert.equal(-math.huge, check("always mode == 'up'").margin)
    assert.equal(0.5, check("always mode == 'up'").time)
    assert.matches("\n  decided at t = 0.5 s\n", check("always mode == 'up'").text)
    assert.is_true(check("always (fall mode == 'up' -> flip)").holds)
    assert.near(G, check("eventually energy(height, speed) > 0",
      { functions = { energy = function(h, v) return G * h + v * v / 2 end } }).margin, 1e-7)
    assert.is_true(check("always (time > 0.6 -> energy(height, speed) < 7)",
      { functions = { energy = function(h, v) return G * h + v * v / 2 end } }).holds)
  end)

  it("reads parameters, and what a scenario does not log", function()
    assert.is_true(check("always height <= limit").holds)
    local silent = scenario { log = { "height", every = 0.1 } }
    assert.near(UP - 3, saltus.formula.check(silent, "always (bounce -> speed > limit * 3)").margin, 1e-8)
  end)

  it("says whether the run was long enough", function()
    local short = check "eventually[0,10] height > 2"
    assert.same({ false, false, 10, false }, { short.holds, short.complete, short.needs, short.decided })
    assert.is_truthy(short.text:find("the run ends at 1.1 s, the formula needs 10 s", 1, true))
    assert.is_true(check("eventually[0,10] height < 0.5").holds) -- whatever comes
    local wrong = check "always[0,10] height > 0.5"
    assert.same({ false, true }, { wrong.holds, wrong.decided })
    assert.is_false(check("always[0,10] height > -1").decided)
    assert.is_true(check("always[0,1.1] height > -1").complete)
    assert.is_true(check("always (bounce -> eventually[0,0.3] height > 0.3)").holds)
    local late = check "always (flip -> eventually[0,0.7] count > 1)"
    assert.same({ false, false }, { late.holds, late.decided })
  end)

  it("explains each term with its time", function()
    local result = check "always[0,0.8] (height < 0.6 -> eventually[0,0.1] speed > 0)"
    assert.is_false(result.holds)
    local lines = {}
    for line in result.text:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equal("does not hold: always[0,0.8] (height < 0.6 -> eventually[0,0.1] speed > 0)", lines[1])
    assert.is_truthy(lines[2]:find("^  margin %-"))
    assert.is_truthy(result.text:find("height < 0.6   holds by [%d.]+ at t = [%d.]+ s[^;]*; it holds from [%d.]+ s to"))
    assert.is_truthy(result.text:find "speed > 0   fails by [%d.]+ at t = [%d.]+ s")
    assert.is_truthy(result.text:find "there speed = %-")
    assert.equal("speed > 0", result.term)
    assert.equal("speed", result.values[1].name)
  end)

  it("explains a long chain in a few short lines", function()
    local chain = "height > -2" .. (" and height > -3"):rep(1500) .. " and height < 0.5 and height < 2"
    local result = check("always (" .. chain .. ")")
    assert.equal("height < 0.5", result.term)
    local _, count = result.text:gsub("\n", "")
    assert.is_true(count < 10)
    assert.is_true(#result.text < 2 * #chain)
    local either = check("eventually (height > 7 or height > 6 or height > 5)")
    assert.matches("s\n      height > 7 or height > 6 or height > 5   fails by [%d.]+ at t = [%d.]+ s\n"
      .. "        height > 5 ", either.text)
  end)

  it("gives a margin within the accuracy its name", function()
    local result = check "always height >= 1e-10"
    assert.is_truthy(result.text:find("that is within the accuracy of the run", 1, true))
    assert.is_true(check("always height >= 1e-10", { tolerance = 1e-9 }).holds)
  end)

  it("reads each step at so many pieces, and turning points between them", function()
    assert.equal(check("always height < 0.5").margin, check("always height < 0.5", { pieces = 1 }).margin)
    assert.error_matches(function() check("always height < 0.5", { pieces = 0 }) end,
      "formula.check: pieces must be a whole number of at least 1, got 0")
    assert.is_true(check("always height > -1", { pieces = 4.0 }).holds)
  end)

  it("refuses rows with nothing between them, with the cure", function()
    local rows = scenario { log = { "height", "mode", every = 0.1 } }:run()
    fails("the log has rows of every = 0.1 only, and nothing is known between them; log each step: leave out "
      .. "`every`, or check the scenario itself", saltus.formula.check, rows, "always height < 2")
    assert.is_true(saltus.formula.check(rows, "eventually bounce").holds)
    local few = scenario { log = { "height" } }:run()
    fails('"speed" is not in the log', saltus.formula.check, few, "always speed < 2")
    fails("can be checked over a log", saltus.formula.check, 3, "always speed < 2")
    fails("got a run without a log", saltus.formula.check, scenario { log = false }:run(), "always speed < 2")
    fails('unknown option "tolerence"', saltus.formula.check, run, "eventually bounce", { tolerence = 1 })
  end)

  it("takes deeply nested windows", function()
    assert.near(-2, check(("always[0,0.01] "):rep(60) .. "height >= 2").margin, 1e-9) -- at the bounce
    assert.is_true(check(("eventually[0,0.01] always[0,0.02] "):rep(15) .. "height > -1").holds)
  end)

  it("takes long logs, where positions have fewer digits", function()
    local wave = saltus.system { name = "wave", q = { { "x", 1 } }, v = { { "u", 0 } },
      derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x end }
    local long = saltus.scenario { system = wave, duration = 1000, max_step = 0.05, log = { "x" } }:run()
    assert.is_true(#long.log.time > 2 ^ 14)
    assert.near(1.5 - 1, saltus.formula.check(long, "always x < 1.5").margin, 1e-5)
  end)

  it("refuses a stretch in which the log was stopped", function()
    local sim = saltus.simulator(ball)
    local log = saltus.log(sim)
    sim:advance_to(0.2)
    log:stop()
    sim:advance_to(0.3)
    log:start()
    sim:advance_to(0.4)
    fails("the log was stopped from", saltus.formula.check, log, "always height < 2")
  end)
end)
