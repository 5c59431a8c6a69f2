-- A flow that an update turns back through the surface that it has just crossed: the return is a crossing like any
-- other (src/engine/witness/witness.c, turned). So a sliding mode is reported in every notation.
local random = require "spec.support.random"
local cases = require "spec.support.cases"
local saltus = require "saltus"

-- x' = drift + u, where u is to be -1 above `at` and 1 below.
local function bang(how, handler, o)
  local function w(ctx) return ctx.x - o.at end
  local function set(u) return function(ctx, next) next.u = u or -ctx.u end end
  local events
  if how == "one event" then
    events = { { name = "cross", witness = w, [handler] = set() } }
  else
    events = { { name = "down", direction = "falling", witness = w, [handler] = set(1) },
      { name = "up", direction = "rising", witness = w, [handler] = set(-1) } }
  end
  events[#events + 1] = o.watched and { name = "watch", witness = w, publish = function() end } or nil
  return saltus.system { name = "bang", z = { { "x", o.at + o.start } }, discrete = { { "u", -1 } },
    derivatives = function(ctx, dot) dot.x = o.drift + ctx.u end, events = events }
end

local function fails(system, options, who)
  local sim = saltus.simulator(system, options)
  assert.error_matches(function() sim:advance_to(sim.context.time + 5) end, "^" .. who .. ": it chatters: ")
  assert.equal("events_accumulate", sim.failure.reason)
  return sim
end

describe("chattering", function()
  for _, how in ipairs { "one event", "two directed events" } do
    for _, handler in ipairs { "discrete_update", "unrestricted_update" } do
      it(("is reported for %s with a %s"):format(how, handler), function()
        for _, start in ipairs { 1, 0.3, 1 / 3 } do
          for _, at in ipairs { 0, 0.1, 1 } do
            for _, drift in ipairs { 0, 0.3, -0.25 } do
              local o = { start = start, at = at, drift = drift, watched = start == 0.3 }
              for _, options in ipairs { {}, { integrator = "dormand_prince8", start_time = 1e4 },
                { event_state = "reintegrate" } } do
                local sim = fails(bang(how, handler, o), options, "%a+ of bang")
                assert.near(at, sim.context.x, 1e-12)
                assert.near(start / (1 - drift), sim.context.time - (options.start_time or 0), 1e-9)
              end
            end
          end
        end
      end)
    end
  end

  it("is reported when the run is cut around the arrival", function()
    for _, how in ipairs { "one event", "two directed events" } do
      for k = 1, cases(40) do
        local o = { start = k / 13, at = 0.1, drift = 0.8 - k / 25 }
        local arrival, options = o.start / (1 - o.drift), { isolation = k % 2 == 0 and 5e-4 or nil }
        local window = options.isolation or 1e-8 * math.min(1, arrival)
        for _, cuts in ipairs { { -3, 0.7 * window }, { -40 * 0x1p-52, 0 }, { 0, 40 * 0x1p-52 },
          { -1e-3 * window, 1e-3 * window }, { -0.3 * window, 0.3 * window, 0.31 * window }, { 2.2 * window },
          { 5 * window }, { 10 * window }, { 33 * window, 50 * window } } do
          local sim = saltus.simulator(bang(how, "discrete_update", o), options)
          assert.error_matches(function()
            for _, cut in ipairs(cuts) do
              if arrival + cut > sim.context.time then sim:advance_to(arrival + cut) end
            end
            sim:advance_to(arrival + 5)
          end, "chatters")
        end
      end
    end
  end)

  it("is reported when other updates run between two firings", function()
    for k = 1, 20 do
      local ticks = 0
      local system = saltus.system { name = "bang", z = { { "x", 1 } }, discrete = { { "u", -1 }, "n" },
        derivatives = function(ctx, dot) dot.x = ctx.u + 0.3 end,
        events = { { name = "cross", witness = function(ctx) return ctx.x end,
          discrete_update = function(ctx, next) next.u = -ctx.u end },
          { name = "tick", at = "demand", discrete_update = function(ctx, next)
            ticks, next.n = ticks + 1, ctx.n + 1
          end } } }
      local sim = saltus.simulator(system)
      local arrival = 1 / 0.7
      sim:advance_to(arrival + 5e-9)
      sim:schedule(arrival + 5e-9 + k * 1e-10, "tick")
      assert.error_matches(function() sim:advance_to(arrival + 5) end, "chatters")
      assert.equal(1, ticks)
    end
  end)

  it("names the surface and the remedies", function()
    local sim = saltus.simulator(bang("one event", "discrete_update", { start = 1, at = 0, drift = 0.3 }))
    local _, told = pcall(sim.advance_to, sim, 5)
    for _, word in ipairs { "^cross of bang: ", "hysteresis %(`relay` with lower < upper%)",
      "a mode that holds the state", "characteristic_time",
      "%(in cross of bang, [^ ]*_spec.lua:%d+, at t = 1.42857143%)" } do
      assert.matches(word, told)
    end
  end)

  it("is reported for blocks in a diagram, also for those that start on the border", function()
    local blocks = saltus.blocks
    for _, start in ipairs { 0, 1, -1, 0.3 } do
      for _, block in ipairs { blocks.comparator { above = -0.7, below = 1.3 },
        blocks.relay { lower = 0, upper = 0, on = -0.7, off = 1.3 },
        blocks.relay { lower = 0, upper = 0, on = -0.7, off = 1.3, initial = true } } do
        local d = saltus.diagram "loop"
        d:add(blocks.integral { initial = start }, "x")
        d:add(block, "u")
        d:connect("x", "u")
        d:connect("u", "x")
        local sim = fails(d, {}, "%a+ of u")
        assert.near(0, sim.context.x.output, 1e-12)
      end
    end
  end)

  it("is not reported where hysteresis separates the switchings", function()
    local d = saltus.diagram "loop"
    d:add(saltus.blocks.integral { initial = 1 }, "x")
    d:add(saltus.blocks.relay { lower = -1e-3, upper = 1e-3, on = -0.7, off = 1.3 }, "u")
    d:connect("x", "u")
    d:connect("u", "x")
    local sim = saltus.simulator(d)
    sim:advance_to(5)
    assert.is_true(math.abs(sim.context.x.output) <= 1e-3 + 1e-12)
  end)
end)

describe("a bounce", function()
  it("is one crossing of its default direction, although its handler only writes the speed", function()
    local n = 0
    local sim = saltus.simulator(saltus.system { name = "ball", q = { { "h", 1 } }, v = { "w" },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 end,
      events = { { name = "hit", witness = function(ctx) return ctx.h end,
        unrestricted_update = function(ctx, next) n, next.w = n + 1, -ctx.w end } } })
    sim:advance_to(5)
    assert.equal(math.floor((5 / math.sqrt(2 / 9.81) + 1) / 2), n)
  end)
end)

describe("a handler that moves its witness farther over", function()
  local function times(method, lift, start, options)
    options.integrator, options.start_time = method, start
    local sim = saltus.simulator(saltus.system { name = "m", z = { { "x", -0.5 } }, discrete = { { "speed", 1 } },
      derivatives = function(ctx, dot) dot.x = ctx.speed end,
      events = { { name = "over", witness = function(ctx) return ctx.x end, unrestricted_update = function(ctx, next)
        if ctx.speed > 0 then next.x, next.speed = ctx.x + lift, -1 end
      end } } }, options)
    local log = saltus.log(sim)
    sim:advance_to(start + 0.5)
    sim:load(sim:save())
    sim:advance_to(start + 0.5 + lift / 2)
    sim:advance_to(start + 15)
    return log:times "over"
  end

  it("leaves its way back a crossing of the default direction", function()
    for _, method in ipairs { "tsitouras5", "dormand_prince8", "radau5", "bogacki_shampine3" } do
      for _, lift in ipairs { 1e-3, 0.01, 0.5, 10 } do
        for _, start in ipairs { 0, -1e4, 1e6 } do
          for _, compile in ipairs { true, false } do
            local at = times(method, lift, start, { compile = compile })
            local case = ("%s %g from %g"):format(method, lift, start)
            assert.equal(2, #at, case)
            assert.near(start + 0.5, at[1], 1e-7, case)
            assert.near(start + 0.5 + lift, at[2], 1e-7, case)
          end
        end
      end
    end
  end)

  it("differs from a bounce whose state is projected onto constraints", function()
    local counts = {}
    for _, direction in ipairs { "falling", "crossing" } do
      local sim = saltus.simulator(saltus.system { name = "pendulum", q = { { "x", 1 }, "y" }, v = { "u", "w" },
        derivatives = function(ctx, dot)
          local tension = (ctx.u ^ 2 + ctx.w ^ 2 - 9.81 * ctx.y) / (ctx.x ^ 2 + ctx.y ^ 2)
          dot.x, dot.y, dot.u, dot.w = ctx.u, ctx.w, -tension * ctx.x, -tension * ctx.y - 9.81
        end,
        constraints = function(ctx, residual) residual[1] = ctx.x ^ 2 + ctx.y ^ 2 - 1 end,
        events = { { name = "wall", direction = direction, witness = function(ctx) return ctx.x - 0.3 end,
          unrestricted_update = function(ctx, next) next.u, next.w = -ctx.u, -ctx.w end } } })
      local log = saltus.log(sim)
      sim:advance_to(20)
      counts[direction] = #log:times "wall"
    end
    assert.is_true(counts.falling > 10)
    assert.equal(counts.falling, counts.crossing)
  end)
end)

-- The handler turns the flow at each crossing, until the last rate leads away. Just behind a turn, steps are so short
-- that rounding hides what the state moves.
describe("a flow that each crossing turns", function()
  for _, p in ipairs {
    { share = 0.93891387472269, level = -0.17599413298483, start = -0.20872841800647,
      0.030828467789387, -0.010404753141837, 0.00011827657331937 },
    { share = 0.19535132845292, level = -0.26521987127838, start = -1.6052416042136,
      0.06347193904404, -0.013714444603938, 0.0034973044406189 },
  } do
    it("crosses at each turn, the last rate being " .. p[3], function()
      local share, level = p.share, p.level
      local sim = saltus.simulator(saltus.system { name = "turns", z = { { "x", p.start } },
        discrete = { { "turn", 1 }, { "rate", p[1] } },
        derivatives = function(ctx, dot) dot.x = ctx.rate / share end,
        events = { { name = "cross", witness = function(ctx) return share * ctx.x - level end,
          discrete_update = function(ctx, next)
            next.turn = math.min(ctx.turn + 1, 3)
            next.rate = p[math.tointeger(next.turn)]
          end } } }, { integrator = "tsitouras5" })
      local log = saltus.log(sim)
      sim:advance_to(3)
      assert.equal(3, #log:times "cross")
    end)
  end
end)

-- Two terms of the witness move fast, their sum slowly. So its values in a short step are rounding.
describe("a flow that its first crossing turns back", function()
  local function firings(r, options)
    local a, b, drift = r:real() + 0.1, r:real() - 0.5, r:real() - 0.5
    local rates = { 10 ^ (-4 * r:real()), -10 ^ (-4 * r:real()) }
    local y, level = r:real() - 0.5, r:real() - 0.5
    local sim = saltus.simulator(saltus.system { name = "turn",
      z = { { "x", (level - b * y - rates[1] * (0.2 + r:real())) / a }, { "y", y } },
      discrete = { { "rate", rates[1] } },
      derivatives = function(ctx, dot) dot.x, dot.y = (ctx.rate - b * drift) / a, drift end,
      events = { { name = "cross", witness = function(ctx) return a * ctx.x + b * ctx.y - level end,
        discrete_update = function(_, next) next.rate = rates[2] end } } }, options)
    local log = saltus.log(sim)
    sim:advance_to(options.start_time + 3)
    return log:times "cross"
  end

  it("crosses there and back, once each", function()
    local r = random.new(12)
    for case = 1, cases(600) do
      local method = r:pick { "tsitouras5", "dormand_prince8", "auto", "radau5", "bogacki_shampine3", "runge_kutta3" }
      local options = { integrator = method, accuracy = 10 ^ r:integer(-9, -3), start_time = r:pick { 0, 3, 1e4 } }
      assert.equal(2, #firings(r, options), ("case %d, %s from %g"):format(case, method, options.start_time))
    end
  end)
end)

describe("a message about endless firings", function()
  it("begins with its subject", function()
    local ball = saltus.system { name = "ball", q = { { "h", 1 } }, v = { "w" },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 end,
      events = { { name = "hit", witness = function(ctx) return ctx.h end, direction = "falling",
        unrestricted_update = function(ctx, next) next.h, next.w = 0, -0.5 * ctx.w end } } }
    assert.error_matches(function() saltus.simulator(ball):advance_to(3) end,
      "^hit of ball: its firings accumulate; .* characteristic_time ")
    local eager = saltus.system { name = "s", events = {
      { name = "eager", next_time = function(ctx) return ctx.time end, publish = function() end } } }
    assert.error_matches(function() saltus.simulator(eager):advance_to(1) end,
      "^eager of s: time does not advance: .* a later one")
  end)
end)

-- Up to 0, then the handler takes the witness 1 above it, and the run turns to and fro up there.
describe("a witness with a direction that is moved farther over", function()
  local function times(method, handler, start)
    local lifts = handler == "unrestricted_update"
    local sim = saltus.simulator(saltus.system { name = "m", z = { { "x", -0.5 } },
      discrete = { { "speed", 1 }, { "level", 0 } }, derivatives = function(ctx, dot) dot.x = ctx.speed end,
      events = { { name = "over", direction = "rising", witness = function(ctx) return ctx.x - ctx.level end,
        [handler] = function(ctx, next)
          next.speed = -1
          if lifts then next.x = ctx.x + 1 else next.level = ctx.level - 1 end
        end },
        { name = "turn", every = 0.5, offset = start + 0.75, discrete_update = function(ctx, next)
          next.speed = -ctx.speed
        end } } }, { integrator = method, start_time = start })
    local log = saltus.log(sim)
    sim:advance_to(start + 1.25)
    sim:load(sim:save())
    sim:advance_to(start + 4.25)
    return log:times "over"
  end

  it("fires only where it crosses zero", function()
    for _, method in ipairs { "tsitouras5", "dormand_prince8", "radau5", "bogacki_shampine3" } do
      for _, handler in ipairs { "unrestricted_update", "discrete_update" } do
        for _, start in ipairs { 0, -1e4, 1e6 } do
          local at = times(method, handler, start)
          local case = ("%s %s from %g"):format(method, handler, start)
          assert.equal(1, #at, case)
          assert.near(start + 0.5, at[1], 1e-7, case)
        end
      end
    end
  end)
end)
