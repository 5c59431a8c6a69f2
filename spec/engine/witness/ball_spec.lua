-- The bouncing ball against its closed form; accumulation and chattering (src/engine/witness/zeno.c).
local saltus = require "saltus"

local function falling(ctx) return ctx.mode == "falling" end

local ball = saltus.system {
  name = "ball",
  q = { { "height", 1 } },
  v = { "speed" },
  discrete = { { "mode", "falling", values = { "falling", "resting" } }, "bounces", "limit" },
  params = { gravity = 9.81, restitution = 0.8 },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, falling(ctx) and -ctx.gravity or 0 end,
  events = { { name = "bounce", when = falling, witness = function(ctx) return ctx.height end, direction = "falling",
    unrestricted_update = function(ctx, next)
      next.height, next.speed = 0, -ctx.restitution * ctx.speed
      next.bounces = ctx.bounces + 1
    end,
    on_zeno = function(_, next, event)
      next.mode, next.height, next.speed = "resting", 0, 0
      next.limit = event.limit
    end } },
}

-- Time of the n-th bounce from height 1.
local function bounce_time(n, e)
  local t1 = math.sqrt(2 / 9.81)
  return t1 * (1 + 2 * e * (1 - e ^ (n - 1)) / (1 - e))
end

describe("the ball of D08", function()
  local sim = saltus.simulator(ball, { integrator = "runge_kutta3", accuracy = 1e-4 })
  local log = saltus.log(sim, { "height", "speed" })
  local dense = saltus.log(sim, { "height", every = 0.001 })
  sim:advance_to(6)
  local times = log:times "bounce"

  it("bounces twenty times within 1e-9 of the closed form", function()
    for n = 1, 20 do assert.near(bounce_time(n, 0.8), times[n], 1e-9) end
  end)

  it("accumulates at 4.063713, and then is at rest", function()
    assert.near(4.063713, sim.context.limit, 1e-6)
    assert.is_true(times[#times] < sim.context.limit)
    assert.same({ "resting", 0, 0 }, { sim.context.mode, sim.context.height, sim.context.speed })
    assert.equal(6, sim.context.time)
  end)

  it("is never deeper than the window times the speed of impact", function()
    local room = sim:window() * math.sqrt(2 * 9.81)
    for i = 1, #log do assert.is_true(log.height[i] >= -room) end
    for i = 1, #dense do assert.is_true(dense.height[i] >= -1e-3 * 9.81 * 1e-3, dense.height[i]) end
  end)

  it("spends no derivative evaluation on finding its bounces", function()
    assert.is_true(sim.stats.isolations >= 20)
    assert.is_true(sim.stats.derivative_evaluations < 6 * sim.stats.steps + 20)
  end)
end)

describe("accumulation", function()
  for k = 0, 9 do
    local e = k == 9 and 0.95 or 0.1 + 0.1 * k
    it(("is found with restitution %.2f, and ends at its limit"):format(e), function()
      local sim = saltus.simulator(ball:with { restitution = e })
      local log = saltus.log(sim, { "height" })
      local exact = bounce_time(1e9, e)
      sim:advance_to(exact + 1)
      local times = log:times "bounce"
      assert.equal("resting", sim.context.mode)
      assert.near(exact, sim.context.limit, 1e-6)
      assert.equal(#times - 1, sim.context.bounces)
      for n = 1, math.min(#times - 1, 8) do assert.near(bounce_time(n, e), times[n], 1e-7) end
    end)
  end

  it("passes the limit and the count to on_zeno", function()
    local told
    local s = saltus.system { name = "s", q = { { "h", 1 } }, v = { "w" }, discrete = { { "on", 1 } },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 * ctx.on end,
      events = { { witness = function(ctx) return ctx.h end, direction = "falling", name = "hit",
        unrestricted_update = function(ctx, next) next.h, next.w = 0, -0.5 * ctx.w end,
        on_zeno = function(ctx, next, event)
          told = { limit = event.limit, count = event.count, name = event.name, time = ctx.time }
          next.h, next.w, next.on = 0, 0, 0
        end } } }
    saltus.simulator(s):advance_to(3)
    assert.near(bounce_time(1e9, 0.5), told.limit, 1e-7)
    assert.is_true(told.time <= told.limit and told.limit - told.time < 1e-5)
    assert.equal("hit", told.name)
    assert.is_true(told.count > 10)
  end)

  it("without on_zeno fails with event, limit and count, and the run does not move", function()
    local s = saltus.system { name = "s", q = { { "h", 1 } }, v = { "w" },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 end,
      events = { { name = "hit", witness = function(ctx) return ctx.h end, direction = "falling",
        unrestricted_update = function(ctx, next) next.h, next.w = 0, -0.5 * ctx.w end } } }
    local sim = saltus.simulator(s)
    assert.error_matches(function() sim:advance_to(3) end,
      "its firings accumulate; .* %[%d+ firings, accumulating at t = 1.354%d+%] "
        .. "%(in hit of s, [^ ]*_spec.lua:%d+, at t = 1.354%d+%)")
    local f = sim.failure
    assert.same({ "events_accumulate", "hit", "s" }, { f.reason, f.event, f.system })
    assert.near(bounce_time(1e9, 0.5), f.limit, 1e-7)
    assert.is_true(f.count > 10 and sim.context.time <= f.limit)
    assert.has_error(function() sim:advance_to(3) end)
    sim.context.h, sim.context.w = 1, 0
    sim:initialize()
    sim:advance_to(sim.context.time + 1)
  end)

  it("is noticed without isolation too", function()
    for _, step in ipairs { 0.05, 0.01, 0.001 } do
      local sim = saltus.simulator(ball:with { restitution = 0.5 },
        { integrator = "runge_kutta3", fixed_step = true, max_step = step, isolation = false })
      sim:advance_to(6)
      assert.equal("resting", sim.context.mode)
      assert.near(bounce_time(1e9, 0.5), sim.context.limit, 0.03 + 20 * step)
    end
  end)

  -- The handler leaves the ball where it is, below the floor: from bounce to bounce it may sink, and intervals settle
  -- at a few steps, or the way up and down fits into one.
  for _, e in ipairs { 0.3, 0.4, 0.5, 0.65, 0.8, 0.9 } do
    it(("is noticed without isolation where bounces settle at some steps, restitution %g"):format(e), function()
      for _, step in ipairs { 0.05, 0.02, 0.01, 0.005 } do
        local s = saltus.system { name = "s", q = { { "h", 1 } }, v = { "w" }, discrete = { { "on", 1 } },
          derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 * ctx.on end,
          events = { { name = "hit", witness = function(ctx) return ctx.h end, direction = "falling",
            unrestricted_update = function(ctx, next) next.w = -e * ctx.w end,
            on_zeno = function(_, next) next.h, next.w, next.on = 0, 0, 0 end } } }
        local sim = saltus.simulator(s, { integrator = "runge_kutta2", max_step = step, isolation = false })
        local lowest = 0
        sim.monitor = function(ctx) lowest = math.min(lowest, ctx.h) end
        sim:advance_to(1.5 * bounce_time(1e9, e))
        assert.equal(0, sim.context.on, step)
        assert.is_true(lowest > -1.3 * step * math.sqrt(2 * 9.81), lowest) -- one step deep, and three small ones
      end
    end)
  end

  it("may terminate or fail, and continues as after initialize", function()
    local s = saltus.system { name = "s", q = { { "h", 1 } }, v = { "w" }, discrete = { "lifts" },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 end,
      events = { { name = "hit", witness = function(ctx) return ctx.h end, direction = "falling",
        unrestricted_update = function(ctx, next) next.h, next.w = 0, -0.5 * ctx.w end,
        on_zeno = function(ctx, next)
          next.h, next.w, next.lifts = 1, 0, ctx.lifts + 1
          if ctx.lifts == 1 then return saltus.terminate "twice" end
        end } } }
    local sim = saltus.simulator(s)
    local status = sim:advance_to(10)
    assert.same({ "twice", 2 }, { status.message, sim.context.lifts })
    assert.near(2 * bounce_time(1e9, 0.5), status.time, 1e-5)
  end)
end)

describe("chattering", function()
  local function relay(on_zeno)
    return saltus.system { name = "relay", z = { { "x", 0.5 } }, discrete = { { "side", 1 } },
      derivatives = function(ctx, dot) dot.x = -ctx.side end,
      events = { { name = "switch", witness = function(ctx) return ctx.x end, on_zeno = on_zeno,
        unrestricted_update = function(ctx, next) next.x = 1e-10 * ctx.side end } } }
  end

  it("fails after a hundred firings at once, naming the event", function()
    local sim = saltus.simulator(relay())
    assert.error_matches(function() sim:advance_to(1) end,
      "it chatters: .* %[%d+ firings%] %(in switch of relay, [^ ]*_spec.lua:%d+, at t = 0.5%d*%)")
    assert.same({ "events_accumulate", "switch" }, { sim.failure.reason, sim.failure.event })
    assert.near(0.5, sim.context.time, 1e-6)
  end)

  for _, handler in ipairs { "discrete_update", "publish" } do
    it("fails with a " .. handler .. " alone too", function()
      local level = 0.5 -- runs away from what comes after it
      local sim = saltus.simulator(saltus.system { name = "hare", z = { { "x", 0 } }, discrete = { { "level", 0.5 } },
        derivatives = function(_, dot) dot.x = 1 end,
        events = { { name = "touch",
          witness = function(ctx) return ctx.x - (handler == "publish" and level or ctx.level) end,
          [handler] = function(_, next)
            level = level + 1e-10
            if handler ~= "publish" then next.level = level end
          end } } })
      local watched = 0
      sim.monitor = function()
        watched = watched + 1
        if watched > 1000 then return saltus.terminate "it goes on and on" end
      end
      assert.error_matches(function() sim:advance_to(1) end,
        "it chatters: .* %(in touch of hare, [^ ]*_spec.lua:%d+, at t = 0.5%d*%)")
    end)
  end

  it("can be resolved by on_zeno", function()
    local count
    local sim = saltus.simulator(relay(function(_, next, event) count = event.count next.side, next.x = 0, 0 end))
    sim:advance_to(1)
    assert.same({ 0, 1 }, { sim.context.x, sim.context.time })
    assert.equal(100, count)
  end)
end)
