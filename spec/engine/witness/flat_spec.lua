-- Witnesses that are flat, or exactly zero, where their event left them.
local saltus = require "saltus"

local EXACT = { "runge_kutta3", "bogacki_shampine3", "tsitouras5", "runge_kutta5", "radau5", "auto" }
local FEW = { "runge_kutta3", "tsitouras5", "radau5" }

local function times_of(system, stop, options)
  local sim = saltus.simulator(system, options)
  local log = saltus.log(sim, { every = 1e300 })
  sim:advance_to(stop)
  return log:times "e"
end

local function assert_times(expected, actual, tolerance)
  assert.equal(#expected, #actual)
  for i, time in ipairs(expected) do assert.near(time, actual[i], tolerance) end
end

local function count(_, next) next.n = next.n + 1 end

describe("a witness", function()
  it("crosses twice in the step after an update that found it exactly at zero", function()
    -- x = 0.975 - 1.11 t + t^2 / 2
    local function root(level, side) return 1.11 + side * math.sqrt(1.11 ^ 2 - 2 * (0.975 - level)) end
    for _, c in ipairs { 0.4976, 0.5, 0.51, 0.6 } do
      for _, how in ipairs { "publish", "discrete_update", "unrestricted_update" } do
        local expected = { root(c, -1), root(c, 1), root(1.5964, 1) }
        local wanted = { crossing = expected, rising = { expected[1], expected[3] }, falling = { expected[2] } }
        for direction, times in pairs(wanted) do
          local s = saltus.system { name = "s", q = { { "x", 0.975 } }, v = { { "u", -1.11 } }, discrete = { "n" },
            derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, 1 end,
            events = { { name = "e", direction = direction,
              witness = function(ctx) return (ctx.x - c) * (ctx.x - 1.5964) end,
              [how] = how == "publish" and function() end or count } } }
          assert_times(times, times_of(s, 5), 1e-9)
        end
      end
    end
  end)

  it("crosses back and forth in the step after an event that left it next to zero", function()
    for _, integrator in ipairs(EXACT) do
      for k = 6, 9 do
        for l = k + 1, 10 do
          local s = saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end,
            events = { { name = "e", publish = function() end,
              witness = function(ctx) return (ctx.x - 5 / 11) * (ctx.x - k / 11) * (ctx.x - l / 11) end } } }
          assert_times({ 5 / 11, k / 11, l / 11 }, times_of(s, 2, { integrator = integrator }), 1e-9)
        end
      end
    end
  end)

  it("fires once where it becomes flat at zero, whatever ends the steps there", function()
    for _, integrator in ipairs(EXACT) do
      for _, tick in ipairs { "none", "publish", "discrete_update", "unrestricted_update" } do
        local events = { { name = "e", direction = "falling", witness = function(ctx) return math.max(0, ctx.x) end,
          discrete_update = count } }
        if tick ~= "none" then
          events[2] = { name = "tick", every = 0.3,
            [tick] = tick == "publish" and function() end or function(_, next) next.ticks = next.ticks + 1 end }
        end
        local s = saltus.system { name = "s", z = { { "x", 1 }, "y" }, discrete = { "n", "ticks" },
          derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x end, events = events }
        local times = times_of(s, 20, { integrator = integrator, accuracy = 1e-5 })
        assert_times({ math.pi / 2, 5 * math.pi / 2, 9 * math.pi / 2 }, times, 1e-3)
      end
    end
  end)

  it("that publishes fires once where it becomes flat at zero", function()
    for _, integrator in ipairs(EXACT) do
      local s = saltus.system { name = "s", z = { { "x", 1 }, "y" },
        derivatives = function(ctx, dot) dot.x, dot.y = 5 * ctx.y, -5 * ctx.x end,
        events = {
          { name = "e", direction = "falling", witness = function(ctx) return math.max(0, ctx.x + 0.5) end,
            publish = function() end },
          { name = "other", witness = function(ctx) return ctx.time - 0.5 end, publish = function() end },
        } }
      local times = times_of(s, 3, { integrator = integrator, accuracy = 1e-4 })
      local first, period = 2 * math.pi / 15, 2 * math.pi / 5
      assert_times({ first, first + period, first + 2 * period }, times, 2e-3)
    end
  end)

  -- x is a triangle between 0 and 2; the witness is flat for 0.5 < x < 1.5.
  local function triangle(sign, direction, how, tick)
    local events = {
      { name = "e", direction = direction, [how] = how == "publish" and function() end or count,
        witness = function(ctx) return sign * math.max(0, math.abs(ctx.x - 1) - 0.5) end },
      { name = "turn", every = 2, offset = 2, discrete_update = function(ctx, next) next.rate = -ctx.rate end },
    }
    if tick > 0 then
      events[3] = { name = "tick", every = tick, discrete_update = function(_, next) next.ticks = next.ticks + 1 end }
    end
    return saltus.system { name = "s", z = { "x" }, discrete = { "n", "ticks", { "rate", 1 } }, events = events,
      derivatives = function(ctx, dot) dot.x = ctx.rate end }
  end

  it("that leaves zero after it was flat there does not fire", function()
    for _, integrator in ipairs(FEW) do
      for _, how in ipairs { "publish", "discrete_update", "unrestricted_update" } do
        for _, tick in ipairs { 0, 0.3, 0.77 } do
          for _, sign in ipairs { 1, -1 } do
            local reaching, leaving = sign > 0 and "falling" or "rising", sign > 0 and "rising" or "falling"
            local function times(direction)
              return times_of(triangle(sign, direction, how, tick), 7.9, { integrator = integrator })
            end
            assert_times({ 0.5, 2.5, 4.5, 6.5 }, times "crossing", 1e-9)
            assert_times({ 0.5, 2.5, 4.5, 6.5 }, times(reaching), 1e-9)
            assert_times({}, times(leaving), 1e-9)
          end
        end
      end
    end
  end)

  it("of a fed input that only touches its level fires once, held there or turned at once", function()
    for _, how in ipairs { "publish", "discrete_update", "unrestricted_update" } do
      for _, pause in ipairs { 0, 0.25, 1 } do
        for _, start in ipairs { 0, -1e6, 1.7e9 } do
          local event = { name = "e", direction = "crossing", witness = function(ctx) return ctx.hand - 0.25 end }
          event[how] = how == "publish" and function() end or count
          local s = saltus.system { name = "s", inputs = { { "hand", 1 } }, discrete = { "n" }, events = { event } }
          local sim = saltus.simulator(s, { start_time = start })
          local log = saltus.log(sim, { every = 1e300 })
          local function feed(seconds, value)
            local stop = sim.context.time + seconds
            sim:feed("hand", stop, value)
            sim:advance_to(stop)
          end
          feed(0.5, 0.25)
          sim:advance_to(start + 0.5 + pause)
          feed(0.5, 0.75)
          feed(1, -0.25)
          feed(0.25, 0.25)
          sim:advance_to(start + 2.25 + 2 * pause)
          feed(1, -1)
          assert_times({ start + 0.5, start + 1.5 + pause, start + 2.25 + pause }, log:times "e", 1e-6)
        end
      end
    end
  end)

  it("of time that is flat at the ends of long steps crosses between them", function()
    local expected = {}
    for k = 0, 4 do expected[#expected + 1] = (2 * math.pi * (k + 1) - math.asin(1.67 / 2) - 1.066) / (2 * math.pi) end
    for _, integrator in ipairs { "radau1", "runge_kutta3", "tsitouras5", "auto" } do
      for _, direction in ipairs { "crossing", "rising" } do
        local s = saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end,
          events = { { name = "e", direction = direction, publish = function() end,
            witness = function(ctx) return math.min(0, 2 * math.sin(2 * math.pi * ctx.time + 1.066) + 1.67) end } } }
        assert_times(expected, times_of(s, 5, { integrator = integrator }), 1e-9)
      end
    end
  end)

  it("that rests at zero leaves it without an event, whatever its handler or another one writes", function()
    -- the ends of the arcs of 1.93 sin(5 t) + 1.75 below zero
    local expected = {}
    for k = 0, 3 do expected[#expected + 1] = (2 * math.pi * (k + 1) - math.asin(1.75 / 1.93)) / 5 end
    local function arc(x) return math.min(0, 1.93 * x + 1.75) end
    local witnesses = { state = function(ctx) return arc(ctx.x) end,
      time = function(ctx) return arc(math.sin(5 * ctx.time)) end }
    for kind, witness in pairs(witnesses) do
      for _, how in ipairs { "publish", "discrete_update", "unrestricted_update" } do
        for _, state in ipairs(kind == "state" and { "fast" } or { "fast", "ramp", "none" }) do
          for _, integrator in ipairs(EXACT) do
            local s = saltus.system { name = "s", discrete = { "n", "ticks" },
              z = state ~= "none" and { "x", { "y", 1 } } or nil,
              derivatives = state == "fast" and function(ctx, dot) dot.x, dot.y = 5 * ctx.y, -5 * ctx.x end
                or state == "ramp" and function(_, dot) dot.x, dot.y = 1, -1 end or nil,
              events = {
                { name = "e", witness = witness, [how] = how == "publish" and function() end or count },
                { name = "other", witness = function(ctx) return math.sin(7 * ctx.time) end,
                  discrete_update = function(_, next) next.ticks = next.ticks + 1 end },
              } }
            assert_times(expected, times_of(s, 5, { integrator = integrator, accuracy = 1e-8 }), 1e-5)
          end
        end
      end
    end
  end)

  it("that an update put to where it is flat rises without an event, in the middle of a step", function()
    for _, integrator in ipairs(EXACT) do
      for k = 1, 12 do
        for _, direction in ipairs { "crossing", "falling" } do
          local s = saltus.system { name = "s", z = { { "x", -1.3 }, { "y", 2 } }, discrete = { "n" },
            derivatives = function(ctx, dot) dot.x, dot.y = 3 * ctx.y, -3 * ctx.x end,
            events = {
              { name = "e", direction = direction, witness = function(ctx) return math.max(0, ctx.x + 1 - k / 25) end,
                discrete_update = count },
              { name = "back", every = 0.1, unrestricted_update = function(_, next) next.x, next.y = -1.3, 2 end },
            } }
          assert_times({}, times_of(s, 0.95, { integrator = integrator }), 0)
        end
      end
    end
  end)

  it("with two values crosses back and forth, whatever its handler writes, and a bounce at it fires once", function()
    local function two_valued(level, v) return function(ctx) return ctx.x < level and -v or v end end
    for _, integrator in ipairs(FEW) do
      for _, v in ipairs { 1e-3, 1, 1000 } do
        for _, write in ipairs { function() end, count, function(_, next) next.other = 0 end } do
          local s = saltus.system { name = "s", z = { "other", "x", { "y", 1 } }, discrete = { "n" },
            derivatives = function(ctx, dot) dot.other, dot.x, dot.y = 1, ctx.y, -ctx.x end,
            events = { { name = "e", witness = two_valued(0.3, v), unrestricted_update = write } } }
          local up, expected = math.asin(0.3), {}
          for k = 0, 6 do expected[k + 1] = k * math.pi + (k % 2 == 0 and up or -up) end
          assert_times(expected, times_of(s, 20, { integrator = integrator, accuracy = 1e-6 }), 1e-3)
        end
        local ball = saltus.system { name = "ball", q = { { "x", 1 } }, v = { "u" },
          derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -2 end,
          events = { { name = "e", witness = two_valued(0, v),
            unrestricted_update = function(ctx, next) next.u = -ctx.u end } } }
        assert_times({ 1, 3, 5 }, times_of(ball, 6, { integrator = integrator }), 1e-6)
      end
    end
  end)
end)
