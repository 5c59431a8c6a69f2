-- Mirrors lua/saltus/testing/formula_over_run.lua and evidence.lua: assert.holds, and the picture of a failure.
local formula = require "saltus.formula"
local saltus = require "saltus"
require "saltus.busted"

-- A ball thrown upwards from the ground at 10 m/s, which lands after 20/g seconds and then rests.
local G = 9.81
local ball = saltus.system {
  name = "ball", q = { { "height", 0, unit = "m" } }, v = { { "speed", 10 } },
  discrete = { { "mode", "flying", values = { "flying", "resting" } } }, params = { { "limit", 5 } },
  derivatives = function(ctx, dot)
    dot.height, dot.speed = ctx.speed, ctx.mode == "flying" and -G or 0
  end,
  events = { { name = "land", direction = "falling", witness = function(ctx) return ctx.height end,
    unrestricted_update = function(_, next) next.height, next.speed, next.mode = 0, 0, "resting" end } } }
local scenario = saltus.scenario { system = ball, duration = 3, accuracy = 1e-9 }
local run = scenario:run()
local apex, top, landing = 10 / G, 50 / G, 20 / G

local function said(action)
  local ok, wrong = pcall(action)
  assert.is_false(ok)
  return tostring(wrong)
end

describe("assert.holds", function()
  it("takes a run, a log or a scenario, and is negated by is_not and does_not", function()
    for _, of in ipairs { run, run.log, scenario } do
      assert.holds(of, "always height > -1e-9")
      assert.is_not.holds(of, "always height > 1e-9")
      assert.does_not.hold(of, "eventually height > 6")
    end
    assert.holds(run, "always (land -> eventually[0,0.1] mode == 'resting')")
    assert.holds(run, ("always height < %.12f"):format(top + 1e-9))
    assert.is_not.holds(run, ("always height < %.12f"):format(top - 1e-7))
  end)

  it("passes functions and a tolerance on", function()
    local function energy(height, speed) return G * height + speed ^ 2 / 2 end
    assert.holds(run, "always (mode == 'flying' -> abs(energy(height, speed) - 50) < 1e-6)",
      { functions = { energy = energy } })
    assert.is_not.holds(run, "always height >= 0")
    assert.holds(run, "always height >= 0", { tolerance = 1e-9 })
  end)

  it("prints why it fails, the first and the worst time, the values, the events and a plot with the bound", function()
    local text = said(function() assert.holds(run, "always height < limit - 1") end)
    assert.matches("does not hold: always height < limit - 1", text, 1, true)
    assert.near(4 - top, tonumber(text:match "margin (%-?[%d.]+)"), 1e-5)
    assert.near(apex, tonumber(text:match "margin %-?[%d.]+ at t = ([%d.]+) s"), 1e-6)
    assert.near((10 - math.sqrt(100 - 8 * G)) / G, tonumber(text:match "first fails at t = ([%d.]+) s"), 1e-6)
    assert.matches("there height = 5.09[%d]+, limit = 5", text)
    assert.matches("\n *height, limit %- 1 %[m%]\n", text)
    assert.matches("▴ first fails\n", text)
    assert.matches("▴ here: height < limit - 1", text, 1, true)
    text = said(function() assert.holds(run, "always (height > 5 -> speed < 0 within 0.05)") end)
    assert.matches("height > 5 .- it holds from 0%.8%d+ s to 1%.1%d+ s", text)
    assert.matches("height, 5 [m]", text, 1, true)
    assert.matches("\n  also speed = [%d.e-]+, mode = flying\n", said(function()
      assert.holds(scenario, "always height < 4")
    end))
    local also = said(function() assert.holds(run, "always (land -> height > 1)") end)
    assert.matches("\n  also speed = %-10%S* before and 0 after a jump, mode = flying before and resting after a "
      .. "jump\n", also)
    assert.matches("\n *speed, 0\n", text)
    assert.matches("├flying", said(function() assert.holds(run, "always mode == 'flying'") end))
    assert.matches("holds: always height < 6", said(function() assert.is_not.holds(run, "always height < 6") end))
  end)

  it("takes the formulas that the scenario expects, without words", function()
    local function expecting(...)
      return saltus.scenario { system = ball, duration = 3, accuracy = 1e-9, expects = { ... } }
    end
    assert.holds(expecting("always height < 6", "eventually land"))
    assert.holds(expecting("always height < 6"):run())
    assert.is_not.holds(expecting("always height < 6", "always height < 5"))
    local text = said(function() assert.holds(expecting("always height < 6", "never land", "always height < 5")) end)
    assert.is_nil(text:find("height < 6", 1, true))
    assert.matches("does not hold: never land.*does not hold: always height < 5", text)
    for _, action in ipairs { function() assert.holds(expecting "always[0,9] height < 6") end,
      function() assert.is_not.holds(expecting "always[0,9] height < 6") end } do
      assert.matches("not decided", said(action))
    end
    assert.is_not.holds(expecting("always[0,9] height < 6", "never land"))
  end)

  it("fails, and its negation too, if the run is too short to say", function()
    for _, action in ipairs { function() assert.holds(run, "always[0,5] height > -1") end,
      function() assert.does_not.hold(run, "always[0,5] height > -1") end } do
      assert.matches("not decided.*the run ends at 3 s, the formula needs 5 s", said(action))
    end
    assert.holds(run, "eventually[0,5] height > 5")
    assert.is_not.holds(run, "always[0,5] height < 5")
  end)

  it("quotes a wrong formula with its column, at the line of the spec", function()
    local line = debug.getinfo(1, "l").currentline + 2
    assert.matches(('holds_spec.lua:%d: "always heigt > 0", column 8: unknown name "heigt" in "ball"'):format(line),
      said(function() assert.holds(run, "always heigt > 0") end), 1, true)
    assert.matches("needs the field expects", said(function() assert.holds(run) end))
    local rows = scenario:run { every = 0.1 }
    assert.matches("leave out `every`", said(function() assert.holds(rows, "always height < 9") end))
  end)
end)

describe("the picture of a verdict", function()
  it("has a curve for each side of each comparison, the one that decides first", function()
    local verdict = formula.check(run, "always (height > 5 -> speed < 1 within 0.05) and always mode ~= 'resting'")
    local panels = verdict.panels()
    assert.equal("mode", panels[1].path)
    assert.same({ "height", "5" }, { panels[2][1].name, panels[2][2].name })
    assert.same({ "speed", "1" }, { panels[3][1].name, panels[3][2].name })
    for _, t in ipairs { 0, 0.3, apex, 1.7 } do
      assert.near(10 * t - G / 2 * t ^ 2, panels[2][1].value(t), 1e-7)
      assert.equal(5, panels[2][2].value(t))
    end
    assert.near(-10, panels[3][1].value(run.log:times("land")[1], -1), 1e-6)
    assert.near(0, panels[3][1].value(landing + 0.1), 1e-12)
  end)

  it("shows an excursion that is short beside the run", function()
    local text = said(function() assert.holds(run, ("always height < %.12f"):format(top - 1e-6)) end)
    local first, worst = text:match "first fails at t = ([%d.]+) s", text:match "margin %S+ at t = ([%d.]+) s"
    assert.is_true(worst - first < 1e-3)
    local labels = {}
    for label in text:gmatch "\n%s*(5%.%d+) ┤" do labels[#labels + 1] = tonumber(label) end
    assert.is_true(#labels > 1 and labels[1] - labels[#labels] < 1e-3)
  end)
end)
