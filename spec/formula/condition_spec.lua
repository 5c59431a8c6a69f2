local saltus = require "saltus"
local fails = require "spec.support.fails"

local tank = saltus.system { name = "tank", z = { { "level", 3 }, { "r", { 1, 2 } } }, params = { limit = 2 },
  discrete = { { "pump", "on", values = { "on", "off" } }, { "n", 2 } },
  derivatives = function(_, dot) dot.level, dot.r = -1, { 0, 0 } end,
  events = { { name = "ring", at = "demand" } } }

local sim = saltus.simulator(tank)

local function margin(words, functions) return saltus.formula.condition(words, tank, functions)(sim.context) end

describe("a condition", function()
  it("returns by how much it holds", function()
    assert.equal(-2, margin "level < 1")
    assert.equal(1, margin "level > limit")
    assert.equal(0, margin "r[2] >= n")
    assert.equal(2 ^ 3 - 3, margin "-level + limit ^ level >= 2 - n")
    assert.equal(math.min(3 - 1, 4 - 3), margin "level > 1 and level < 4")
    assert.equal(1, margin "level > 2 -> level > 2")
    assert.equal(-1, margin "not (level > 2 or n < 1)")
    assert.equal(3 - 0.5, margin("half(r[1]) < level", { half = function(x) return x / 2 end }))
  end)

  it("does not hold at equality where the comparison is strict", function()
    for words, holds in pairs { ["level > 3"] = false, ["level >= 3"] = true, ["not level > 3"] = true,
      ["not level >= 3"] = false, ["level < 3 -> n > 5"] = true } do
      assert.equal(holds, margin(words) >= 0, words)
    end
  end)

  it("compares modes and held numbers", function()
    for words, holds in pairs { ["pump == 'on'"] = true, ["pump ~= 'on'"] = false, ["'off' == pump"] = false,
      ["n == 2"] = true, ["not n == limit"] = false, ["pump == pump"] = true } do
      assert.equal(holds, margin(words) >= 0, words)
    end
    assert.is_true(margin("yes(n)", { yes = function(n) return n == 2 end }) >= 0)
    assert.is_true(margin("not yes(n)", { yes = function(n) return n == 2 end }) < 0)
  end)

  it("reads the parts of a diagram", function()
    local d = saltus.diagram "plant"
    d:add(tank, "a")
    d:add(tank:with { level = 5 }, "b")
    local run = saltus.simulator(d)
    assert.equal(2, saltus.formula.condition("a.level < b.level", d)(run.context))
    assert.equal(4, saltus.formula.condition("a.r[2] + b.r[2] >= 0 and b.level > 1", run)(run.context))
    assert.is_true(saltus.formula.condition("a.pump == b.pump", run)(run.context) >= 0)
  end)

  it("may be a long chain", function()
    local parts = {}
    for i = 1, 300 do parts[i] = "level > " .. i end
    assert.equal(3 - 1, margin(table.concat(parts, " or ")))
    assert.equal(3 - 300, margin(table.concat(parts, " and ")))
    fails("too long a sum", margin, ("1 + "):rep(300) .. "1 > 2")
  end)

  it("says so where a function returns nothing to compute with", function()
    fails('the function "f" of a formula must return a number or a boolean, got nil', margin, "f(n) > 2",
      { f = function() end })
  end)

  it("knows its functions with one number and two", function()
    sim.context.level = 3
    assert.equal(3 - 2, margin "min(level, 5, 9) > atan(0, 1) + 2")
    assert.near(math.log(8, 2) - 1, margin "log(8, 2) > 1", 1e-15)
  end)

  it("is a function of the user as it is", function()
    local function fn(ctx) return ctx.level end
    assert.equal(fn, saltus.formula.condition(fn, tank))
  end)

  it("names what it cannot be", function()
    local function wrong(words, message) fails(message, margin, words) end
    wrong("level == 3", "compares numbers that flow by ==")
    wrong("2 * level ~= n", "abs(2 * level - (n)) < 0.01")
    wrong("lvl > 2", 'column 1: unknown name "lvl" in "tank"')
    wrong("n > 1 and pump == on", "column 19: on is a value of the mode \"pump\"; write it in quotes: pump == 'on'")
    wrong("off ~= pump", "column 1: off is a value of the mode \"pump\"; write it in quotes: pump ~= 'off'")
    wrong("n > 1 and pump == 'of'", 'column 19: a mode must be one of "on", "off", got "of"; did you mean "off"?')
    wrong("level", '"level" is a number; a condition compares it, as in level > 0')
    wrong("pump", "\"pump\" is a mode; a condition compares it, as in pump == 'on'")
    wrong("pump > 2", "\"pump\" is a mode; compare it with == or ~=")
    wrong("level == 'on'", '"level" is a number, not a mode')
    wrong("ring", '"ring" is an event; a condition is about values')
    wrong("ring > 2", '"ring" is an event, not a number')
    wrong("r > 2", '"r" has 2 elements; write one, like r[1]')
    wrong("r[3] > 2", "r")
    wrong("half(level) > 2", 'unknown function "half"')
    wrong("abs() > 2", "column 1: abs takes 1 number, got 0")
    wrong("level > sin(level, 2)", "column 9: sin takes 1 number, got 2")
    wrong("max() > 2", "max takes 1 number or more, got 0")
    wrong("atan(1, 2, 3) > 2", "atan takes 1 or 2 numbers, got 3")
    for _, words in ipairs { "%s > 2", "%s(level) > 2", "pump == '%s'", "%s.%s > 2" } do
      local ok, message = pcall(margin, (words:gsub("%%s", ("z"):rep(5000))))
      assert.is_true(not ok and #message < 600, message)
    end
    wrong("always level > 2", "always speaks of a span of time")
  end)
end)
