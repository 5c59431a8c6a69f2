local saltus = require "saltus"
local command = require "spec.support.command"
local fails = require "spec.support.fails"
local slurp = require "spec.support.slurp"

local TEXT = [[
local saltus = require "saltus"
local ball = saltus.system { name = "ball", q = { { "height", 1 } }, v = { "speed" }, discrete = { { "hits", 0 } },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -9.81 end,
  events = { { name = "touch", witness = function(ctx) return ctx.height end, direction = "falling",
    unrestricted_update = function(ctx, next)
      next.height, next.speed, next.hits = 0, -0.8 * ctx.speed, ctx.hits + 1
    end } } }
return saltus.scenario { system = ball, duration = 1, log = { "height", every = 0.01 },
  expects = { "always height < limit(hits)", functions = { limit = function(hits) return 2 - hits end } } }
]]

local function scenario() return load(TEXT)() end

describe("expects", function()
  it("is checked after a run, with the steps of a run without it", function()
    local s = scenario()
    local run = s:run { expects = { "eventually touch", "always hits == 0" } }
    assert.same({ true, true, false }, { run.expects[1].holds, run.expects[2].holds, run.expects[3].holds })
    assert.near(1 - 0.8 ^ 2, run.expects[1].margin, 1e-9) -- at the apex after the first touch
    local plain = saltus.scenario { system = s.system, duration = 1 }:run()
    assert.is_nil(plain.expects)
    assert.equal(plain.sim:hash(), run.sim:hash())
    assert.equal(plain.stats.steps, run.stats.steps)
  end)

  it("is checked when the scenario is made", function()
    local function made(expects)
      return function() saltus.scenario { system = scenario().system, expects = expects } end
    end
    fails('unknown name "hight" in "ball"; did you mean "height"?', made { "always hight > 0" })
    fails("expects must be a list of formulas", made "always height > 0")
    fails("it has the field \"function\"", made { "always height > 0", ["function"] = {} })
    fails('"alwys height > 0", column 7', made { "alwys height > 0" })
  end)
end)

describe("expectations of a run that goes on", function()
  local random = require "spec.support.random"
  local expectations = require "saltus.formula.expectations"

  -- x = cos t, u = -sin t; n counts up at 0.7, 1.7, ...
  local oscillator = saltus.system { name = "osc", q = { { "x", 1 } }, v = { { "u", 0 } }, discrete = { { "n", 0 } },
    derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x end,
    events = { { name = "tick", every = 1, offset = 0.7,
      discrete_update = function(ctx, next) next.n = (ctx.n + 1) % 3 end } } }

  -- Follows formulas through a run; returns what was told, each with the time then, the run, and the expectations.
  local function followed(given, duration, steps)
    local s = saltus.scenario { system = oscillator, duration = duration, accuracy = 1e-8, max_step = 0.1 }
    local run, told = s:prepare(), {}
    local e = expectations.begin(run, expectations.checked(s.model, given, "spec"))
    run.sim.core:set_progress(function(time)
      for _, text in ipairs(e:news()) do told[#told + 1] = { text = text, time = time } end
    end, steps or 1)
    run.sim:advance_to(run.stop)
    return told, run, e
  end

  it("tells while it goes on that a formula fails, and at which time", function()
    local function told(words, sentence, upto)
      local list = followed({ words }, 100)
      assert.equal(1, #list, words)
      assert.is_truthy(list[1].text:find(sentence, 1, true), list[1].text)
      assert.is_truthy(list[1].text:find(", and the run continues: " .. words, 1, true))
      assert.is_true(list[1].time < upto, list[1].time)
    end
    told("always x > -0.5", "fails at t = 2.0943951", 10)
    told("always (x > 0.9 -> x < -0.9 within 2)", "fails at t = 0 s", 10)
    told("eventually[0,20] x < -2", "is certain to fail at t = 20 s", 45)
    told("never (tick and n == 2)", "fails at t = 1.7 s", 10)
    told("always (time > 51 -> n < 2)", "fails at t = 52.7 s", 65)
    told("x > -2 until[0,3] u > 2", "is certain to fail at t = 3 s", 10)
  end)

  it("is silent on what holds, and on what may still hold", function()
    assert.same({}, (followed({ "always x > -1.001", "eventually n == 2", "always eventually x > 0.9",
      "always (tick -> n > -1)", "eventually x > 5", "always (x > 0 -> eventually[0,10] x < 0)" }, 100)))
  end)

  it("leaves errors of functions to the check after the run", function()
    local told, _, e = followed({ "always broken(x)", functions = { broken = function() error "no" end } }, 20)
    assert.same({}, told)
    fails("no", e.results, e)
  end)

  it("changes no bit of the run", function()
    local _, run = followed({ "always (x > 0 -> x < 0 within 2)", "always n < 1" }, 50)
    local plain = saltus.scenario { system = oscillator, duration = 50, accuracy = 1e-8, max_step = 0.1 }:run()
    assert.equal(plain.sim:hash(), run.sim:hash())
  end)

  it("reads each row a few times only", function()
    local function count(words)
      local calls = 0
      local _, run = followed({ words, functions = { probe = function(x)
        calls = calls + 1
        return x + 2
      end } }, 400)
      return calls / #run.log.time
    end
    for _, words in ipairs { "always probe(x) > 0", "always (tick -> probe(x) > 0 within 2)",
      "always eventually probe(x) > 0", "eventually probe(x) > 9" } do
      local reads = count(words)
      assert.is_true(reads > 1 and reads < 24, words .. ": " .. reads)
    end
  end)

  it("is what a check of the whole run finds, for random formulas", function()
    local draw = random.new(11)
    local function words(depth)
      if depth == 0 then
        return draw:pick { ("x > %.2f"):format(2 * draw:real() - 1), ("u <= %.2f"):format(2 * draw:real() - 1),
          "n == 1", "n ~= 2", "tick" }
      end
      local op = draw:pick { "not", "and", "or", "->", "always", "eventually", "until", "always", "eventually", "rise" }
      local inner = ("(%s)"):format(words(depth - 1))
      if op == "not" or op == "rise" then return op .. inner end
      local from = draw:integer(0, 3) / 2
      local span = draw:chance(0.2) and "" or ("[%g,%g]"):format(from, from + draw:integer(0, 4) / 2)
      if op == "always" or op == "eventually" then return op .. span .. inner end
      return ("%s %s%s (%s)"):format(inner, op, op == "until" and span or "", words(depth - 1))
    end
    local early, late = 0, 0
    for case = 1, 60 do
      local text = words(draw:integer(1, 3))
      if case % 2 == 0 then text = ("always (%s)"):format(text) end
      local told, run = followed({ text }, 30)
      local check = saltus.formula.check(run.log, text)
      if told[1] then
        early = early + 1
        assert.is_false(check.holds, text)
        assert.is_true(check.decided, text)
        local t = tonumber(told[1].text:match "fails at t = (%S+) s") -- without `always`, no time is told for it
        if t and case % 2 == 0 then assert.near(check.first, t, 1e-6, text) end
      elseif check.decided and not check.holds then
        late = late + 1
      end
    end
    assert.is_true(early > 20 and late < 10, early .. " " .. late)
  end)
end)

describe("saltus run --expect", function()
  local at

  setup(function() at = command.new { ["ball.lua"] = TEXT } end)

  teardown(function() at:remove() end)

  it("succeeds if all formulas hold, and says so", function()
    local status, out, err = at:saltus("run", at:path "ball.lua", "--expect", "eventually touch")
    assert.same({ 0, "" }, { status, err })
    assert.is_truthy(out:find("  holds: always height < limit(hits)\n  holds: eventually touch\n", 1, true))
  end)

  it("is in the command that runs it again", function()
    local run_card = require "saltus.output.run_card"
    assert.equal("saltus run a.lua --expect 'always x > 2' --expect y",
      run_card.run_command { file = "a.lua", changes = { expects = { "always x > 2", "y" } } })
    assert.is_nil(run_card.run_command { file = "a.lua", changes = { expects = { "y", functions = {} } } })
  end)

  it("fails with exit status 1 and the explanation", function()
    local status, _, err = at:saltus("run", "-q", at:path "ball.lua", "--expect", "never touch", "--expect",
      "always[0,2] height < 3")
    assert.equal(1, status)
    assert.is_truthy(err:find("expected: does not hold: never touch\n", 1, true))
    assert.is_truthy(err:find("expected: not decided: always[0,2] height < 3\n"
      .. "the run ends at 1 s, the formula needs 2 s\n", 1, true))
  end)

  it("tells a failure while the run goes on, which has the same rows and events to its end", function()
    local function rows(...)
      local status, _, err = at:saltus("run", "-q", at:path "ball.lua", "--every", "0", "--max-step", "0.001", "--log",
        "height,hits", "--csv", at:path "rows.csv", ...)
      return slurp(at:path "rows.csv"), status, err
    end
    local plain = rows()
    local expected, status, err = rows("--expect", "always height > 0.5")
    assert.same({ plain, 1 }, { expected, status })
    local fall = ("%.9g"):format(math.sqrt(1 / 9.81)):sub(1, 8)
    assert.is_truthy(err:find("^expected: fails at t = " .. fall:gsub("%.", "%%.") .. "%d* s, and the run continues: "
      .. "always height > 0%.5\nexpected: does not hold: "), err)
  end)

  it("names what is wrong with the words before the run", function()
    at:fails(2, "%-%-expect: .*column 8: a name, a number", "run", at:path "ball.lua", "--expect", "always ")
    at:fails(1, 'unknown name "hight"', "run", at:path "ball.lua", "--expect", "always hight > 0")
  end)
end)
