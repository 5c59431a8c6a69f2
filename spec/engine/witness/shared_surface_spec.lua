-- Witnesses on one surface, what the handler of one means for the others, and what happens beside them.
local saltus = require "saltus"

local methods = { "tsitouras5", "dormand_prince8", "radau5", "bogacki_shampine3", "implicit_euler" }

describe("a witness beside one whose handler moves the state over their surface", function()
  -- x falls to its level; the handler moves it down by `by` and turns the flow.
  local function times(kind, by, options)
    local sim = saltus.simulator(saltus.system { name = "m", z = { { "x", 1.1 } },
      discrete = { { "speed", -1 }, "seen" }, derivatives = function(ctx, dot) dot.x = ctx.speed end,
      events = { { name = "seen", witness = function(ctx) return ctx.x - 0.1 end,
        [kind] = function(ctx, next) if kind ~= "publish" then next.seen = ctx.seen + 1 end end },
        { name = "move", direction = "falling", witness = function(ctx) return 2 * (ctx.x - 0.1) end,
          unrestricted_update = function(ctx, next) next.x, next.speed = ctx.x - by, 1 end } } }, options)
    local log = saltus.log(sim, {})
    sim:advance_to(options.start_time + 1)
    sim:load(sim:save())
    sim:advance_to(options.start_time + 3)
    return log:times "seen"
  end

  for _, kind in ipairs { "publish", "discrete_update", "unrestricted_update" } do
    it("sees the way back as a crossing: " .. kind, function()
      for _, integrator in ipairs(methods) do
        for _, by in ipairs { 1e-4, 0.016, 0.5 } do
          for _, start_time in ipairs { 0, -1e4, 1e6 } do
            local at = times(kind, by, { integrator = integrator, start_time = start_time })
            local case = ("%s, by %g from %g"):format(integrator, by, start_time)
            assert.equal(2, #at, case)
            assert.near(start_time + 1, at[1], 1e-7, case)
            assert.near(start_time + 1 + by, at[2], 1e-7, case)
          end
        end
      end
    end)
  end
end)

-- The handler turns the flow, so the way back is a crossing, whatever other parts do in that instant.
describe("a flow that a crossing turns", function()
  local function times(level, beside)
    local turned = saltus.system { name = "turned", z = { { "x", level - 1 } }, discrete = { { "speed", 1 }, "n" },
      derivatives = function(ctx, dot) dot.x = ctx.speed end,
      events = { { name = "cross", witness = function(ctx) return ctx.x - level end,
        discrete_update = function(ctx, next) next.n, next.speed = ctx.n + 1, -1 end } } }
    local ticks = saltus.system { name = "ticks", z = { "y" }, derivatives = function(_, dot) dot.y = 1 end,
      events = { { name = "tick", every = 1, unrestricted_update = function(ctx, next) next.y = ctx.y + 1 end },
        beside == "with rounds" and { name = "high", becomes = function(ctx) return ctx.y > 100 end } or nil } }
    local d = saltus.diagram "d"
    d:add(turned)
    if beside then d:add(ticks) end
    local sim = saltus.simulator(d)
    local log = saltus.log(sim, {})
    sim:advance_to(3)
    return log:times "turned.cross"
  end

  for _, level in ipairs { 0, 0.1, 1 } do
    it("crosses there and back, also where another part moves its own state, at " .. level, function()
      for _, beside in ipairs { false, "alone", "with rounds" } do
        local at = times(level, beside)
        assert.equal(2, #at, tostring(beside))
        assert.near(1, at[2], 1e-7)
      end
    end)
  end
end)

-- Rounding may hide that the state moved between the crossing and the turn.
describe("a flow that a tick turns just after a crossing", function()
  local function times(level, direction, waits, options)
    local turned = saltus.system { name = "turned", z = { { "x", level - direction } },
      discrete = { { "speed", direction }, { "alarm", math.huge }, "ticks", "n" },
      derivatives = function(ctx, dot) dot.x = ctx.speed end,
      events = { { name = "cross", witness = function(ctx) return ctx.x - level end,
        discrete_update = function(ctx, next)
          next.n = ctx.n + 1
          if ctx.n == 0 then next.alarm = ctx.time + waits[1] end
        end },
      { name = "tick", next_time = "alarm", discrete_update = function(ctx, next)
        next.ticks = ctx.ticks + 1
        local wait = waits[next.ticks + 1]
        if wait then next.alarm = ctx.time + wait else next.speed = -ctx.speed end
      end } } }
    local sim = saltus.simulator(turned, options)
    local log = saltus.log(sim, {})
    sim:advance_to(2.5)
    return log:times "cross"
  end

  it("crosses there and back", function()
    for _, integrator in ipairs(methods) do
      for _, level in ipairs { 0, 1, 1e6 } do
        for _, waits in ipairs { { 2e-15 }, { 1e-12 }, { 1e-12, 1e-12 }, { 1e-14, 1e-11 }, { 1e-6 } } do
          for direction = -1, 1, 2 do
            local at = times(level, direction, waits, { integrator = integrator })
            assert.equal(2, #at, ("%s, %g, %g, %g"):format(integrator, level, waits[1], direction))
            assert.near(1, at[2], 3e-6)
          end
        end
      end
    end
  end)
end)

describe("a ball whose bounce lets something else happen in its instant", function()
  for _, kind in ipairs { "discrete_update", "unrestricted_update" } do
    it("leaves its floor without crossing it: " .. kind, function()
      local ball = saltus.system { name = "ball", q = { { "h", 1 } }, v = { "s" },
        discrete = { { "alarm", math.huge }, "ticks" },
        derivatives = function(ctx, dot) dot.h, dot.s = ctx.s, -9.81 end,
        events = { { name = "bounce", witness = function(ctx) return ctx.h end,
          unrestricted_update = function(ctx, next) next.s, next.alarm = -0.5 * ctx.s, ctx.time end },
        { name = "tick", next_time = "alarm", [kind] = function(ctx, next) next.ticks = ctx.ticks + 1 end } } }
      local sim = saltus.simulator(ball, { start_time = 0.3 })
      local log = saltus.log(sim, {})
      sim:advance_to(1.3)
      assert.equal(2, #log:times "bounce")
      assert.equal(2, sim.context.ticks)
    end)
  end
end)

-- The search between the ends of a step, and with it the slope at the start, is missing in some runs.
describe("a witness that rests at zero", function()
  for _, options in ipairs { { integrator = "explicit_euler", max_step = 0.1 }, { integrator = "implicit_euler" },
    { integrator = "radau1" }, { interior_search = false }, {} } do
    local label = (options.integrator or "auto") .. (options.interior_search == false and ", no search" or "")
    it("does not fire, and its run goes on: " .. label, function()
      for _, direction in ipairs { "crossing", "rising", "falling" } do
        for _, is_open in ipairs { true, false } do
          local sim = saltus.simulator(saltus.system { name = "rest", z = { "x", "y" },
            derivatives = function(_, dot) dot.x, dot.y = 0, 1 end,
            events = { { name = "leave", direction = direction, witness = function(ctx) return ctx.x end,
              when = not is_open and function(ctx) return ctx.y > 2 end or nil, publish = function() end } } }, options)
          local log = saltus.log(sim, {})
          sim:advance_to(1)
          assert.equal(0, #log:times "leave")
          assert.is_true(sim.stats.steps < 40, sim.stats.steps)
        end
      end
    end)
  end
end)
