-- Garbage: what is collected, and what makes none.
local saltus = require "saltus"

local function oscillator(more)
  local def = { name = "s", q = { { "x", 1 } }, v = { "w" }, params = { k = 4 },
    discrete = { { "mode", "on", values = { "on", "off" } } },
    derivatives = function(ctx, dot) dot.x, dot.w = ctx.w, ctx.mode == "on" and -ctx.k * ctx.x or 0 end }
  for key, value in pairs(more or {}) do def[key] = value end
  return saltus.system(def)
end

describe("an unreferenced simulator", function()
  local function collected(make)
    local weak = setmetatable({}, { __mode = "v" })
    weak[1] = make()
    collectgarbage()
    collectgarbage()
    return weak[1] == nil
  end

  it("is collected", function()
    assert.is_true(collected(function() return saltus.simulator(oscillator()) end))
  end)

  it("is collected although its own closures, monitor, log and errors refer to it", function()
    assert.is_true(collected(function()
      local sim, log
      local system = oscillator { events = {
        { every = 1, publish = function() return sim.context.x < -5 and saltus.terminate "x" or nil end },
        { witness = function(ctx) return ctx.x + (sim and 0 or 1) end, publish = function() end } } }
      sim = saltus.simulator(system)
      sim.monitor = function() return log == nil and sim or nil end
      log = saltus.log(sim, { "x", f = function() return #log end, every = 0.1 })
      sim:advance_to(3)
      sim.monitor = function() error { sim } end
      assert.has_error(function() sim:advance_to(4) end)
      sim:on_progress(function() return sim end)
      return sim
    end))
  end)

  it("leaves logs and contexts that outlive it readable", function()
    local log, ctx, status
    do
      local sim = saltus.simulator(oscillator())
      log = saltus.log(sim, { "x" })
      status = sim:advance_to(1)
      ctx = sim.context
    end
    collectgarbage()
    collectgarbage()
    assert.equal(ctx.x, log.x[#log])
    assert.equal(1, status.time)
  end)
end)

describe("blocks with equal declarations", function()
  local function bytes_of(make)
    collectgarbage()
    collectgarbage()
    local before = collectgarbage "count"
    local made = make()
    collectgarbage()
    collectgarbage()
    return (collectgarbage "count" - before) * 1024, made
  end

  it("store their names and numbers, and little more", function()
    local count = 1000
    saltus.blocks.lag { time_constant = 1 } -- loaded
    local bytes, made = bytes_of(function()
      local list = {}
      for i = 1, count do list[i] = saltus.blocks.lag { time_constant = i, initial = -i } end
      return list
    end)
    assert.is_true(bytes / count < 500, bytes / count)
    for i, lag in ipairs(made) do assert.matches(("state +%d\n"):format(-i), tostring(lag)) end
  end)
end)

describe("steps make no garbage", function()
  -- Bytes that one advance_to leaves behind, the collector being stopped.
  local function left_by(sim, t)
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    sim:advance_to(t)
    local bytes = (collectgarbage "count" - before) * 1024
    collectgarbage "restart"
    return bytes
  end

  -- A call creates its status and stack space; many steps must create no more than few.
  local function growth(system, options, t)
    local sim = saltus.simulator(system, options)
    sim:advance_to(1)
    local few = left_by(sim, 2)
    return left_by(sim, t) - few, sim.stats.steps
  end
  local fixed = { integrator = "runge_kutta3", fixed_step = true, max_step = 0.01, context_accuracy = 1e-6 }

  it("for derivatives, parameters and modes: 1e5 steps", function()
    local bytes, steps = growth(oscillator(), fixed, 1002)
    assert.is_true(steps >= 1e5)
    assert.is_true(bytes < 256, bytes)
  end)

  it("with outputs, witnesses that do not fire, guards and a monitor", function()
    local system = oscillator { outputs = { energy = function(ctx) return ctx.w ^ 2 + ctx.k * ctx.x ^ 2 end },
      events = {
      { name = "far", witness = function(ctx) return ctx.energy - 100 end, publish = function() end },
      { name = "off", when = function(ctx) return ctx.mode == "off" end, witness = function(ctx) return ctx.x end } } }
    local bytes = growth(system, fixed, 102)
    assert.is_true(bytes < 256, bytes)
  end)

  it("with timers and updates, except the garbage of the handlers", function()
    local system = oscillator { events = {
      { every = 0.02, publish = function(ctx) return ctx.x > 5 and saltus.did_nothing or nil end },
      { every = 0.03, unrestricted_update = function(ctx, next) next.w = ctx.w next.mode = "on" end } } }
    local bytes = growth(system, fixed, 102)
    assert.is_true(bytes < 256, bytes)
  end)

  it("with vectors", function()
    for _, size in ipairs { 3, 100 } do
      local list = {}
      for i = 1, size do list[i] = i end
      local system = saltus.system { name = "v", z = { { "r", list } },
        derivatives = function(ctx, dot) for i = 1, size do dot.r[i] = -ctx.r[i] end end }
      local bytes = growth(system, fixed, 22)
      assert.is_true(bytes < 256, bytes)
    end
  end)
end)
