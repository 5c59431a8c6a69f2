-- What holds for watches in any run: they fire where an event with the same witness does, to the bit; where the run is
-- cut, saved or cloned changes nothing; and one that never fires is not noticed.
local saltus = require "saltus"
local methods = require("saltus.core").methods()
local random = require "spec.support.random"

-- An oscillator with a guard, a condition, a periodic count, and a kick that a mode turns on. `extra`: one more event.
local function new_system(extra)
  return saltus.system {
    name = "swing", q = { { "x", 0.3 } }, v = { { "u", 1 } },
    discrete = { { "n", 0 }, { "mode", "free", values = { "free", "held" } }, { "turns", 0 } },
    derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x end,
    events = {
      { name = "turn", witness = function(ctx) return ctx.u end, direction = "falling",
        when = function(ctx) return ctx.mode == "held" end,
        unrestricted_update = function(ctx, next) next.u, next.turns = 0.2 + ctx.u, ctx.turns + 1 end },
      { name = "hold", becomes = function(ctx) return ctx.x < -0.4 end,
        discrete_update = function(ctx, next) next.mode = ctx.mode == "held" and "free" or "held" end },
      { name = "count", every = 0.7, discrete_update = function(ctx, next) next.n = ctx.n + 1 end },
      { name = "look", witness = function(ctx) return ctx.x - 0.2 end, publish = function() end },
      extra,
    },
  }
end

local function new_run(start, options, extra)
  options.start_time = start
  return saltus.simulator(new_system(extra), options)
end

-- The options of each method, as a whole step or with error control.
local function options_of(method)
  if not method.error_control then return { integrator = method.name, fixed_step = true, max_step = 0.01 } end
  return { integrator = method.name, accuracy = 1e-5 }
end

-- Times and states where an event sees the margin reach zero.
local function event_at(start, options, level)
  local t, x
  local sim = new_run(start, options, { name = "reached", direction = "rising",
    witness = function(ctx) return level - ctx.x end,
    publish = function(ctx) if not t then t, x = ctx.time, ctx.x end end })
  sim:advance_to(start + 8)
  return t, x
end

describe("a watch fires where an event with the same witness does, to the bit,", function()
  for _, method in ipairs(methods) do
    it("with " .. method.name, function()
      for _, start in ipairs { 0, 1e9 } do
        for _, level in ipairs { 0.25, -0.35, -0.41 } do
          local options = options_of(method)
          local t, x = event_at(start, options, level)
          local sim = new_run(start, options)
          sim:watch(function(ctx) return level - ctx.x end)
          local status = sim:advance_to(start + 8)
          assert.same({ "reached_watch", t, x }, { status.reason, status.time, sim.context.x })
          assert.is_true(level - sim.context.x >= 0)
        end
      end
    end)
  end

  for name, options in pairs {
    ["without isolation"] = { isolation = false, max_step = 0.1 },
    ["with a state that is integrated again"] = { event_state = "reintegrate" },
    ["without a search within steps"] = { interior_search = false, max_step = 0.1 },
    ["with cubic dense output"] = { dense_output = "hermite" },
  } do
    it(name, function()
      local t, x = event_at(0, options, -0.35)
      local sim = new_run(0, options)
      sim:watch(function(ctx) return -0.35 - ctx.x end)
      assert.equal(t, sim:advance_to(8).time)
      assert.equal(x, sim.context.x)
    end)
  end
end)

describe("watches", function()
  local function above(level) return function(ctx) return ctx.x - level end end
  local function below(level) return function(ctx) return level - ctx.x end end

  -- Random conditions, some of which never come true.
  local function some_condition(r)
    local k, level = r:integer(1, 5), -1 + 2 * r:real()
    if k == 1 then return above(level) end
    if k == 2 then return below(level) end
    if k == 3 then
      local t = 8 * r:real()
      return function(ctx) return ctx.time - t end
    end
    if k == 4 then return function(ctx) return ctx.n - math.ceil(10 * (level + 1)) end end
    return function(ctx) return math.min(ctx.u - level, 0.9 - ctx.x * ctx.x) end
  end

  local function advance(sim, stop, list)
    repeat
      local status = sim:advance_to(stop)
      list[#list + 1] = { status.reason, status.time, status.watches or {}, sim:hash() }
    until status.reason == "reached_boundary_time"
  end

  it("that never fire leave events, steps and state as they are, to the bit, whenever they come and go", function()
    for seed = 1, 20 do
      local r = random.new(seed)
      local plain, watched = new_run(0, {}), new_run(0, {})
      local handles = {}
      for piece = 1, 12 do
        local t = 0.5 * piece + 0.4 * r:real()
        handles[#handles + 1] = watched:watch(r:pick { above(2), below(-2), function() return -1 end })
        plain:advance_to(t)
        assert.equal("reached_boundary_time", watched:advance_to(t).reason)
        if r:chance(0.3) then watched:unwatch(table.remove(handles, r:integer(1, #handles))) end
      end
      assert.equal(plain:hash(), watched:hash())
      assert.equal(plain.stats.steps, watched.stats.steps)
    end
  end)

  it("continue to the same bits from a save or a clone at any place", function()
    for seed = 1, 12 do
      local r = random.new(seed)
      local sim = new_run(0, {})
      for _ = 1, 6 do sim:watch(some_condition(r)) end
      local stop = 0
      for _ = 1, 8 do
        stop = stop + r:real()
        local other, saved = sim:clone(), sim:save()
        local here, there, again = {}, {}, {}
        if r:chance(0.5) then
          local fn = some_condition(r)
          assert.same({ sim:watch(fn) }, { other:watch(fn) })
          saved = sim:save()
        end
        advance(sim, stop, here)
        advance(other, stop, there)
        assert.same(here, there)
        assert.equal(sim:save(), other:save())
        other:load(saved)
        advance(other, stop, again)
        assert.same(here, again)
      end
    end
  end)

  it("have the same bits with and without compiled closures", function()
    local lists = {}
    for i, compile in ipairs { true, false } do
      local sim = new_run(0, { compile = compile })
      local list = {}
      lists[i] = list
      local conditions = { above(0.3), "x < -0.3 or n > 90 and u > 0", function(ctx) return ctx.time - 30 end }
      for k = 1, 60 do
        local w = sim:watch(conditions[k % 3 + 1])
        local status = sim:advance_to(200)
        list[k] = { w ~= nil, status.time, sim:hash() }
        if w then sim:unwatch(w) end
      end
    end
    assert.same(lists[1], lists[2])
  end)

  it("report an error of a function that was called often", function()
    local sim, level = new_run(0, {}), 1e9
    local w = sim:watch(function(ctx) return ctx.x - level end)
    assert.equal("reached_boundary_time", sim:advance_to(100).reason)
    level = "high"
    local wrong = select(2, pcall(sim.advance_to, sim, 200))
    assert.is_truthy(tostring(wrong):find "attempt to .* %(in a watch at t = 100")
    assert.is_true(sim:unwatch(w))
    assert.equal("reached_boundary_time", sim:advance_to(200).reason)
  end)

  it("fire at the same times wherever a run is cut", function()
    for seed = 1, 12 do
      local r = random.new(seed)
      local level = -0.39 + 0.6 * r:real()
      local whole, cut = new_run(0, { accuracy = 1e-9 }), new_run(0, { accuracy = 1e-9 })
      whole:watch(below(level))
      cut:watch(below(level))
      local time = whole:advance_to(8).time
      repeat
        local piece = r:pick { 1e-9, 0.003, 0.1, 0.5 } * r:real()
      until cut:advance_to(cut.context.time + piece).reason == "reached_watch"
      assert.near(time, cut.context.time, 1e-8)
      assert.is_true(level - cut.context.x >= 0)
    end
  end)

  it("fire at a boundary that is their time, once", function()
    for _, start in ipairs { 0, 1e9 } do
      local sim = new_run(start, {})
      sim:watch(function(ctx) return ctx.time - (start + 0.5) end)
      local status = sim:advance_to(start + 0.5)
      assert.same({ "reached_watch", start + 0.5 }, { status.reason, status.time })
      assert.equal("reached_boundary_time", sim:advance_to(start + 0.5).reason)
    end
  end)

  it("see what rounds of conditions leave at x+, and nothing in between", function()
    local function new()
      return saltus.simulator(saltus.system { name = "rounds", discrete = { { "a", 0 }, { "b", 0 } }, events = {
        { name = "set", every = 1, offset = 1, discrete_update = function(_, next) next.a = 1 end },
        { name = "answer", becomes = function(ctx) return ctx.a == 1 end,
          discrete_update = function(_, next) next.a, next.b = 0, 1 end } } })
    end
    local sim = new()
    sim:watch(function(ctx) return ctx.a - 1 end)
    assert.equal("reached_boundary_time", sim:advance_to(1.5).reason)
    sim = new()
    local w = sim:watch(function(ctx) return ctx.b - 1 end)
    assert.same({ 1, { w } }, { sim:advance_to(1.5).time, sim.status.watches })
  end)

  it("read the parts of a diagram by path", function()
    local d = saltus.diagram "two"
    local function clock(rate)
      return saltus.system { name = "clock", z = { "x" }, derivatives = function(_, dot) dot.x = rate end }
    end
    d:add(clock(1), "slow")
    d:add(clock(3), "fast")
    local sim = saltus.simulator(d)
    sim:watch(function(ctx) return ctx.fast.x - ctx.slow.x - 1 end)
    assert.near(0.5, sim:advance_to(2).time, 1e-12)
    sim:watch "fast.x + slow.x > 4"
    assert.near(1, sim:advance_to(2).time, 1e-12)
    assert.is_true(sim.context.fast.x + sim.context.slow.x > 4)
  end)

  it("read the past", function()
    local sim = saltus.simulator(saltus.system { name = "late", z = { { "x", 0 } }, past = { x = 1 },
      history = { x = 0 }, derivatives = function(_, dot) dot.x = 1 end })
    sim:watch(function(ctx) return ctx.past.x(1) - 0.25 end)
    assert.near(1.25, sim:advance_to(3).time, 1e-9)
  end)

  it("are found without continuous state, also in time alone", function()
    local sim = saltus.simulator(saltus.system { name = "clock", discrete = { { "n", 0 } },
      events = { { name = "count", every = 1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } })
    sim:watch(function(ctx) return math.sin(ctx.time) - 0.5 end)
    assert.near(math.asin(0.5), sim:advance_to(9).time, 1e-12)
    sim:watch(function(ctx) return ctx.time - 4.25 end)
    assert.equal(4.25, sim:advance_to(9).time)
    sim:watch "n >= 7"
    assert.equal(6, sim:advance_to(9).time) -- the 7th count
  end)
end)
