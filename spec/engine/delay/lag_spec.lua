-- Lags of all kinds, and the break points that they meet. The recorded delay problems are replayed by spec/conformance.
local delays = require "spec.conformance.delays"
local saltus = require "saltus"
local unit_lag = require "spec.support.unit_lag"

describe("a constant lag", function()
  it("is given as a lag or as a time", function()
    for _, read in ipairs { unit_lag.by_lag, unit_lag.by_time } do
      local sim = saltus.simulator(unit_lag.system(read), { accuracy = 1e-9 })
      sim:advance_to(10)
      assert.near(unit_lag.exact(10), sim.context.x, 1e-9)
    end
  end)

  it("ends steps exactly where it meets a break of the past", function()
    local sim = saltus.simulator(unit_lag.system(unit_lag.by_lag), { accuracy = 1e-4 })
    local ends = {}
    for t in sim:steps(6) do ends[t] = true end
    for t = 1, 4 do assert.is_true(ends[t], "no step ends at " .. t) end
  end)

  -- A lag of 1, and one below the step. x = exp(l t) solves x' = -x(t - 0.01) with l = -exp(-0.01 l).
  for _, method in ipairs(require("saltus.core").methods()) do
    it("goes with " .. method.name, function()
      local l = -1
      for _ = 1, 50 do l = -math.exp(-0.01 * l) end
      for _, lag in ipairs { 1, 0.01 } do
        local system = saltus.system { name = "any", q = { { "a", 0 } }, v = { { "b", 0 } }, z = { { "x", 1 } },
          past = { x = 1 }, history = { x = function(t) return lag == 1 and 1 or math.exp(l * t) end },
          derivatives = function(ctx, dot)
            dot.a, dot.b = ctx.b, ctx.past.x(lag) - ctx.a
            dot.x = -ctx.past.x(lag)
          end }
        local free = method.error_control and { accuracy = 1e-5 } or { fixed_step = true, max_step = 0.05 }
        free.integrator = method.name
        if not method.past then
          assert.error_matches(function() saltus.simulator(system, free) end,
            "chooses its own steps, and cannot read a past inside of them")
          return
        end
        local sim = saltus.simulator(system, free)
        sim:advance_to(3)
        local want = lag == 1 and unit_lag.exact(3) or math.exp(3 * l)
        assert.near(want, sim.context.x, method.order == 1 and 0.03 or method.order == 2 and 3e-4 or 1e-6)
      end
    end)
  end

  -- Halving the step divides the error by 2^order, on a problem that never becomes smooth to the eye.
  for method, order in pairs { explicit_euler = 1, runge_kutta2 = 2, runge_kutta3 = 3, runge_kutta4 = 4,
    runge_kutta5 = 5 } do
    it(("keeps the order of %s with fixed steps"):format(method), function()
      local function error_of(step)
        local system = saltus.system { name = "logistic", z = { { "x", 0.1 } }, past = { x = 1 },
          derivatives = function(ctx, dot) dot.x = 1.2 * ctx.x * (1 - ctx.past.x(1)) end }
        local function at_end(integrator, options)
          options.integrator = integrator
          local sim = saltus.simulator(system, options)
          sim:advance_to(6)
          return sim.context.x
        end
        return math.abs(at_end(method, { fixed_step = true, max_step = step })
          - at_end("dormand_prince8", { accuracy = 1e-12 }))
      end
      local step = order > 3 and 1 / 8 or 1 / 32
      local measured = math.log(error_of(step) / error_of(step / 2), 2)
      assert.is_true(measured > order - 0.35, ("order %.2f"):format(measured))
    end)
  end
end)

describe("a lag that varies", function()
  -- x = t - 1 for all times, and y' = x(t - 1 - |x|) is 2 t - 3 until 1, -1 from then on.
  it("is met where it turns at once", function()
    local system = saltus.system { name = "corner", z = { { "x", -1 }, { "y", 0 } }, past = { x = 10 },
      history = { x = function(t) return t - 1 end },
      derivatives = function(ctx, dot)
        dot.x = 1
        dot.y = ctx.past.x:at(ctx.time - 1 - math.abs(ctx.x))
      end }
    local sim = saltus.simulator(system, { accuracy = 1e-8 })
    local nearest = math.huge
    for t in sim:steps(2) do nearest = math.min(nearest, math.abs(t - 1)) end
    assert.near(0, nearest, 1e-9)
    assert.near(-3, sim.context.y, 1e-10)
  end)

  -- The requested time, t^2 / 4 - 1, passes the start at t = 2, where the past jumps from 7 to 0.
  -- The step's own curve is read beyond its end, where the lag would be longer than the record.
  it("of a fed input is the same far from the origin of time, with implicit methods and a witness", function()
    local lag = 0.843
    local function run(method, start)
      local sim = saltus.simulator(saltus.system { name = "m", inputs = { { "u", 0.253 } }, z = { "y" },
        past = { u = 1 }, derivatives = function(ctx, dot) dot.y = ctx.past.u(lag) end,
        events = { { name = "up", direction = "rising", witness = function(ctx) return ctx.u - 0.743 end } } },
        { integrator = method, start_time = start, accuracy = 1e-8, max_step = 0.05, fixed_step = true })
      sim:feed("u", start + 0.279, 0.369)
      sim:advance_to(start + 0.279)
      sim:feed("u", start + 0.765, -0.571)
      sim:advance_to(start + 2.368)
      sim:feed("u", start + 3.035, 0.406)
      sim:advance_to(start + 4.213)
      return sim.context.y
    end
    for _, method in ipairs { "rodas4", "radau5", "radau3" } do
      local near_zero = run(method, 0)
      assert.near(near_zero, run(method, 1.7e9), 1e-6, method)
      assert.near(near_zero, run(method, -1e4), 1e-9, method)
    end
  end)

  it("is met far from the origin of time too", function()
    local system = saltus.system { name = "far", z = { { "x", 1 } }, past = { x = 3 },
      derivatives = function(ctx, dot) dot.x = -ctx.past.x(1 + 0.3 * math.abs(ctx.x)) end }
    local function end_at(start)
      local sim = saltus.simulator(system, { start_time = start, integrator = "rodas4", accuracy = 1e-6 })
      sim:advance_to(start + 8)
      return sim.context.x
    end
    assert.near(end_at(0), end_at(1e6), 1e-4)
  end)

  it("is met where it passes an earlier break", function()
    local system = saltus.system { name = "passing", z = { { "x", 0 }, { "y", 0 } }, past = { x = 10 },
      history = { x = 7 },
      derivatives = function(ctx, dot)
        dot.x = 1
        dot.y = ctx.past.x:at(ctx.time ^ 2 / 4 - 1)
      end }
    local sim = saltus.simulator(system, { accuracy = 1e-6 })
    local nearest = math.huge
    for t in sim:steps(3) do nearest = math.min(nearest, math.abs(t - 2)) end
    assert.near(0, nearest, 1e-14)
    assert.near(14 + (27 - 8) / 12 - 1, sim.context.y, 1e-12)
  end)
end)

-- The requested time goes back and forth over the same jumps of a counter. Their integral is known: each value of the
-- counter times how long it was read.
describe("a lag that changes faster than time passes", function()
  local last, parts = 7, 20000

  local function problem(lag, w, every)
    local function asked(t) return t - lag * (1.01 + math.sin(w * t)) end
    local function count(t) return math.max(0, math.floor(asked(t) / every)) end
    return count, saltus.system { name = "turning", z = { "x", "y" }, discrete = { { "n", 0 } }, past = { n = 4 },
      derivatives = function(ctx, dot)
        dot.x = ctx.past.n:at(asked(ctx.time))
        dot.y = math.cos(ctx.time) - ctx.y -- other steps at another accuracy
      end,
      events = { { name = "count", every = every, offset = every,
        discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }
  end

  local function passes(count, from, to)
    local before = count(from)
    for _ = 1, 60 do
      local middle = (from + to) / 2
      if count(middle) == before then from = middle else to = middle end
    end
    return to
  end

  local function integral(count)
    local sum, at = 0, 0
    for i = 1, parts do
      local from, to = last * (i - 1) / parts, last * i / parts
      if count(from) ~= count(to) then
        local t = passes(count, from, to)
        sum, at = sum + (t - at) * count(from), t
      end
    end
    return sum + (last - at) * count(last)
  end

  local function check(lag, w, every)
    local count, system = problem(lag, w, every)
    local expected = integral(count)
    for _, method in ipairs(require("saltus.core").methods()) do
      for _, accuracy in ipairs { 1e-3, 1e-5, 1e-7 } do
        if method.error_control and method.past then
          local sim = saltus.simulator(system, { integrator = method.name, accuracy = accuracy })
          sim:advance_to(last)
          assert.near(expected, sim.context.x, 1e-11, method.name .. " at " .. accuracy)
        end
      end
    end
  end

  it("is met where it passes a jump, in both directions, for all methods and steps", function()
    check(1.7, 2.9, 0.7)
  end)

  -- Found by a sweep: jumps were passed and passed again between two stages.
  it("is met where it passes a jump between two stages, and is back at the next", function()
    for _, case in ipairs { { 1.64, 2.88, 0.75 }, { 1.55, 3.5, 0.94 }, { 1.1, 2.75, 0.98 }, { 1.88, 3.02, 0.44 } } do
      local count, system = problem(table.unpack(case))
      local expected = integral(count)
      for _, integrator in ipairs { "dormand_prince8", "tsitouras5", "runge_kutta5" } do
        local sim = saltus.simulator(system, { integrator = integrator, accuracy = 1e-4 })
        sim:advance_to(last)
        assert.near(expected, sim.context.x, 1e-11, integrator .. " with a lag of " .. case[1])
      end
    end
  end)
end)

describe("a lag below the step", function()
  it("is solved within the step, not extrapolated", function()
    local system = saltus.system { name = "short", z = { { "x", 1 } }, past = { x = 0.001 },
      history = { x = function(t) return math.exp(-1.0010015035 * t) end },
      derivatives = function(ctx, dot) dot.x = -ctx.past.x(0.001) end }
    -- x = exp(l t) with l = -exp(-0.001 l)
    local l = -1
    for _ = 1, 50 do l = -math.exp(-0.001 * l) end
    local sim = saltus.simulator(system, { accuracy = 1e-8 })
    sim:advance_to(5)
    assert.near(math.exp(l * 5), sim.context.x, 1e-8)
    assert.is_true(sim.stats.steps < 120)
  end)

  -- Which lag is which the engine knows by what is read, not by when.
  it("may be read in any order, another one at every evaluation", function()
    local function run(method, turns)
      local turned = false
      local system = saltus.system { name = "orders", z = { { "x", 1 } }, discrete = { { "n", 1 } },
        past = { x = 1, n = 1 },
        derivatives = function(ctx, dot)
          turned = turns and not turned
          local n = turned and ctx.past.n(0.3)
          local x = ctx.past.x(0.7)
          dot.x = (n or ctx.past.n(0.3)) - x
        end,
        events = { { name = "turn", every = 0.5, discrete_update = function(ctx, next) next.n = -ctx.n end } } }
      local sim = saltus.simulator(system, { integrator = method, accuracy = 1e-9 })
      sim:advance_to(5)
      return sim:hash()
    end
    for _, method in ipairs { "tsitouras5", "dormand_prince8", "rodas4" } do
      assert.equal(run(method, false), run(method, true))
    end
  end)

  it("of nothing is the present", function()
    local system = saltus.system { name = "now", z = { { "x", 1 } }, past = { x = 1 },
      derivatives = function(ctx, dot) dot.x = -ctx.past.x(0) end }
    local sim = saltus.simulator(system, { accuracy = 1e-9 })
    sim:advance_to(1)
    assert.near(math.exp(-1), sim.context.x, 1e-8)
  end)

  it("shortens the steps where the delayed signal is only known at their ends", function()
    local system = saltus.system { name = "signal", z = { { "x", 0 } }, past = { wave = 0.1 },
      outputs = { wave = function(ctx) return math.cos(ctx.time) end },
      derivatives = function(ctx, dot) dot.x = ctx.past.wave(0.1) end }
    local sim = saltus.simulator(system, { accuracy = 1e-7 })
    sim:advance_to(4)
    -- flat before the start: 1 until 0.1
    assert.near(0.1 + math.sin(3.9), sim.context.x, 1e-6)
  end)
end)

describe("a jump", function()
  -- A switch turned at 0.3 and 0.7 arrives at exactly one delay later, as a step.
  local function switched()
    return saltus.system { name = "switch", z = { { "x", 0 } },
      discrete = { { "mode", "off", values = { "off", "on" } } }, past = { mode = 1.1 },
      derivatives = function(ctx, dot) dot.x = ctx.past.mode(1.1) == "on" and 1 or 0 end,
      events = {
        { name = "on", next_time = function(ctx) return ctx.time < 0.3 and 0.3 or nil end,
          discrete_update = function(_, next) next.mode = "on" end },
        { name = "off", next_time = function(ctx) return ctx.time < 0.7 and 0.7 or nil end,
          discrete_update = function(_, next) next.mode = "off" end },
      } }
  end

  it("comes out as a jump, exactly one delay later", function()
    local sim = saltus.simulator(switched())
    local ends = {}
    for t in sim:steps(3) do ends[#ends + 1] = t end
    local found = {}
    for _, t in ipairs(ends) do
      if math.abs(t - 1.4) < 1e-9 or math.abs(t - 1.8) < 1e-9 then found[#found + 1] = t end
    end
    assert.same({ 0.3 + 1.1, 0.7 + 1.1 }, found)
    assert.near(0.4, sim.context.x, 1e-14)
  end)

  it("of a state is seen on both of its sides", function()
    local seen = {}
    local system = saltus.system { name = "kicked", z = { { "x", 0 } }, past = { x = 2 },
      derivatives = function(_, dot) dot.x = 1 end,
      events = {
        { name = "kick", every = 2, offset = 2, unrestricted_update = function(_, next) next.x = 10 end },
        { name = "look", every = 1, offset = 3, publish = function(ctx)
          seen[1] = ctx.past.x(1)
          seen[2] = ctx.past.x:at(2 - 1e-9)
        end },
      } }
    local sim = saltus.simulator(system)
    sim:advance_to(3)
    assert.near(10, seen[1], 1e-12)
    assert.near(2, seen[2], 1e-8)
  end)

  it("between history and start is one too", function()
    local system = saltus.system { name = "start", z = { { "x", 0 }, { "y", 0 } }, past = { x = 0.7 },
      history = { x = 5 },
      derivatives = function(ctx, dot)
        dot.x = 1
        dot.y = ctx.past.x(0.7)
      end }
    local sim = saltus.simulator(system)
    sim:advance_to(1)
    assert.near(0.7 * 5 + 0.3 ^ 2 / 2, sim.context.y, 1e-12)
  end)
end)

describe("at an accuracy of 1e-6", function()
  -- The better of deSolve 1.34's dede (lsoda, radau) and jitcdde 1.8.3 at a tolerance of 1e-6, largest error at the
  -- reference times.
  local best = { linear_unit_lag = 2.9e-6, hutchinson = 3.3e-5, mackey_glass_a1 = 1.3e-5, state_dependent_c1 = 1.7e-4 }
  for name, theirs in pairs(best) do
    it("is a tenth as far from the truth as others, on " .. name, function()
      local file = assert(io.open("spec/data/dde/" .. name .. ".json"))
      local problem = require("dkjson").decode(file:read "a")
      file:close()
      local ours = delays.largest_error(saltus, problem, 1e-6)
      assert.is_true(ours <= theirs / 10, ("%.3g against %.3g"):format(ours, theirs))
    end)
  end
end)

describe("a lag that vanishes at the start of a neutral equation", function()
  -- Problem F1 of C. A. H. Paul's test set of delay equations: y(1) = exp(sin 2).
  local function f1(history, rate)
    return saltus.system { name = "f1", z = { { "y", 1 } }, past = { y = 1 }, history = history, history_rate = rate,
      derivatives = function(ctx, dot)
        local t = ctx.time
        dot.y = 2 * math.cos(2 * t) * ctx.past.y(t / 2) ^ (2 * math.cos(t)) + math.log(ctx.past_rate.y(t / 2))
          - math.log(2 * math.cos(t)) - math.sin(t)
      end }
  end

  it("takes its derivative there from history_rate", function()
    for _, method in ipairs { "tsitouras5", "dormand_prince8", "runge_kutta3", "radau5" } do
      for _, accuracy in ipairs { 1e-5, 1e-8 } do
        local sim = saltus.simulator(f1(nil, { y = 2 }), { integrator = method, accuracy = accuracy })
        sim:advance_to(1)
        assert.near(math.exp(math.sin(2)), sim.context.y, 10 * accuracy)
      end
    end
  end)

  it("finds it by differences of the history, where only that is given", function()
    local function y(t) return math.exp(math.sin(2 * t)) end
    local sim = saltus.simulator(f1 { y = y }, { accuracy = 1e-8 })
    sim:advance_to(1)
    assert.near(math.exp(math.sin(2)), sim.context.y, 1e-6)
  end)
end)
