-- Witnesses that are flat, or exactly zero, where their event left them.
local saltus = require "saltus"

local EXACT = { "runge_kutta3", "bogacki_shampine3", "tsitouras5", "runge_kutta5", "radau5", "auto" }

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
end)
