-- Mirrors lua/saltus/busted.lua and lua/saltus/testing/: what the assertions accept, and what they say.
local saltus = require "saltus"
require "saltus.busted"

-- Fills until 1 m with the exact level L - (L - 0.2) e^(-t/20), where L = 2 m; then it drains to 0.5 m, and so on.
local tank = saltus.system {
  name = "tank", z = { { "level", 0.2, unit = "m" } },
  discrete = { { "pump", "on", values = { "on", "off" } } },
  derivatives = function(ctx, dot) dot.level = (ctx.pump == "on" and 0.1 or 0) - 0.05 * ctx.level end,
  events = {
    { name = "full", direction = "rising", witness = function(ctx) return ctx.level - 1 end,
      discrete_update = function(_, next) next.pump = "off" end },
    { name = "empty", direction = "falling", witness = function(ctx) return ctx.level - 0.5 end,
      discrete_update = function(_, next) next.pump = "on" end },
    { name = "never", at = "demand", publish = function() end } } }
local scenario = saltus.scenario { system = tank, duration = 40, accuracy = 1e-9 }
local full = 20 * math.log(1.8)
local empty = full + 20 * math.log(2)
local full_again = empty + 20 * math.log(1.5)
local run = scenario:run()

local function filling(t) return 2 - 1.8 * math.exp(-t / 20) end

local function level(t)
  if t <= full then return filling(t) end
  if t <= empty then return math.exp(-(t - full) / 20) end
  if t <= full_again then return 2 - 1.5 * math.exp(-(t - empty) / 20) end
  return math.exp(-(t - full_again) / 20)
end

-- The text of a failed assertion, or of an error.
local function said(action)
  local ok, wrong = pcall(action)
  assert.is_false(ok)
  return tostring(wrong)
end

local function line_of(level_up) return debug.getinfo(level_up, "l").currentline end

describe("event_at", function()
  it("holds within the tolerance, with a run, a log or a scenario", function()
    for _, of in ipairs { run, run.log, scenario } do assert.event_at(of, "full", full, 1e-6) end
    assert.has_no.event_at(run, "full", full + 0.1, 0.099)
    assert.event_at(run, "full", full + 0.1, 0.101)
    assert.has_no.event_at(run, "never", 1, 1e6)
    local fired = run.log:times("empty")[1]
    assert.event_at(run, "empty", fired, 0)
  end)

  it("names the nearest time, its side, the last event and the values", function()
    local text = said(function() assert.event_at(run, "full", 20, 0.5) end)
    assert.matches(('"full" did not fire at 20 s within 0.5 s: the nearest is at 11.755%%d+ s, %.6g s before')
      :format(20 - full), text)
    assert.matches("it fired 2 times: 11%.755%d+, 33%.727%d+ s", text)
    assert.matches("last events: full at 11%.755%d+ s %(until 20 s%)", text)
    local at_20 = tonumber(text:match "at 20 s: level = ([%d.]+), pump = off")
    assert.near(level(20), at_20, 1e-6)
    assert.matches("level %[m%]\n", text)
    assert.matches("▴ full expected here", text)
    assert.matches("it never fired from 0 to 40 s", said(function() assert.event_at(run, "never", 1, 1) end))
    assert.matches('"full" fired at 11.755%d+ s, within 1 s of 12 s',
      said(function() assert.has_no.event_at(run, "full", 12, 1) end))
  end)

  it("refuses wrong arguments at the line of the spec", function()
    local text = said(function() assert.event_at(run, "ful", 1, 1) end)
    local wanted = 'assertions_spec.lua:%d: unknown event "ful" in "tank"; did you mean "full"?'
    assert.matches(wanted:format(line_of(2) - 2), text, 1, true)
    for message, action in pairs {
      ["takes a log, the result of a run or a scenario, got 3"] = function() assert.event_at(3, "full", 1, 1) end,
      ["the tolerance in seconds, not negative, got nil"] = function() assert.event_at(run, "full", 1) end,
      ["a time in seconds, got NaN"] = function() assert.event_at(run, "full", 0 / 0, 1) end,
      ["not negative, got -1"] = function() assert.event_at(run, "full", 1, -1) end,
      ["the name of an event, got 1"] = function() assert.event_at(run, 1, 1, 1) end,
      ["this run has no log"] = function() assert.event_at(scenario:run { log = false }, "full", 1, 1) end,
    } do assert.matches(message, said(action), 1, true) end
  end)
end)

describe("event_order", function()
  it("compares the first events of these names", function()
    assert.event_order(run, { "full", "empty" })
    assert.event_order(run, { "full", "empty", "full", exactly = true })
    assert.event_order(run, { "full", "full" })
    assert.is_not.event_order(run, { "empty", "full" })
    assert.is_not.event_order(run, { "full", "empty", exactly = true })
    assert.is_not.event_order(run, { "full", "empty", "full", "empty" })
  end)

  it("says which event differs", function()
    assert.matches('event 1 of 2: expected "empty", got "full" at 11.755',
      said(function() assert.event_order(run, { "empty", "full" }) end), 1, true)
    assert.matches('event 4 of 4: expected "empty", got no more',
      said(function() assert.event_order(run, { "full", "empty", "full", "empty" }) end), 1, true)
    assert.matches('event 3 of 2: expected no more, got "full" at 33.7',
      said(function() assert.event_order(run, { "full", "empty", exactly = true }) end), 1, true)
    assert.matches("got [2] = 3", said(function() assert.event_order(run, { "full", 3 }) end), 1, true)
  end)
end)

describe("near_trajectory", function()
  it("compares with an exact solution between the rows too", function()
    assert.near_trajectory(run, { level = level }, 1e-7)
    local function pump(t) return (t <= full or t > empty and t <= full_again) and "on" or "off" end
    assert.near_trajectory(scenario, { pump = pump }, 0, 1e-6)
    local function bumped(t) return level(t) + 1e-3 * math.max(0, 1 - math.abs(t - 5) / 0.4) end
    assert.is_not.near_trajectory(run, { level = bumped }, 1e-5)
    local rows = 0
    for _, t in ipairs(run.log.time) do if math.abs(t - 5) < 0.4 then rows = rows + 1 end end
    assert.equal(0, rows)
  end)

  it("says by how much, when first, and when most", function()
    local text = said(function()
      assert.near_trajectory(run, { level = function(t) return level(t) - math.max(0, t - 30) / 100 end }, 0.05)
    end)
    assert.matches('"level" is 0.1 from the expected at t = 40 s; the tolerance is 0.05', text, 1, true)
    local first = tonumber(text:match "first at t = ([%d.]+) s")
    assert.is_true(first > 35 and first < 37)
    assert.matches("level, expected [m]", text, 1, true)
  end)

  it("allows the time of a jump to differ on request", function()
    local coarse = scenario:run { accuracy = 1e-4 }
    local text = said(function() assert.near_trajectory(coarse, run, { pump = 0 }) end)
    assert.matches("a fourth argument, in seconds", text, 1, true)
    assert.near_trajectory(coarse, run, { pump = 0, level = 1e-2 }, 0.1)
    assert.near_trajectory(run, coarse, { pump = 0, level = 1e-2 }, 0.1)
    assert.near_trajectory(run, run, 0)
  end)

  it("compares with samples and with a CSV file", function()
    local times, levels = { 0, 10, 20, 40 }, {}
    for i, t in ipairs(times) do levels[i] = level(t) end
    assert.near_trajectory(run, { time = times, level = levels }, 1e-7)
    levels[3] = levels[3] + 1e-3
    assert.matches("at t = 20 s", said(function()
      assert.near_trajectory(run, { time = times, level = levels }, 1e-7)
    end), 1, true)
    local path = os.tmpname()
    scenario:run({ log = { "level", every = 1 } }).log:csv(path)
    assert.near_trajectory(run, path, { level = 1e-6 })
    assert.near_trajectory(run, path, 1e-6)
    os.remove(path)
  end)

  it("compares with the CSV file of a recorded run, with modes and both sides of each jump", function()
    local path = os.tmpname()
    run.log:csv(path)
    assert.near_trajectory(run, path, 0)
    assert.near_trajectory(scenario:run { accuracy = 1e-9 }, path, { level = 1e-4, pump = 0 }, 1e-3)
    local text = said(function() assert.near_trajectory(scenario:run { set = { level = 1.5 } }, path, 1e-6) end)
    assert.matches('"pump" differs at t = ', text, 1, true)
    os.remove(path)
  end)

  it("compares logs with a period at their rows, and refuses two that differ", function()
    local function every(seconds) return scenario:run { every = seconds } end
    assert.near_trajectory(every(0.5), run, 1e-7, 1e-6)
    assert.near_trajectory(run, every(0.5), 1e-7, 1e-6)
    assert.near_trajectory(every(0.5), every(0.5), 0)
    assert.matches("the times differ at row 2 (0.5 s and 0.3 s)",
      said(function() assert.near_trajectory(every(0.5), every(0.3), 1) end), 1, true)
  end)

  it("refuses what cannot be compared", function()
    assert.matches("the runs do not last equally long: this one from 0 to 40 s, the expected one from 0 to 10 s",
      said(function() assert.near_trajectory(run, scenario:run { duration = 10 }, 1) end), 1, true)
    assert.matches('unknown signal "levl"; did you mean "level"?',
      said(function() assert.near_trajectory(run, { levl = level }, 1) end), 1, true)
    assert.matches("must be a function of time", said(function() assert.near_trajectory(run, { level = 1 }, 1) end))
    assert.matches("must return a number or a mode", said(function()
      assert.near_trajectory(run, { level = function() end }, 1)
    end))
    local text = said(function() assert.near_trajectory(run, { level = function() return -(0 / 0) end }, 1) end)
    assert.matches('"level" or the expected is NaN, first at t = 0 s\nthere [%d.]+, expected NaN\n', text)
    assert.matches("no_such_file.csv: No such file",
      said(function() assert.near_trajectory(run, "no_such_file.csv", 1) end), 1, true)
    local sim = saltus.simulator(tank)
    local log = saltus.log(sim, { "level" })
    sim:advance_to(1)
    log:stop()
    sim:advance_to(2)
    log:start()
    sim:advance_to(3)
    assert.matches("the log was stopped from 1 to 2 s", said(function() assert.near_trajectory(log, run, 1) end))
    assert.matches("no logged signal in common", said(function()
      assert.near_trajectory(run, scenario:run { log = { twice = function(ctx) return 2 * ctx.level end } }, 1)
    end))
    assert.matches("a list of 2 values", said(function()
      assert.near_trajectory(run, { time = { 0, 1 }, level = { 1 } }, 1)
    end))
  end)
end)

describe("same_run", function()
  it("holds for two runs of a scenario", function()
    assert.same_run(run, scenario)
    assert.same_run(run.log, scenario:run().log)
    assert.same_run(scenario:run { log = false }, scenario:run { log = false })
    assert.matches("the runs are the same to the bit: %d+ rows, 3 events, and the hash %x+",
      said(function() assert.is_not.same_run(run, scenario) end))
  end)

  it("names the first row, signal and event that differ", function()
    local text = said(function() assert.same_run(run, scenario:run { set = { level = 0.2 + 2 ^ -50 } }) end)
    assert.matches("the runs differ from row 1 on, at t = 0 s:\n  level = 0.20000000000000001; the other has "
      .. "0.20000000000000", text, 1, true)
    assert.matches("event 1 is full at 11.755%d+ s; in the other run it is full at 11.755%d+ s", text)
    assert.matches("the logs have other signals: level, pump and level", said(function()
      assert.same_run(run, scenario:run { log = { "level" } })
    end))
    assert.matches("the logs have %d+ and %d+ rows", said(function()
      assert.same_run(run, scenario:run { duration = 20 })
    end))
  end)

  it("compares what is not logged by the hash", function()
    local function hidden(pump) return scenario:run { log = {}, set = { pump = pump }, duration = 0 } end
    local function none(pump) return scenario:run { log = false, set = { pump = pump }, duration = 0 } end
    assert.same_run(hidden "on", hidden "on")
    assert.matches("the runs end in other states", said(function() assert.same_run(none "on", none "off") end))
  end)
end)

describe("all assertions", function()
  it("say what is wrong with a run of no length", function()
    local start = scenario:run { duration = 0 }
    assert.matches("never fired from 0 to 0 s", said(function() assert.event_at(start, "full", 0, 1) end))
    assert.matches('"level" is 1 from the expected at t = 0 s', said(function()
      assert.near_trajectory(start, { level = function() return 1.2 end }, 0.1)
    end))
    assert.matches("margin %-0.1 at t = 0 s", said(function() assert.holds(start, "always level > 0.3") end))
  end)

  it("have a message before the text", function()
    assert.matches("^[^\n]*look here\n[^\n]*did not fire", said(function()
      assert.message("look here").event_at(run, "full", 1, 0)
    end))
  end)
end)
