-- What users of other engines ran into, one case for each thread that they wrote: events, roots, timers, order.
local saltus = require "saltus"

local function line(events, slope, more)
  local spec = { name = "line", z = { { "x", -1 } }, discrete = { { "n", 0 } },
    derivatives = function(_, dot) dot.x = slope or 1 end, events = events }
  for key, value in pairs(more or {}) do spec[key] = value end
  return saltus.system(spec)
end

describe("DifferentialEquations.jl#551: a handler", function()
  it("is on the far side of the crossing, so that a test of the sign takes the new branch", function()
    for i = 1, 200 do
      local level, seen = -1 + i * math.pi / 300, {}
      local sim = saltus.simulator(line({
        { name = "up", witness = function(ctx) return ctx.x - level end, direction = "rising",
          unrestricted_update = function(ctx) seen[#seen + 1] = ctx.x >= level end },
        { name = "down", witness = function(ctx) return level - ctx.x end, direction = "falling",
          publish = function(ctx) seen[#seen + 1] = ctx.x >= level end },
      }), { max_step = 0.3 })
      sim:advance_to(4)
      assert.same({ true, true }, seen)
    end
  end)
end)

describe("DifferentialEquations.jl#258: several events in one step", function()
  it("all happen, in the order of their times", function()
    local log, events = {}, {}
    for i = 1, 9 do -- declared from the last to the first
      local level = 1 - i / 8
      events[i] = { name = "at" .. i, witness = function(ctx) return ctx.x - level end,
        unrestricted_update = function(ctx, next)
          log[#log + 1] = ctx.x
          next.n = next.n + 1
        end }
    end
    local sim = saltus.simulator(line(events))
    sim:advance_to(3)
    assert.equal(9, sim.context.n)
    for i, x in ipairs(log) do assert.near(-1.125 + i / 8 + 0.875, x, 1e-12) end
  end)
end)

describe("DifferentialEquations.jl#516: crossings at one instant", function()
  it("are one instant, in declared order, also when the first handler changes the second's witness", function()
    local log = {}
    local function crossing(name, change)
      return { name = name, witness = function(ctx) return ctx.x end, unrestricted_update = function(_, next)
        log[#log + 1] = name
        change(next)
      end }
    end
    local sim = saltus.simulator(line {
      crossing("first", function(next) next.x = -0.5 end),
      crossing("second", function(next) next.n = 7 end),
    })
    sim:advance_to(1.4)
    assert.same({ "first", "second" }, log)
    assert.equal(7, sim.context.n)
    assert.near(-0.1, sim.context.x, 1e-9)
  end)
end)

describe("DiffEqBase.jl#266, #634, #671: a condition", function()
  local function times(witness, start, options)
    local log = {}
    local sim = saltus.simulator(saltus.system { name = "t", z = { { "x", start } },
      derivatives = function(_, dot) dot.x = 1 end,
      events = { { name = "root", witness = witness, publish = function(ctx) log[#log + 1] = ctx.time end } },
    }, options)
    sim:advance_to(3)
    return log
  end

  it("that is zero at the start begins no crossing, and hides no later one", function()
    assert.same({}, times(function(ctx) return ctx.x end, 0))
    local log = times(function(ctx) return ctx.x * (ctx.x - 2) end, 0)
    assert.equal(1, #log)
    assert.near(2, log[1], 1e-9)
  end)

  it("that comes to zero exactly at a step's end fires there, once", function()
    local options = { integrator = "explicit_euler", fixed_step = true, max_step = 0.25 }
    local log = times(function(ctx) return ctx.x end, -1, options)
    assert.same({ 1.0 }, log)
  end)

  it("with a flat root is found where the root is", function()
    local log = times(function(ctx) return (ctx.x - 0.3) ^ 3 end, -1)
    assert.equal(1, #log)
    assert.near(1.3, log[1], 1e-4) -- as near as 1e-16 = (1.3 - t)^3 can tell
  end)
end)

describe("DifferentialEquations.jl#590: with fixed steps", function()
  it("an event is not repeated at its own time", function()
    for _, isolation in ipairs { true, false } do
      local log = {}
      local sim = saltus.simulator(line {
        { name = "hit", witness = function(ctx) return ctx.x end, unrestricted_update = function(ctx)
          log[#log + 1] = ctx.time
        end },
      }, { integrator = "runge_kutta2", fixed_step = true, max_step = 0.1, isolation = isolation })
      sim:advance_to(3)
      assert.equal(1, #log)
    end
  end)
end)

describe("AMICI#2861, #3266: a restart at a root", function()
  it("does not find the root again", function()
    local fired = 0
    local sim = saltus.simulator(line {
      { name = "hit", witness = function(ctx) return ctx.x end, unrestricted_update = function(_, next)
        fired = fired + 1
        next.x = 0
        return saltus.terminate "to be started anew"
      end },
    })
    assert.equal("reached_termination", sim:advance_to(2).reason)
    assert.near(1, sim.context.time, 1e-9)
    sim:initialize()
    assert.equal("reached_boundary_time", sim:advance_to(2).reason)
    assert.equal(1, fired)
    assert.near(1, sim.context.x, 1e-9)
  end)
end)

describe("AMICI#2185: events at given times", function()
  it("do not use the root finder, and are exact", function()
    local log = {}
    local sim = saltus.simulator(line({
      { name = "dose", next_time = "due", unrestricted_update = function(ctx, next)
        log[#log + 1] = ctx.time
        next.x = next.x + 1
        next.due = ctx.due + 0.7
      end },
    }, 1, { discrete = { { "due", 0.3 } } }))
    sim:advance_to(2)
    assert.same({ 0.3, 0.3 + 0.7, 0.3 + 0.7 + 0.7 }, log)
    assert.equal(0, sim.stats.isolations + sim.stats.witness_evaluations)
  end)
end)

local function clock(period, offset, log)
  return saltus.system { name = "clock", discrete = { { "n", 0 } }, events = { { name = "tick", every = period,
    offset = offset, discrete_update = function(ctx, next)
      log[#log + 1] = ctx.time
      next.n = ctx.n + 1
    end } } }
end

describe("Drake#9707: a period with offset 0", function()
  it("fires at t = 0: publishes at initialization, updates as the first step begins", function()
    local published, updated = {}, {}
    local sim = saltus.simulator(saltus.system { name = "clock", events = {
      { name = "show", every = 0.5, publish = function(ctx) published[#published + 1] = ctx.time end },
      { name = "tick", every = 0.5, discrete_update = function(ctx) updated[#updated + 1] = ctx.time end },
    } })
    sim:initialize()
    assert.same({ 0.0 }, published)
    assert.same({}, updated)
    sim:advance_to(0.5)
    assert.same({ 0.0, 0.5 }, published)
    assert.same({ 0.0 }, updated)
  end)
end)

describe("Drake#4325: a period of 0.015", function()
  it("does not stop the time at 0.165 or anywhere else", function()
    local log = {}
    local sim = saltus.simulator(clock(0.015, 0, log))
    sim:advance_to(15)
    sim:advance_pending_events()
    assert.equal(1001, #log)
    for k, t in ipairs(log) do assert.equal((k - 1) * 0.015, t) end
  end)
end)

describe("Drake#14552: small periods and offsets at large times", function()
  it("are exact while doubles can represent them, and rejected beyond", function()
    local log = {}
    local sim = saltus.simulator(clock(1e-6, 3e-7, log), { start_time = 1e6 })
    sim:advance_to(1e6 + 1e-3)
    assert.equal(1000, #log)
    assert.error_matches(function()
      saltus.simulator(clock(1e-6, 0, {}), { start_time = 1e12 }):advance_to(1e12 + 1)
    end, "16 ulp of the time")
  end)
end)

describe("Drake PR#14663: an event time without a handler", function()
  it("is not skipped: the step ends there", function()
    local ends = {}
    local sim = saltus.simulator(saltus.system { name = "marks", z = { { "x", 0 } }, discrete = { { "due", 0.6 } },
      derivatives = function(_, dot) dot.x = 1 end,
      events = { { name = "mark", every = 0.25 }, { name = "once", next_time = "due" } } })
    sim.monitor = function(ctx) ends[#ends + 1] = ctx.time end
    sim:advance_to(1)
    local seen = {}
    for _, t in ipairs(ends) do seen[t] = true end
    for _, t in ipairs { 0.25, 0.5, 0.6, 0.75, 1 } do assert.is_true(seen[t], t) end
    assert.equal(math.huge, sim.context.due)
  end)
end)

describe("nexosim#34, TinyOS#419, arbor#385, SpaDES#236, de_sim#51: simultaneous events", function()
  local function order(extra)
    local log, events = {}, {}
    for i, name in ipairs { "d", "b", "e", "a", "c" } do
      events[#events + 1] = { name = name, every = i % 2 == 0 and 0.5 or 0.25,
        discrete_update = function() log[#log + 1] = name end }
      if extra then events[#events + 1] = { name = name .. "0", every = 0.125 * i, publish = function() end } end
    end
    local sim = saltus.simulator(saltus.system { name = "tied", events = events })
    return sim, log
  end

  it("run in the order of their declaration, which nothing unrelated changes", function()
    local plain, log = order(false)
    plain:advance_to(3)
    local crowded, log2 = order(true)
    crowded:advance_to(3)
    assert.same({ "d", "b", "e", "a", "c", "d", "e", "c", "d", "b", "e", "a", "c" }, { table.unpack(log, 1, 13) })
    assert.same(log, log2)
  end)

  it("have the same order after save and load", function()
    local whole, log = order(false)
    whole:advance_to(3)
    local first, parts = order(false)
    first:advance_to(1.5)
    local state = first:save()
    local second, rest = order(false)
    second:load(state)
    second:advance_to(3)
    for _, name in ipairs(rest) do parts[#parts + 1] = name end
    assert.same(log, parts)
  end)
end)

describe("sst-core#52: the order of events", function()
  it("does not depend on how the parts are grouped", function()
    local function build(grouping)
      local log = {}
      local function part(name)
        return saltus.system { name = name, discrete = { { "n", 0 } }, events = {
          { name = "tick", every = 0.1, unrestricted_update = function(ctx, next)
            log[#log + 1] = ("%s %a"):format(name, ctx.time)
            next.n = ctx.n + 1
          end },
          { name = "tock", every = 0.2, publish = function(ctx) log[#log + 1] = name .. ctx.n end } } }
      end
      local top = saltus.diagram "top"
      for _, group in ipairs(grouping) do
        if type(group) == "string" then
          top:add(part(group))
        else
          local inner = saltus.diagram("g" .. table.concat(group))
          for _, name in ipairs(group) do inner:add(part(name)) end
          top:add(inner)
        end
      end
      saltus.simulator(top):advance_to(1)
      return log
    end
    local flat = build { "a", "b", "c", "d" }
    assert.same(flat, build { { "a", "b" }, { "c", "d" } })
    assert.same(flat, build { "a", { "b", "c" }, "d" })
    assert.same(flat, build { { "a", "b", "c", "d" } })
  end)
end)
