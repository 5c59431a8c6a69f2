-- Mirrors src/engine/witness/condition_search.c: conditions over states and thresholds that both move. Closed forms
-- judge: an oscillator against a sine of the time.
local saltus = require "saltus"
local cases = require "spec.support.cases"

-- How often f(t) turns from false to true in 0..stop; f is sampled so many times a second.
local function turns(f, stop, rate)
  local count, was = 0, true
  for i = 0, stop * rate do
    local now = f(i / rate)
    if now and not was then count = count + 1 end
    was = now
  end
  return count
end

describe("conditions over what moves", function()
  for _, event_state in ipairs { "interpolate", "reintegrate" } do
    for _, start in ipairs { -1e9, 0, 100, 1e4, 1.7e9 } do
      it(("take turns with their opposite: %s from %g s"):format(event_state, start), function()
        for k = 1, cases(6) do
          local list = {}
          local function gap(ctx) return ctx.x - 0.5 * math.sin(0.37 * (ctx.time - start) + k) end
          local function note(name)
            return function() list[#list + 1] = name end
          end
          local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 }, { "y", 0 } },
            derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x end,
            events = { { name = "up", becomes = function(ctx) return gap(ctx) >= 0 end, publish = note "up" },
              { name = "down", becomes = function(ctx) return gap(ctx) < 0 end, publish = note "down" } } },
            { start_time = start, event_state = event_state })
          sim:advance_to(start + 50)
          local function is_up(t) return math.cos(t) - 0.5 * math.sin(0.37 * t + k) >= 0 end
          local ups, downs = turns(is_up, 50, 200), turns(function(t) return not is_up(t) end, 50, 200)
          assert.equal(ups + downs, #list)
          for i = 2, #list do assert.not_equal(list[i - 1], list[i]) end
        end
      end)
    end
  end

  it("fire between the crossings of two finders, whatever fired before", function()
    local expected, seen = 0, 0
    for k = 1, cases(20) do
      local w, phase, level = 1 + 0.01 * k, 0.06 * k, -0.3 - 0.002 * k
      local function gap(ctx) return ctx.x - 0.5 * math.cos(0.37 * ctx.time + k) end
      local sim = saltus.simulator(saltus.system { name = "s", q = { { "x", math.sin(phase) } },
        v = { { "y", w * math.cos(phase) } },
        derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -w * w * ctx.x end,
        events = { { name = "out", becomes = function(ctx) return gap(ctx) <= 0 end, publish = function() end },
          { name = "at", witness = function(ctx) return ctx.x - level end, publish = function() end },
          { name = "inside", becomes = function(ctx) return gap(ctx) > 0 and not (ctx.x >= level) end,
            publish = function() seen = seen + 1 end } } }, { integrator = "radau5", accuracy = 1e-7 })
      sim:advance_to(25)
      expected = expected + turns(function(t)
        local x = math.sin(w * t + phase)
        return x - 0.5 * math.cos(0.37 * t + k) > 0 and x < level
      end, 25, 10000)
    end
    assert.is_true(expected > 0)
    assert.equal(expected, seen)
  end)

  it("fire once where a call ends some ulp before or after", function()
    local start, ulp = -1e9, 0x1p-23 -- of times from 2^29 to 2^30
    for k = 1, cases(20) do
      local function run(cut)
        local times = {}
        local function gap(ctx) return ctx.x - 2.3 * math.sin(5.6 * (ctx.time - start) + k) end
        local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 0.55 } },
          derivatives = function(_, dot) dot.x = -0.4 end,
          events = { { name = "out", becomes = function(ctx) return gap(ctx) >= 0 end, publish = function() end },
            { name = "inside", becomes = function(ctx) return ctx.x > -9 and not (gap(ctx) >= 0) end,
              publish = function(ctx) times[#times + 1] = ctx.time end } } }, { start_time = start })
        if cut then sim:advance_to(cut) end
        sim:advance_to(start + 3)
        return times
      end
      local whole = run()
      for n = -3, 3 do
        local times = run(whole[1] + n * ulp)
        assert.equal(#whole, #times, ("%d ulp, k = %d"):format(n, k))
        for i = 1, #whole do assert.near(whole[i], times[i], 1e-6) end
      end
    end
  end)
end)

-- A lag is subtracted with rounding, so a delayed jump is read a few ulp before it arrives, and a ramp may reach its
-- level so much before its time.
describe("a condition that turns true at the end of an advance, give or take rounding,", function()
  local function is_left(sim, stop, samples)
    sim:advance_to(stop)
    assert.same({ 0, samples }, { sim.context.n, sim.context.k })
    sim:advance_pending_events()
    assert.same({ 1, samples + 1 }, { sim.context.n, sim.context.k })
    assert.equal(stop, sim.context.time)
  end

  local function model(becomes)
    return saltus.system { name = "s", z = { "x" }, inputs = { { "v", 0 } }, discrete = { "n", "k" }, past = { v = 2 },
      derivatives = function(_, dot) dot.x = 1 end,
      events = { { name = "late", becomes = becomes, discrete_update = function(ctx, next) next.n = ctx.n + 1 end },
        { name = "sample", every = 0.125, discrete_update = function(ctx, next) next.k = ctx.k + 1 end } } }
  end

  it("is left to the next call, with the other updates of that time: a jump that arrives", function()
    local sim = saltus.simulator(model(function(ctx) return ctx.past.v(1.25) > 0.5 end), { start_time = -3 })
    sim:advance_to(-1)
    sim.context.v = 1
    is_left(sim, 0.25, 2)
  end)

  it("is left to the next call, with the other updates of that time: a ramp", function()
    for _, early in ipairs { 4.5e-16, 5.6e-16 } do
      is_left(saltus.simulator(model(function(ctx) return ctx.x >= 1 - early end)), 1, 8)
    end
  end)
end)
