-- Randomness is state: a counter-based stream per part, drawn through next.random in updates only.
local saltus = require "saltus"

local function drawer(draw, more)
  local def = { name = "s", discrete = { "x" }, events = { { name = "e", every = 1, discrete_update = function(_, next)
    next.x = draw(next.random)
  end } } }
  for k, v in pairs(more or {}) do def[k] = v end
  return saltus.system(def)
end

local function uniform(random) return random() end

local function stream(sim, n)
  local out = {}
  for i = 1, n do
    sim:advance_to(i - 0.5)
    out[i] = sim.context.x
  end
  return out
end

local function moments(draw, n)
  local sum, squares = 0, 0
  local s = drawer(function(random)
    for _ = 1, n do
      local x = draw(random)
      sum, squares = sum + x, squares + x * x
    end
    return 0
  end)
  saltus.simulator(s, { seed = 3 }):advance_to(0.5)
  local mean = sum / n
  return mean, squares / n - mean ^ 2
end

describe("next.random", function()
  it("gives the same stream for the same seed, and different streams for different seeds", function()
    local a = stream(saltus.simulator(drawer(uniform), { seed = 7 }), 20)
    local b = stream(saltus.simulator(drawer(uniform), { seed = 7 }), 20)
    local c = stream(saltus.simulator(drawer(uniform), { seed = 8 }), 20)
    assert.same(a, b)
    assert.not_same(a, c)
    for i = 2, 20 do assert.not_equal(a[i - 1], a[i]) end
  end)

  it("is part of the state: undone draws are drawn again", function()
    local on = true
    local bad = { { every = 1, discrete_update = function(_, next) next.x = next.random() end },
      { every = 1, discrete_update = function(ctx) if on and ctx.time == 3 then return saltus.fail "no" end end } }
    local sim = saltus.simulator(drawer(uniform, { events = bad }), { seed = 7 })
    for _ = 1, 3 do assert.has_error(function() sim:advance_to(5) end) end
    on = false
    sim:advance_to(9.5)
    assert.equal(stream(saltus.simulator(drawer(uniform), { seed = 7 }), 10)[10], sim.context.x)
  end)

  it("undoes the draws of a handler that did nothing", function()
    local events = { { every = 1, discrete_update = function(_,
      next) next.x = next.random() return saltus.did_nothing end },
      { every = 1, discrete_update = function(_, next) next.x = next.random() end } }
    local sim = saltus.simulator(drawer(uniform, { events = events }), { seed = 7 })
    assert.same(stream(saltus.simulator(drawer(uniform), { seed = 7 }), 5), stream(sim, 5))
  end)

  it("rejects arguments of math.random, and unknown methods", function()
    for text, draw in pairs {
      ["next.random() takes nothing and is in (0, 1); for whole numbers write next.random:integer(1, 6)"] =
        function(random) return random(1, 6) end,
      ['unknown method "uniform" of next.random; known: exponential, integer, normal; next.random() is uniform'] =
        function(random) return random:uniform(0, 1) end,
    } do
      local sim = saltus.simulator(drawer(draw))
      local ok, message = pcall(sim.advance_to, sim, 1)
      assert.is_false(ok)
      assert.is_truthy(message:find(text, 1, true), message)
    end
  end)

  it("is drawn by each part from its own stream", function()
    local d = saltus.diagram "d"
    d:add(drawer(uniform), "a")
    d:add(drawer(uniform), "b")
    local sim = saltus.simulator(d, { seed = 7 })
    sim:advance_to(3.5)
    assert.not_equal(sim.context.a.x, sim.context.b.x)
    assert.equal(stream(saltus.simulator(drawer(uniform), { seed = 7 }), 4)[4], sim.context.a.x)
  end)

  it("does not depend on logs, steps or other events", function()
    local s = drawer(uniform, { z = { "y" }, derivatives = function(_, dot) dot.y = 1 end })
    local sim = saltus.simulator(s, { seed = 7, max_step = 0.01 })
    saltus.log(sim, { "x", every = 0.1 })
    assert.same(stream(saltus.simulator(drawer(uniform), { seed = 7 }), 5), stream(sim, 5))
  end)

  it("is uniform in (0, 1)", function()
    local least, most = 1, 0
    local mean, variance = moments(function(random)
      local x = random()
      least, most = math.min(least, x), math.max(most, x)
      return x
    end, 20000)
    assert.near(0.5, mean, 0.01)
    assert.near(1 / 12, variance, 0.002)
    assert.is_true(least > 0 and most < 1)
  end)

  it("draws normal, exponential and whole numbers", function()
    local mean, variance = moments(function(random) return random:normal(3, 2) end, 20000)
    assert.near(3, mean, 0.06)
    assert.near(4, variance, 0.15)
    mean, variance = moments(function(random) return random:normal() end, 20000)
    assert.near(0, mean, 0.03)
    assert.near(1, variance, 0.04)
    mean, variance = moments(function(random) return random:exponential(2) end, 20000)
    assert.near(2, mean, 0.06)
    assert.near(4, variance, 0.3)
    local seen = {}
    mean = moments(function(random)
      local k = random:integer(-1, 2)
      seen[k] = true
      assert.equal("integer", math.type(k))
      return k
    end, 20000)
    assert.near(0.5, mean, 0.03)
    assert.same({ [-1] = true, [0] = true, [1] = true, [2] = true }, seen)
  end)

  it("checks its arguments", function()
    for text, draw in pairs {
      ["integer%(a, b%): it takes two whole numbers a <= b, got 6, 1"] = function(r) return r:integer(6, 1) end,
      ["integer%(a, b%): it takes two whole numbers a <= b, got 1.5, 3"] = function(r) return r:integer(1.5, 3) end,
      ["integer%(a, b%): it takes two whole numbers a <= b, got 6, nil"] = function(r) return r:integer(6) end,
      ["integer%(a, b%): write it with a colon"] = function(r) return r.integer(1, 6) end,
      ["mean must be a number greater than 0, got 0"] = function(r) return r:exponential(0) end,
      ['mean must be a number greater than 0, got "x"'] = function(r) return r:exponential "x" end,
      ["it takes two numbers, sd >= 0, got 0, %-1"] = function(r) return r:normal(0, -1) end,
      ["it takes two numbers, sd >= 0, got NaN, 1"] = function(r) return r:normal(0 / 0) end,
    } do
      local sim = saltus.simulator(drawer(draw))
      assert.error_matches(function() sim:advance_to(0.5) end, text)
      local _, message = pcall(sim.advance_to, sim, 0.5)
      assert.matches("random_spec.lua:%d+: next.random", tostring(message))
    end
  end)

  it("does not exist where nothing may be written", function()
    local sim = saltus.simulator(drawer(uniform, { events = { { every = 1,
      publish = function(ctx) return ctx.random() end } } }))
    assert.error_matches(function() sim:advance_to(1) end, "ctx has no random; an update draws by next.random")
    local kept
    local later = saltus.simulator(drawer(function(random) kept = random return 0 end))
    later:advance_to(0.5)
    assert.error_matches(function() kept() end, "next.random draws in the update that it was given to")
  end)
end)

describe("a stored next.random", function()
  local kept

  local function keeper(use)
    return saltus.system { name = "keeper", discrete = { "x" }, events = {
      { name = "keep", every = 1, discrete_update = function(_, next) kept = next.random end },
      { name = "use", every = 1, offset = 0.5, publish = use } } }
  end

  local other = saltus.system { name = "other", discrete = { "y" }, events = {
    { name = "take", every = 1, offset = 0.25,
      discrete_update = function(_, next) next.y = kept and kept() or 0 end } } }

  it("draws in its own updates only", function()
    local sim = saltus.simulator(keeper(function() kept() end))
    assert.error_matches(function() sim:advance_to(1) end, "keep.*: next.random draws in the update that it was given "
      .. "to, not later or elsewhere; write next.random%(%) there %(in use of keeper at t = 0.5%)")
    assert.error_matches(function() kept() end, "next.random draws in the update")
    kept = nil
    local d = saltus.diagram "d"
    d:add(keeper(function() end), "keeper")
    d:add(other, "other")
    sim = saltus.simulator(d)
    assert.error_matches(function() sim:advance_to(1) end, "next.random draws in the update .*%(in take of other")
  end)

  it("distinguishes at most 2^53 whole numbers", function()
    for _, range in ipairs { { math.mininteger, math.maxinteger }, { 0, 2 ^ 53 }, { 0, math.maxinteger } } do
      local sim = saltus.simulator(drawer(function(random) return random:integer(range[1], range[2]) end))
      assert.error_matches(function() sim:advance_to(1) end, "the range may hold at most 2%^53 numbers, got ")
    end
    local widest = drawer(function(random) return random:integer(0, 2 ^ 53 - 1) end)
    assert.is_true(stream(saltus.simulator(widest), 1)[1] > 0)
  end)
end)
