-- Mirrors src/engine/recorder/arrival_rows.c: a log has both sides of a delayed jump.
local saltus = require "saltus"
local log_columns = require "saltus.output.log_columns"
local picture_points = require "saltus.output.picture_points"

-- u jumps up or down at each second; y is u, 0.25 s late, and so is the slope of x.
local function late(events)
  events = events or {}
  events[#events + 1] = { name = "move", every = 1, offset = 1,
    discrete_update = function(ctx, next) next.u = 1 - ctx.u end }
  return saltus.system { name = "late", discrete = { { "u", 0 }, { "n", 0 } }, z = { { "x", 0 }, { "s", 0 } },
    past = { u = 1 }, outputs = { y = function(ctx) return ctx.past.u(0.25) end },
    derivatives = function(ctx, dot) dot.x, dot.s = ctx.past.u(0.25), math.cos(ctx.time) end, events = events }
end

local function sides(log, name)
  local found = {}
  for i = 2, #log do
    if log.time[i] == log.time[i - 1] then found[#found + 1] = { log.time[i], log[name][i - 1], log[name][i] } end
  end
  return found
end

describe("a log of a delayed signal", function()
  for _, method in ipairs { "tsitouras5", "runge_kutta5", "radau5" } do
    it("has both sides of a jump that arrives, with " .. method, function()
      local sim = saltus.simulator(late(), { integrator = method })
      local log = saltus.log(sim, { "y", "x", twice = function(ctx) return 2 * ctx.past.u(0.25) end })
      sim:advance_to(3.5)
      assert.same({ { 1, 0, 0 }, { 1.25, 0, 1 }, { 2, 1, 1 }, { 2.25, 1, 0 }, { 3, 0, 0 }, { 3.25, 0, 1 } },
        sides(log, "y"))
      assert.same({ { 1, 0, 0 }, { 1.25, 0, 2 }, { 2, 2, 2 }, { 2.25, 2, 0 }, { 3, 0, 0 }, { 3.25, 0, 2 } },
        sides(log, "twice"))
      for t = 0.1, 3.45, 0.1 do
        local phase = (t - 0.25) % 2
        assert.equal(t > 1.25 and phase >= 1 and 1 or 0, log:at(t).y)
        assert.near(t < 1.25 and 0 or (t < 2.25 and t - 1.25 or 1) + math.max(0, t - 3.25), log:at(t).x, 1e-9)
      end
      assert.equal(1, log:at(1.25).y)
    end)
  end

  it("has them also where an update falls on the arrival", function()
    local sim = saltus.simulator(late { { name = "count", every = 1, offset = 1.25,
      discrete_update = function(ctx, next) next.n = ctx.n + 1 end } })
    local log = saltus.log(sim, { "y", "n" })
    sim:advance_to(2.5)
    assert.same({ { 1, 0, 0 }, { 1.25, 0, 1 }, { 1.25, 1, 1 }, { 2, 1, 1 }, { 2.25, 1, 0 }, { 2.25, 0, 0 } },
      sides(log, "y"))
    assert.same({ { 1, 0, 0 }, { 1.25, 0, 0 }, { 1.25, 0, 1 }, { 2, 1, 1 }, { 2.25, 1, 1 }, { 2.25, 1, 2 } },
      sides(log, "n"))
  end)

  it("keeps as many rows where nothing jumps", function()
    local smooth = saltus.system { name = "smooth", z = { { "x", 1 } }, past = { x = 1 },
      outputs = { y = function(ctx) return ctx.past.x(0.5) end },
      derivatives = function(ctx, dot) dot.x = -ctx.past.x(0.5) end }
    for _, from in ipairs { 0, -1e9, 1.7e9 } do
      local sim = saltus.simulator(smooth, { start_time = from })
      local log = saltus.log(sim, { "x", "y" })
      sim:advance_to(from + 20)
      assert.same({}, sides(log, "y"))
    end
  end)

  it("is drawn with a vertical line if it has a period", function()
    local sim = saltus.simulator(late())
    local log = saltus.log(sim, { "y", "s", every = 0.4 })
    sim:advance_to(3)
    local points = picture_points.of(log, 4000)
    local values, jumps = points:values(log_columns.column(log, "y")), {}
    for i = 2, #values do
      if values[i] ~= values[i - 1] then jumps[#jumps + 1] = { points.time[i - 1], points.time[i], values[i] } end
    end
    assert.same({ { 1.25, 1.25, 1 }, { 2.25, 2.25, 0 } }, jumps)
    assert.equal(8, #log)
  end)

  it("goes on in the same way after a save and in a clone", function()
    local sim = saltus.simulator(late())
    local log = saltus.log(sim, { "y", "s" })
    sim:advance_to(1.25)
    local saved = sim:save()
    sim:advance_to(3)
    local whole = sides(log, "y")
    sim:load(saved)
    sim:advance_to(3)
    assert.same(whole, sides(log, "y"))
  end)
end)
