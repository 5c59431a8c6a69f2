-- Mirrors src/engine/event/dispatch.c and schedule.c: which handlers run, in what order, and what they see.
-- D-nnn number the behaviours of Drake that were observed.
local saltus = require "saltus"

-- A system whose handlers write their names into `seen`; `events` are { name, trigger, kind }.
local function noting(name, seen, events, more)
  local def = { name = name, discrete = { "n" }, events = {} }
  for i, e in ipairs(events) do
    local event = { name = e[1], [e[3]] = function(ctx)
      seen[#seen + 1] = ("%s.%s %g"):format(name, e[1], ctx.time)
    end }
    for key, value in pairs(e[2]) do event[key] = value end
    def.events[i] = event
  end
  for key, value in pairs(more or {}) do def[key] = value end
  return saltus.system(def)
end

local function diagram(...)
  local d = saltus.diagram "d"
  for _, s in ipairs { ... } do d:add(s) end
  return d
end

local function counter(events)
  return saltus.system { name = "s", discrete = { "a", "b" }, events = events }
end

local function advanced(system, t, options)
  local sim = saltus.simulator(system, options)
  sim:advance_to(t)
  return sim
end

describe("one instant", function()
  it("runs unrestricted, discrete, publish; parts; triggers; declaration (D-061, D-070, D-071)", function()
    local seen = {}
    local function all(name)
      return noting(name, seen, {
        { "timed_p", { every = 1 }, "publish" },
        { "step_p", { at = "step" }, "publish" },
        { "timed_d", { every = 1 }, "discrete_update" },
        { "chosen_d", { next_time = function(ctx) return ctx.time < 1 and 1 or nil end }, "discrete_update" },
        { "step_d", { at = "step" }, "discrete_update" },
        { "timed_u", { every = 1 }, "unrestricted_update" },
        { "step_u", { at = "step" }, "unrestricted_update" },
      })
    end
    local sim = saltus.simulator(diagram(all "x", all "y"), { start_time = 1 })
    sim:initialize { suppress_initialization_events = true }
    seen[1] = nil
    for i = #seen, 1, -1 do seen[i] = nil end
    sim:advance_pending_events()
    assert.same({ "x.step_u 1", "x.timed_u 1", "y.step_u 1", "y.timed_u 1",
      "x.step_d 1", "x.timed_d 1", "y.step_d 1", "y.timed_d 1",
      "x.step_p 1", "y.step_p 1" }, seen)
  end)

  it("runs timed events in the order of their declaration, for all kinds of timing", function()
    local seen = {}
    advanced(noting("s", seen, {
      { "a", { next_time = function(ctx) return ctx.time < 2 and 2 or nil end }, "publish" },
      { "b", { every = 2, offset = 2 }, "publish" },
      { "c", { next_time = "alarm" }, "publish" },
      { "d", { every = 1, offset = 1 }, "publish" },
    }, { discrete = { { "alarm", 2 } } }), 2)
    assert.same({ "s.d 1", "s.a 2", "s.b 2", "s.c 2", "s.d 2" }, seen)
  end)

  it("publishes at the end of the step that arrives, updates at the start of the next (D-077, D-022)", function()
    local shown = {}
    local sim = advanced(counter {
      { every = 1, publish = function(ctx) shown[#shown + 1] = { ctx.time, ctx.a } end },
      { every = 1, discrete_update = function(ctx, next) next.a = ctx.a + 1 end },
    }, 2)
    assert.same({ { 0, 0 }, { 1, 1 }, { 2, 2 } }, shown)
    assert.equal(2, sim.context.a)
    assert.equal(3, (sim:advance_pending_events() and sim.context.a))
  end)

  it("shows simultaneous updates the same state before (D-072)", function()
    local function swapper(name, from)
      return saltus.system { name = name, discrete = { { "x", from } }, inputs = { "other" }, events = {
        { every = 1, offset = 1, discrete_update = function(ctx, next) next.x = ctx.other end } } }
    end
    local d = diagram(swapper("a", 1), swapper("b", 2))
    d:connect("a.x", "b.other")
    d:connect("b.x", "a.other")
    local sim = advanced(d, 1.5)
    assert.same({ 2, 1 }, { sim.context.a.x, sim.context.b.x })
  end)

  it("shares `next` among a system's handlers; the last writer of an element wins (D-073)", function()
    local seen
    local function add(by) return function(ctx, next) next.a = next.a + by seen = { ctx.a, next.a } end end
    local sim = advanced(counter {
      { every = 1, discrete_update = add(1) }, { every = 1, discrete_update = add(10) },
      { every = 1, discrete_update = function(_, next) next.b = 1 end },
      { every = 1, discrete_update = function(_, next) next.b = 2 end },
    }, 0.5)
    assert.same({ 11, 2 }, { sim.context.a, sim.context.b })
    assert.same({ 0, 11 }, seen)
  end)

  it("discards the writes of a handler that did nothing, when others succeed too (D-075)", function()
    local sim = advanced(counter {
      { every = 1, discrete_update = function(_, next) next.a = 1 end },
      { every = 1, discrete_update = function(_, next) next.a = next.a + 7 next.b = 7 return saltus.did_nothing end },
      { every = 1, discrete_update = function(_, next) next.a = next.a + 10 end },
    }, 0.5)
    assert.same({ 11, 0 }, { sim.context.a, sim.context.b })
    assert.equal(1, sim.stats.discrete_updates)
  end)

  it("counts no dispatch in which all did nothing", function()
    local function nothing(_, next) next.a = 1 return saltus.did_nothing end
    local sim = advanced(counter { { every = 1, discrete_update = nothing },
      { every = 1, publish = function() return saltus.did_nothing end }, { every = 1, unrestricted_update = nothing } },
      3)
    local stats = sim.stats
    assert.same({ 0, 0, 0, 0 }, { stats.discrete_updates, stats.unrestricted_updates, stats.publishes, sim.context.a })
  end)

  it("shows the writes of unrestricted updates to discrete ones", function()
    local seen
    advanced(counter { { every = 1, unrestricted_update = function(_, next) next.a = 5 end },
      { every = 1, discrete_update = function(ctx) seen = ctx.a end } }, 0)
    assert.equal(5, seen)
  end)
end)

describe("a periodic event", function()
  it("happens at exactly offset + k period, with its k", function()
    local seen = {}
    advanced(counter { { every = 0.1, offset = 0.05, publish = function(ctx, e) seen[#seen + 1] = { ctx.time,
      e.count } end } },
      100)
    assert.equal(1000, #seen)
    for i, s in ipairs(seen) do assert.same({ 0.05 + (i - 1) * 0.1, i - 1 }, s) end
  end)

  it("runs each sample once at large times", function()
    local n = 0
    local sim = saltus.simulator(counter { { every = 0.015, discrete_update = function() n = n + 1 end } },
      { start_time = 1e6 })
    sim:advance_to(1e6 + 15)
    local first, last = math.ceil(1e6 / 0.015), math.ceil((1e6 + 15) / 0.015)
    assert.equal(last - first, n)
  end)

  it("is not reached an ulp too early by steps of max_step, far from time 0", function()
    for _, start in ipairs { 1000, 2 ^ 30, 1.7e9 } do
      local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, discrete = { "n" },
        derivatives = function(_, dot) dot.x = 1 end,
        events = { { name = "tick", every = 0.1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } },
        { start_time = start, max_step = 0.01 })
      local log = saltus.log(sim, { "n" })
      sim:advance_to(start + 1)
      assert.equal(10, sim.context.n) -- the update at the end waits
      for k, t in ipairs(log:times "tick") do assert.equal((start * 10 + k - 1) * 0.1, t) end
    end
  end)

  it("is rejected where its period is lost in the rounding of the time", function()
    local sim = saltus.simulator(counter { { name = "fine", every = 1e-9, publish = function() end } },
      { start_time = 1e9 })
    assert.error_matches(function() sim:advance_to(1e9 + 1) end, "its period is below 16 ulp of the time")
    assert.same({ "fine", "s" }, { sim.failure.event, sim.failure.system })
  end)

  it("shows the same time to all handlers of an instant", function()
    local times = {}
    advanced(counter {
      { every = 0.1, publish = function(ctx) times[#times + 1] = ctx.time end },
      { every = 0.3, publish = function(ctx) times[#times + 1] = ctx.time end },
    }, 0.35)
    assert.equal(6, #times)
    assert.equal(times[5], times[6])
  end)
end)

describe("when", function()
  it("removes the samples of a periodic event while it is false", function()
    local seen = {}
    advanced(counter {
      { every = 1, when = function(ctx) return ctx.time % 2 == 0 end, publish = function(_,
        e) seen[#seen + 1] = e.count end },
    }, 6)
    assert.same({ 0, 2, 4, 6 }, seen)
  end)

  it("guards per-step, initialization, demanded and discrete events", function()
    local n = 0
    local function count() n = n + 1 end
    local function never() return false end
    local sim = saltus.simulator(counter {
      { at = "step", when = never, publish = count }, { at = "initialization", when = never, publish = count },
      { at = "initialization", when = never, unrestricted_update = count },
      { name = "d", at = "demand", when = never, discrete_update = count }, { at = "step", when = never,
        discrete_update = count },
    })
    sim:demand "d"
    sim:advance_to(2)
    assert.equal(0, n)
  end)

  it("delays a due time until it is true", function()
    local seen = {}
    local s = saltus.system { name = "s", discrete = { { "alarm", 1 }, "open" }, events = {
      { name = "ring", next_time = "alarm", when = function(ctx) return ctx.open > 0 end,
        publish = function(ctx) seen[#seen + 1] = ctx.time end },
      { every = 3, offset = 3, discrete_update = function(_, next) next.open = 1 end },
    } }
    local sim = advanced(s, 10)
    assert.same({ 3 }, seen)
    assert.equal(math.huge, sim.context.alarm)
  end)
end)

describe("next_time", function()
  it("by variable is one-shot, unless the handler sets it again", function()
    local seen = {}
    local s = saltus.system { name = "s", discrete = { { "alarm", 1 } }, events = { { name = "ring",
      next_time = "alarm",
      discrete_update = function(ctx, next)
        seen[#seen + 1] = { ctx.time, ctx.alarm, next.alarm }
        if ctx.time < 3 then next.alarm = ctx.time + 1.5 end
      end } } }
    local sim = advanced(s, 10)
    assert.same({ { 1, 1, math.huge }, { 2.5, 2.5, math.huge }, { 4, 4, math.huge } }, seen)
    assert.equal(math.huge, sim.context.alarm)
    sim.context.alarm = 11
    sim:advance_to(12)
    assert.equal(11, seen[4][1])
  end)

  it("by function is called as of its own time, where a call ended some ulp before that", function()
    for ulps = -4, 4 do
      local seen = {}
      local s = saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end, events = {
        { next_time = function(ctx) return ctx.time < 1 and 1 or ctx.time < 2 and 2 or nil end,
          unrestricted_update = function(ctx) seen[#seen + 1] = ctx.time end } } }
      local sim = saltus.simulator(s)
      sim:advance_to(1 + ulps * (ulps < 0 and 2 ^ -53 or 2 ^ -52))
      sim:advance_to(3)
      assert.equal(2, #seen, ulps)
      assert.near(1, seen[1], 2 ^ -50)
      assert.equal(2, seen[2])
    end
  end)

  it("by variable is used up even by a handler that did nothing", function()
    local n = 0
    local s = saltus.system { name = "s", discrete = { { "alarm", 1 } }, events = { { next_time = "alarm",
      discrete_update = function() n = n + 1 return saltus.did_nothing end } } }
    local sim = advanced(s, 3)
    assert.same({ 1, math.huge, 0 }, { n, sim.context.alarm, sim.stats.discrete_updates })
  end)

  it("in one variable triggers a publish and an update of one instant, once each", function()
    for _, guard in ipairs { 1, 0 } do
      local seen = {}
      local s = saltus.system { name = "s", discrete = { { "alarm", 1 } }, params = { open = guard }, events = {
        { name = "look", next_time = "alarm", publish = function(ctx) seen[#seen + 1] = "look " .. ctx.time end },
        { name = "ring", next_time = "alarm", when = function(ctx) return ctx.open > 0 end,
          discrete_update = function(ctx, next)
            seen[#seen + 1] = "ring " .. ctx.time
            if ctx.time < 2 then next.alarm = 2 end
          end },
        { name = "other", every = 0.5, publish = function() end } } }
      local sim = saltus.simulator(s)
      for stop = 0, 6, 0.25 do sim:advance_to(stop) end
      assert.equal(guard == 1 and "look 1.0, ring 1.0, look 2.0, ring 2.0" or "look 1.0", table.concat(seen, ", "))
      assert.equal(math.huge, sim.context.alarm)
    end
  end)

  it("by function is called after initialize, its own event and updates", function()
    local seen = {}
    local s = saltus.system { name = "s", discrete = { { "gap", 1 } }, events = {
      { next_time = function(ctx) return ctx.gap > 0 and (ctx.time // ctx.gap + 1) * ctx.gap or nil end,
        publish = function(ctx) seen[#seen + 1] = ctx.time end },
      { every = 2.5, offset = 2.5, discrete_update = function(ctx, next) next.gap = ctx.time < 3 and 2 or 0 end } } }
    advanced(s, 10)
    assert.same({ 1, 2, 4 }, seen)
  end)

  it("that is always now fails with the name of the event", function()
    local s = counter { { name = "eager", next_time = function(ctx) return ctx.time end, publish = function() end } }
    local sim = saltus.simulator(s)
    assert.error_matches(function() sim:advance_to(1) end,
      "time does not advance: .* %(in eager of s, [^ ]*_spec.lua:%d+, at t = 0%)")
    assert.same({ "eager", "events_accumulate" }, { sim.failure.event, sim.failure.reason })
  end)

  it("must not be NaN", function()
    local sim = saltus.simulator(counter { { name = "e", next_time = function() return 0 / 0 end, publish = print } })
    assert.error_matches(function() sim:advance_to(1) end,
      "its next_time is NaN; infinity means never %(in e of s, [^ ]*_spec.lua:%d+, at t = 0%)")
  end)
end)
