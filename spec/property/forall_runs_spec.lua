-- Mirrors lua/saltus/property/: what decides a case: runs, formulas, and what a scenario expects.
local commands = require "spec.support.command"
local properties = require "spec.support.forall"
local saltus = require "saltus"

local forall, decay = properties.run, properties.decay

describe("the runs of saltus.forall", function()
  it("are those of scenario:run, to the bit, with their logs", function()
    local ball = dofile "examples/02-bouncing-ball.lua"
    forall { scenario = ball, params = { restitution = { 0.6, 0.9 }, height = { 0.5, 2 },
      mode = { "falling", "resting" } }, duration = 2, runs = 30, holds = function(run)
        local own = ball:run { set = run.params, duration = 2, seed = run.seed, log = {} }
        assert.equal(own.sim:hash(), run.sim:hash())
        assert.equal(#own.log.time, #run.log.time)
        for i = 1, #own.log.time do
          assert.equal(own.log.time[i], run.log.time[i])
          assert.equal(own.log.height[i], run.log.height[i])
        end
        assert.same(own.log:times "touch", run.log:times "touch")
      end, raise = true }
  end)

  it("have the log that is asked for", function()
    local most = 0
    forall(decay { params = { rate = { 1, 2 } }, log = { "x", every = 0.01, most_rows = 16 }, runs = 4, raise = true,
      holds = function(run)
        assert.equal(0.0, run.log.time[1])
        most = math.max(most, #run.log.time)
        local own = saltus.scenario(decay {}):run { set = run.params, log = { "x", every = 0.01, most_rows = 16 } }
        assert.equal(#own.log.time, #run.log.time)
      end })
    assert.is_true(most > 0 and most <= 16)
  end)
end)

describe("a formula", function()
  it("decides as formula.check does, over what it reads", function()
    local log
    local def = decay { params = { rate = { 0, 3, home = 0 } }, duration = 1, holds = "always x > low(rate)",
      functions = { low = function(rate)
        log = rate
        return 0.2
      end } }
    local result = forall(def)
    assert.is_true(result.values.rate > math.log(5) and result.values.rate < 1.7, tostring(result.values.rate))
    assert.equal(result.values.rate, log)
    local run = saltus.scenario(decay {}):run { set = result.values }
    local own = saltus.formula.check(run, def.holds, { functions = def.functions })
    assert.equal(own.margin, result.margin)
    assert.near(math.exp(-result.values.rate) - 0.2, result.margin, 1e-6)
    assert.equal(own.text:match "\n%s*(.*)", result.error)
    assert.matches("saltus.forall: decay: always x > low%(rate%) fails: margin %-[%d.e-]+ at t = 1 s[^\n]*\n  with "
      .. "rate = ", tostring(result))
    assert.matches("\n  there x = ", tostring(result))
  end)

  it("may be a tree, and is one for a function that builds the scenario", function()
    local formula = saltus.formula
    local tree = formula.always(formula.parse "x > 0.2")
    local result = forall(decay { params = { rate = { 0, 3, home = 0 } }, holds = tree })
    local built = forall { params = { rate = { 0, 3, home = 0 } }, holds = "always x > 0.2", scenario = function(values)
      return saltus.scenario { system = decay({}).system:with(values), duration = 1 }
    end }
    assert.same(result.values, built.values)
    assert.equal(tostring(tree), result.error and tostring(result):match "decay: (.-) fails")
  end)

  it("knows the events that the story of the scenario emits, also in runs without them", function()
    local told = saltus.scenario { system = decay({}).system, duration = 1, story = function(s, run)
      s:wait(0.5)
      if run.rate > 1 then s:emit "fast" end
    end }
    for words, holds in pairs { ["always (fast -> x > 0.2)"] = false, ["eventually (fast or time >= 1)"] = true } do
      local result = forall { scenario = told, params = { rate = { 0, 4, home = 0 } }, holds = words }
      assert.equal(holds, result.holds, tostring(result))
      assert.is_true(holds or result.values.rate > 3.2 and result.values.rate < 3.3)
    end
  end)

  it("leads the search, and finds what is between two steps", function()
    local wave = saltus.system { name = "wave", q = { { "x", 0 } }, params = { { "w", 1 }, { "a", 1 } },
      derivatives = function(ctx, dot) dot.x = ctx.a * ctx.w * math.cos(ctx.w * ctx.time) end }
    local result = forall { system = wave, duration = 3, params = { w = { 0.6, 2 }, a = { 0, 1.00001 } }, runs = 0,
      cases = { { a = 0.5 } }, search = 400, holds = "always x <= 1" }
    assert.is_false(result.holds)
    assert.is_true(result.values.a > 1)
  end)

  it("fails by more than the accuracy of the run, if it did before", function()
    for accuracy, case in pairs { [0.01] = 2, [0.1] = 1.7 } do
      local result = forall(decay { params = { rate = { 0, 3, home = 0 } }, holds = "always x > 0.2",
        accuracy = accuracy, cases = { { rate = case } } })
      assert.is_true(result.margin < (case == 2 and -accuracy or 0), tostring(result))
    end
  end)

  it("fails where the run is too short for it", function()
    local result = forall(decay { params = { rate = { 0, 1 } }, runs = 1, holds = "always[0,5] x > -1" })
    assert.matches("the run ends at 1 s, the formula needs 5 s", result.error)
  end)

  it("is refused before a run, with the column", function()
    for words, wrong in pairs { ["always x >"] = "column", ["always y > 0"] = '"y"', ["always f(x)"] = '"f"' } do
      local _, message = pcall(saltus.forall, decay { params = { rate = { 0, 1 } }, holds = words, file = false })
      assert.truthy(message:find(wrong, 1, true), message)
      assert.is_nil(message:find("fails:", 1, true))
    end
  end)
end)

describe("the command that runs a case again", function()
  it("fails with the same margin, and holds for the case at home", function()
    local at = commands.new()
    local result = forall { scenario = "spec/support/cruise_control.lua", holds = "always gap > -15", shrink = 9,
      params = { brake2 = { 0, 8 }, len2 = { 0.5, 4 } }, cases = { { brake2 = 8, len2 = 4 } }, accuracy = 1e-5 }
    local words = result.command:match "^saltus (run spec/support/cruise_control.lua %-%-accuracy 1e%-5 %-%-set .*)$"
    assert.matches(" %-%-expect 'always gap > %-15'$", words)
    local function run(line)
      return at:lua("-e 'os.exit(require(\"saltus.cli.main\").main(arg), true)' /dev/null " .. line .. " -q")
    end
    local status, _, err = run(words)
    assert.equal(1, status)
    assert.matches(("%.6g"):format(-result.margin), err, 1, true)
    assert.equal(0, (run(words:gsub("%-%-set %S+", ""))))
    at:remove()
  end)

  it("is a line of Lua with all that is plain, if no file returns the scenario", function()
    local result = forall(decay { params = { rate = { 0, 3, home = 0 } }, holds = "always x > 0.2", accuracy = 1e-5 })
    local own = saltus.scenario(decay {})
    local run = load("local scenario = ...; return " .. result.command)(own)
    assert.equal(result.margin, saltus.formula.check(run, "always x > 0.2").margin)
    assert.matches("accuracy = 1e-5, duration = 1 }", result.command, 1, true)
  end)
end)

describe("what a scenario expects", function()
  local function expecting(...)
    return saltus.scenario { system = decay({}).system, duration = 1, expects = { ... } }
  end

  it("is the property without holds", function()
    local result = forall { scenario = expecting("always x > 0.2", "always x <= 1.5"),
      params = { rate = { 0, 3, home = 0 }, x = { 0.5, 2 } } }
    assert.is_false(result.holds)
    assert.matches("decay: always x > 0.2; always x <= 1.5 fails: margin", tostring(result), 1, true)
    assert.is_true(result.values.rate > 1.6 or result.values.x > 1.5)
    local good = forall { scenario = expecting("always x > 0.2", "always x < 2.1"), params = { rate = { 0, 0.5 },
      x = { 1, 2 } } }
    assert.is_true(good.holds)
    assert.near(2.1 - 2, good.margin, 1e-9)
    local built = forall { scenario = function(values) return expecting("always x < " .. values.limit) end,
      params = { limit = { 0, 2 } } }
    assert.matches("scenario%({ limit = [%d.]+ }%):run { seed = %d+ }", built.command)
    assert.is_true(built.values.limit <= 1)
  end)
end)
