-- A watch of words runs as a program of the core: it fires at the same bits as one of the Lua function of the words.
local saltus = require "saltus"
local random = require "spec.support.random"

local wave = saltus.system { name = "wave", q = { { "x", 1 }, { "r", { 0, 2 } } }, v = { { "u", 0 } },
  discrete = { { "n", 0 }, { "pump", "on", values = { "off", "on" } } }, params = { { "limit", 0.25 } },
  inputs = { { "wind", 0 } }, outputs = { power = function(ctx) return ctx.x * ctx.u end },
  derivatives = function(ctx, dot) dot.x, dot.u, dot.r = ctx.u, ctx.wind - ctx.x, { 0.5, ctx.u } end,
  events = { { name = "tick", every = 1, offset = 0.7, discrete_update = function(ctx, next)
    next.n, next.pump = ctx.n + 1, ctx.pump == "on" and "off" or "on"
  end } } }

local function pair()
  local d = saltus.diagram "pair"
  d:add(wave, "a")
  d:add(wave:with { x = 0.5 }, "b")
  d:connect("a.x", "b.wind")
  return d
end

-- When each of the words becomes true, and false again, in 6 s.
local function times(system, condition_of)
  local sim = saltus.simulator(system, { accuracy = 1e-8 })
  local handle, is_true = sim:watch(condition_of(sim))
  if is_true then return { "true already" } end
  return { sim:advance_to(6).time, handle, sim.stats.steps, sim.context.time, sim:hash() }
end

local function assert_same(words, system)
  local compiled = times(system, function() return words end)
  local called = times(system, function() return (saltus.formula.condition(words, system)) end)
  assert.same(called, compiled, words)
  return compiled[1]
end

describe("a watch of words", function()
  it("fires where its Lua function does, to the bit", function()
    local fired = 0
    for _, words in ipairs { "x < 0.5", "x <= 0.5 or u > 3", "not x >= limit", "x * u < -0.4", "power < -0.4",
      "abs(x) < 0.1 and n == 0", "n >= 3", "n ~= 0", "pump == 'off'", "'on' ~= pump and x < 0.9", "r[1] > 1",
      "r[1] + 2 * r[2] - limit ^ 2 / 3 > 4", "sqrt(max(x, 0, u)) < 0.3", "min(x, u) < -0.99", "sin(time) > 0.5",
      "atan(u, x) < -1", "exp(-x) > 1.5 -> log(x + 2) < 0.9", "floor(r[1] * 4) >= 2", "ceil(time) > 2", "tan(x) < 0.3",
      "cos(x) > 0.8", "-x > 0.2", "wind > 0.1", "pump == pump and u < -0.5" } do
      local at = assert_same(words, wave)
      if at ~= "true already" and at < 6 then fired = fired + 1 end
    end
    assert.is_true(fired > 18)
  end)

  it("reads the parts of a diagram, their inputs and outputs", function()
    for _, words in ipairs { "a.x < b.x", "b.wind < 0.3", "a.power + b.power < -0.5", "b.r[2] > 2.2 and a.n > 1",
      "a.pump == b.pump and a.n == 2" } do
      assert_same(words, pair())
    end
  end)

  it("does so for random conditions", function()
    local draw = random.new(9)
    local function number(depth)
      if depth == 0 then return draw:pick { "x", "u", "r[1]", "r[2]", "n", "limit", "time", "0.5", "power" } end
      local op = draw:pick { "+", "-", "*" }
      return ("(%s %s %s)"):format(number(depth - 1), op, number(depth - 1))
    end
    local function words(depth)
      if depth == 0 then return ("%s %s %s"):format(number(2), draw:pick { "<", ">=", ">", "<=" }, number(1)) end
      local op = draw:pick { "and", "or", "->", "not" }
      if op == "not" then return ("not (%s)"):format(words(depth - 1)) end
      return ("(%s) %s (%s)"):format(words(depth - 1), op, words(depth - 1))
    end
    for _ = 1, 60 do assert_same(words(draw:integer(0, 3)), wave) end
  end)

  it("is a function where the core has no such function", function()
    local program = require "saltus.formula.program"
    local function of(words, functions)
      local tree = saltus.formula.parse(words)
      return program.of(tree.root, require("saltus.formula.meaning").of(tree, saltus.simulator(wave).model, functions))
    end
    assert.is_table(of "abs(x) > 2")
    assert.is_nil(of("abs(x) > 2", { abs = function(v) return v end }))
    assert.is_nil(of("f(x)", { f = function(v) return v > 2 end }))
    assert.is_nil(of "log(x, 2) > 2")
  end)

  it("is known to a clone", function()
    local sim = saltus.simulator(wave)
    local w = sim:watch "x < 0.5"
    sim:advance_to(0.2)
    local clone = sim:clone()
    assert.same({ w }, clone:advance_to(3).watches)
    assert.same({ w }, sim:advance_to(3).watches)
    assert.equal(sim.context.time, clone.context.time)
  end)

  it("has a program that the core checks", function()
    local sim = saltus.simulator(wave)
    local function never() return -1 end
    local function watch(program) return pcall(sim.core.watch, sim.core, never, nil, nil, nil, program) end
    local function changed(field, value)
      local _, _, program = saltus.formula.condition("x < 0.5", wave)
      if field then program[field] = value end
      return program
    end
    assert.is_true(watch(changed()))
    assert.is_false(watch(changed("registers", 1)))
    assert.is_false(watch(changed("loads", { { 1, 0, 9, 0, 0 } })))
    assert.is_false(watch(changed("loads", { { 1, 0, 1, 0, 99 } })))
    assert.is_false(watch(changed("loads", { { -1, 0, 1, 0, 0 } })))
    assert.is_false(watch(changed("constants", { { 77, 1 } })))
    assert.is_false(watch(changed("code", "")))
    assert.is_false(watch(changed("code", "0123456789")))
  end)
end)
