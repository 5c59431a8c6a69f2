local saltus = require "saltus"
local command = require "spec.support.command"
local fails = require "spec.support.fails"

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

  it("names what is wrong with the words before the run", function()
    at:fails(2, "%-%-expect: .*column 8: a name, a number", "run", at:path "ball.lua", "--expect", "always ")
    at:fails(1, 'unknown name "hight"', "run", at:path "ball.lua", "--expect", "always hight > 0")
  end)
end)
