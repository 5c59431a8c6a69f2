-- The past of systems: ctx.past, ctx.past_rate, history; delays and their break points; rollback. The recorded delay
-- problems are replayed by spec/conformance; buffers alone are in delay_buffer_spec.
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path

local delays = require "conformance.delays"
local saltus = require "saltus"

-- x' = -x(t - 1), x = 1 before: sum of (-1)^k (t - (k - 1))^k / k! while k - 1 <= t.
local function unit_lag_exact(t)
  local sum, factorial = 1, 1
  for k = 1, math.floor(t) + 1 do
    factorial = factorial * k
    sum = sum + (-1) ^ k * (t - (k - 1)) ^ k / factorial
  end
  return sum
end

local function unit_lag(read)
  return saltus.system { name = "lag", z = { { "x", 1 } }, past = { x = 1 },
    derivatives = function(ctx, dot) dot.x = -read(ctx) end }
end

local function by_lag(ctx) return ctx.past.x(1) end
local function by_time(ctx) return ctx.past.x:at(ctx.time - 1) end

describe("a constant lag", function()
  it("is told as a lag or as a time", function()
    for _, read in ipairs { by_lag, by_time } do
      local sim = saltus.simulator(unit_lag(read), { accuracy = 1e-9 })
      sim:advance_to(10)
      assert.near(unit_lag_exact(10), sim.context.x, 1e-9)
    end
  end)

  it("ends steps exactly where it meets a break of the past", function()
    local sim = saltus.simulator(unit_lag(by_lag), { accuracy = 1e-4 })
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
        local want = lag == 1 and unit_lag_exact(3) or math.exp(3 * l)
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

  -- What is asked for, t^2 / 4 - 1, passes the start at t = 2, where the past jumps from 7 to 0.
  -- The step's own curve is looked at beyond its end, where the lag would be longer than what is kept.
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

-- What is asked for goes back and forth, over the same jumps of a counter each time. Their integral is known: what the
-- counter was, times how long it was asked for.
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

  it("is met where it passes a jump, on the way back too, whatever the method and its steps", function()
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

  it("shortens the steps where a signal is delayed that only their end can tell", function()
    local system = saltus.system { name = "signal", z = { { "x", 0 } }, past = { wave = 0.1 },
      outputs = { wave = function(ctx) return math.cos(ctx.time) end },
      derivatives = function(ctx, dot) dot.x = ctx.past.wave(0.1) end }
    local sim = saltus.simulator(system, { accuracy = 1e-7 })
    sim:advance_to(4)
    -- flat before the start: 1 until 0.1
    assert.near(0.1 + math.sin(3.9), sim.context.x, 1e-6)
  end)
end)

describe("an output with a past", function()
  local function bent(t) return math.exp(math.sin(2 * t)) end

  -- Simpson's rule, of what was asked for from -1 to 6.
  local function integral()
    local parts, sum = 20000, 0
    local h = 7 / parts
    for i = 0, parts do sum = sum + ((i == 0 or i == parts) and 1 or i % 2 == 1 and 4 or 2) * bent(i * h - 1) end
    return sum * h / 3
  end

  it("is kept as finely as a step of the method is long", function()
    local expected = integral()
    local system = saltus.system { name = "signal", z = { { "x", 0 } }, past = { y = 2 }, history = { y = bent },
      outputs = { y = function(ctx) return bent(ctx.time) end },
      derivatives = function(ctx, dot) dot.x = ctx.past.y(1) end }
    for _, integrator in ipairs { "tsitouras5", "runge_kutta5", "rodas4", "radau5", "dormand_prince8" } do
      for _, accuracy in ipairs { 1e-5, 1e-7, 1e-9 } do
        local sim = saltus.simulator(system, { integrator = integrator, accuracy = accuracy })
        sim:advance_to(7)
        assert.near(expected, sim.context.x, accuracy, integrator .. " at " .. accuracy)
      end
    end
  end)
end)

describe("history", function()
  local function pure_lag(fields)
    fields.name, fields.z, fields.past = "history", { { "x", 0 } }, { x = 2 }
    fields.derivatives = fields.derivatives or function(ctx, dot) dot.x = ctx.past.x(2) end
    return saltus.simulator(saltus.system(fields), { accuracy = 1e-9 })
  end

  it("is flat where none is given", function()
    local sim = pure_lag { derivatives = function(ctx, dot) dot.x = 1 + ctx.past.x(2) end }
    sim:advance_to(2)
    assert.near(2, sim.context.x, 1e-9)
  end)

  it("is a number, a function of time, or one function for all names", function()
    local function wave(t) return math.sin(t) end
    for _, given in ipairs { { x = 3 }, { x = wave }, function(t) return { x = wave(t) } end } do
      local sim = pure_lag { history = given }
      sim:advance_to(2)
      local want = type(given) == "table" and given.x == 3 and 6 or math.cos(-2) - math.cos(0)
      assert.near(want, sim.context.x, 1e-8)
    end
  end)

  it("has the derivative it is given, else that of its values", function()
    local function rates(extra)
      local sim = pure_lag { history = { x = math.sin }, history_rate = extra,
        derivatives = function(ctx, dot) dot.x = ctx.past_rate.x(2) end }
      sim:advance_to(2)
      return sim.context.x
    end
    assert.near(math.sin(2), rates(nil), 1e-8)
    assert.near(math.sin(2), rates { x = math.cos }, 1e-9)
    assert.near(10, rates { x = 5 }, 1e-9)
  end)

  it("is an earlier run's log", function()
    local first = saltus.simulator(unit_lag(by_lag), { accuracy = 1e-10 })
    local log = saltus.log(first, { "x", every = 0.01 })
    first:advance_to(2.5)
    local second = saltus.simulator(saltus.system { name = "second", z = { { "x", first.context.x } }, past = { x = 1 },
      history = log, derivatives = function(ctx, dot) dot.x = -ctx.past.x(1) end },
      { start_time = 2.5, accuracy = 1e-10 })
    second:advance_to(5)
    assert.near(unit_lag_exact(5), second.context.x, 1e-7)
    local other = saltus.log(first, { one = function() return 1 end })
    assert.error_matches(function() pure_lag { history = other } end, 'the log that is its history has no "x"')
  end)

  it("of a long vector has that of all its elements", function()
    local sim = saltus.simulator(saltus.system { name = "wide", z = { { "x", 0, size = 80 } }, past = { x = 1 },
      history = { x = function(t)
        local list = {}
        for i = 1, 80 do list[i] = t * i end
        return list
      end },
      derivatives = function(ctx, dot) dot.x = ctx.past_rate.x(0.5) end })
    sim:advance_to(0.25)
    for i = 1, 80 do assert.near(i * 0.25, sim.context.x[i], 1e-9 * i) end
  end)

  it("is refused where it is not what it should be", function()
    assert.error_matches(function() pure_lag { history = { y = 1 } } end, 'unknown name "y"')
    assert.error_matches(function() pure_lag { history = 3 } end, "history must be a table by names, a function")
    assert.error_matches(function() pure_lag { history = { x = "a" } } end, 'history of "x" .* must be a number')
    local sim = pure_lag { history = { x = function() return "much" end } }
    assert.error_matches(function() sim:advance_to(1) end, 'history of "x" in system "history" at t = ')
    local forgetful = pure_lag { history = { x = function() end } }
    assert.error_matches(function() forgetful:advance_to(1) end,
      'history of "x" in system "history" at t = .* must be a number, got nil %(in the history of history')
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

describe("what may be kept", function()
  it("is states, held values, outputs, inputs, whole vectors", function()
    local source = saltus.system { name = "source", outputs = { wave = function(ctx) return math.sin(ctx.time) end } }
    local seen = {}
    local reader = saltus.system { name = "reader", inputs = { "u" }, z = { { "r", { 1, 2 } } },
      discrete = { { "n", 0 } },
      outputs = { double = function(ctx) return 2 * ctx.u end },
      past = { u = 1, double = 1, r = 1, n = 1 },
      derivatives = function(_, dot) dot.r = { 1, -1 } end,
      events = {
        { name = "tick", every = 0.5, discrete_update = function(_, next, event) next.n = event.count end },
        { name = "look", at = "step", publish = function(ctx)
          if ctx.time == 3 then
            seen = { u = ctx.past.u(0.75), double = ctx.past.double(0.75), r = ctx.past.r(0.75), n = ctx.past.n(0.75),
              rate = ctx.past_rate.u(0.75), slope = ctx.past_rate.r(0.75) }
          end
        end },
      } }
    local d = saltus.diagram "d"
    d:add(source)
    d:add(reader)
    d:connect("source.wave", "reader.u")
    local sim = saltus.simulator(d, { max_step = 0.25 })
    sim:advance_to(3)
    assert.near(math.sin(2.25), seen.u, 1e-6)
    assert.near(2 * math.sin(2.25), seen.double, 1e-6)
    assert.near(math.cos(2.25), seen.rate, 1e-4)
    assert.near(3.25, seen.r[1], 1e-12)
    assert.near(-0.25, seen.r[2], 1e-12)
    assert.same({ 1, -1 }, { seen.slope[1], seen.slope[2] })
    assert.equal(4, seen.n)
  end)

  it("is refused for what does not flow, and depths that are none", function()
    local function refuses(text, past)
      assert.error_matches(function()
        saltus.system { name = "s", params = { k = 1 }, abstract = { { "list", {} } }, discrete = { "n" }, past = past }
      end, text)
    end
    refuses('past of "k": a parameter does not flow', { k = 1 })
    refuses('past of "list": abstract values are not kept', { list = 1 })
    refuses('unknown name "m"', { m = 1 })
    refuses('past of "n" must be the seconds to keep', { n = -1 })
    refuses('past of "n" must be the seconds to keep', { n = 0 / 0 })
    refuses("past must be a table", 3)
    refuses('system "s": past goes by names: past = { height = 2 }', { "n" })
  end)
end)

describe("asking", function()
  local function raises(text, read, kept)
    local system = saltus.system { name = "asker", z = { { "x", 1 } }, past = kept == nil and { x = 2 } or kept or nil,
      derivatives = function(ctx, dot) dot.x = read(ctx) end }
    assert.error_matches(function() saltus.simulator(system):advance_to(1) end, text)
  end

  it("further back than is kept, or for the future, is an error", function()
    raises("past.x is asked for 3.0 s ago at t = 0.0, but 2.0 s of it are kept; keep more: past = { x = 3.0 }",
      function(ctx) return ctx.past.x(3) end)
    raises("past.x is asked for t = 0.5, which is the future at t = 0.0",
      function(ctx) return ctx.past.x:at(ctx.time + 0.5) end)
    raises("no number", function(ctx) return ctx.past.x(0 / 0) end)
    raises("past.x wants how long ago as a number of seconds, got no value", function(ctx) return ctx.past.x() end)
    raises("past.x wants the time as a number of seconds, got nil", function(ctx) return ctx.past.x:at(nil) end)
    raises("write ctx.past.name:at%(t%), with a colon", function(ctx) return ctx.past.x.at(ctx.time) end)
  end)

  it("for what is not kept says how to keep it", function()
    raises('unknown name "y" in past of "asker"', function(ctx) return ctx.past.y(1) end)
    raises("keeps no past; declare past = { name = seconds }", function(ctx) return ctx.past.x(1) end, false)
  end)

  it("for a lag that grows beyond what is kept fails there, and the run can be looked at", function()
    local system = saltus.system { name = "growing", z = { { "x", 1 } }, past = { x = 1 },
      derivatives = function(ctx, dot) dot.x = -ctx.past.x(0.5 + ctx.time / 2) end }
    local sim = saltus.simulator(system)
    assert.error_matches(function() sim:advance_to(3) end, "past.x is asked for")
    assert.near(1, sim.context.time, 1e-6)
  end)
end)

describe("a system with other defaults", function()
  it("keeps the same past", function()
    local system = saltus.system { name = "s", z = { { "x", 1 } }, params = { lag = 1 }, past = { x = 2 },
      history = { x = 4 }, derivatives = function(ctx, dot) dot.x = ctx.past.x(ctx.lag) end }
    local sim = saltus.simulator(system:with { lag = 2, x = 0 })
    sim:advance_to(2)
    assert.near(8, sim.context.x, 1e-9)
    assert.matches("past      x +2 s", tostring(system))
  end)
end)

describe("logs and the context", function()
  it("look into the past", function()
    local system = saltus.system { name = "s", z = { { "x", 0 } }, past = { x = 1 },
      outputs = { late = function(ctx) return ctx.past.x(0.5) end },
      derivatives = function(_, dot) dot.x = 1 end }
    local d = saltus.diagram "d"
    d:add(system)
    local sim = saltus.simulator(d, { max_step = 0.4 })
    local log = saltus.log(sim, { "s.late", own = function(ctx) return ctx.s.past.x(0.25) end, every = 0.1 })
    sim:advance_to(2)
    assert.near(1.2, log:at(1.7)["s.late"], 1e-12)
    assert.near(1.45, log:at(1.7).own, 1e-12)
    assert.near(1.25, sim.context.s.past.x(0.75), 1e-12)
    assert.near(1, sim.context.s.past_rate.x(0.75), 1e-12)
    local t = sim.context.time - 0.01
    assert.near(t - 0.5, sim:state_at(t).s.past.x(0.5), 1e-12)
  end)
end)

describe("witnesses and handlers", function()
  it("look into the past", function()
    -- x = t: its value 0.25 ago passes 1 at 1.25; the handler sees what was 1 ago.
    local seen
    local system = saltus.system { name = "late", z = { { "x", 0 } }, past = { x = 1 },
      derivatives = function(_, dot) dot.x = 1 end,
      events = { { name = "late", witness = function(ctx) return ctx.past.x(0.25) - 1 end,
        publish = function(ctx) seen = { ctx.time, ctx.past.x(1) } end } } }
    saltus.simulator(system):advance_to(3)
    assert.near(1.25, seen[1], 1e-9)
    assert.near(0.25, seen[2], 1e-9)
  end)
end)

describe("a run with a past", function()
  -- A thermostat with dead time: at 14.5 two events are under way in the delay.
  local function thermostat()
    return saltus.system { name = "thermostat", z = { { "T", 15 } },
      discrete = { { "relay", 1 } }, past = { relay = 6, T = 2 },
      derivatives = function(ctx, dot) dot.T = -0.1 * (ctx.T - 10) + 2 * ctx.past.relay(6) + 0.01 * ctx.past.T(2) end,
      events = { { name = "toggle", every = 4,
        discrete_update = function(ctx, next) next.relay = 1 - ctx.relay end } } }
  end

  local function trace(sim, stop)
    local out = {}
    for t, ctx in sim:steps(stop) do out[#out + 1] = ("%a %a"):format(t, ctx.T) end
    return table.concat(out, "\n")
  end

  it("is rolled back and replayed to the bit, with events under way in the delay", function()
    local sim = saltus.simulator(thermostat())
    sim:advance_to(14.5)
    local saved, hash = sim:save(), sim:hash()
    local first = trace(sim, 40)
    local last = sim:hash()
    sim:load(saved)
    assert.equal(hash, sim:hash())
    assert.equal(first, trace(sim, 40))
    assert.equal(last, sim:hash())
  end)

  it("jumps where it was written before it was cloned or saved", function()
    local stairs = saltus.system { name = "stairs", discrete = { "n" }, past = { n = 0.5 }, history = { n = 0 },
      outputs = { late = function(ctx) return ctx.past.n(0.2) end },
      events = { { name = "up", every = 0.1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }
    local sim, other = saltus.simulator(stairs), saltus.simulator(stairs)
    sim:advance_to(0.55)
    sim.context.n = 50
    local twin = sim:clone()
    other:load(sim:save())
    for _, each in ipairs { sim, twin, other } do
      each:advance_to(0.74)
      assert.equal(6, each.context.late)
      each:advance_to(0.76)
      assert.equal(50, each.context.late)
    end
    assert.same({ sim:hash(), sim:hash() }, { twin:hash(), other:hash() })
  end)

  it("is cloned with its past", function()
    local sim = saltus.simulator(thermostat())
    sim:advance_to(14.5)
    local twin = sim:clone()
    assert.equal(trace(sim, 40), trace(twin, 40))
    assert.equal(sim:hash(), twin:hash())
  end)

  it("is cloned with what another accuracy left of `auto`", function()
    local sim = saltus.simulator(thermostat(), { integrator = "auto", accuracy = 1e-4 })
    sim:advance_to(14.5)
    sim.integrator:set_target_accuracy(1e-10)
    for _, each in ipairs { sim:clone(), sim:clone():clone() } do
      assert.equal(sim:hash(), each:hash())
      assert.equal(1e-10, each.integrator:get_target_accuracy())
    end
    local twin = sim:clone()
    assert.equal(trace(sim, 40), trace(twin, 40))
    assert.equal(sim:hash(), twin:hash())
  end)

  it("keeps no more than its depth", function()
    local sim = saltus.simulator(thermostat())
    sim:advance_to(40)
    local size = #sim:save()
    sim:advance_to(400)
    assert.is_true(#sim:save() < 1.5 * size)
  end)

  -- A publish at a witness cuts a step in two pieces of the same curve.
  it("is not moved by those who look", function()
    local function x_at_end(events)
      local system = saltus.system { name = "seen", z = { { "x", 0.1 } }, past = { x = 1 },
        derivatives = function(ctx, dot) dot.x = 1.8 * ctx.x * (1 - ctx.past.x(1)) end, events = events }
      local sim = saltus.simulator(system, { accuracy = 1e-6 })
      sim:advance_to(20)
      return sim.context.x
    end
    local looks = 0
    local seen = x_at_end { { name = "look", witness = function(ctx) return ctx.x - 0.7 end,
      publish = function() looks = looks + 1 end } }
    assert.is_true(looks > 5)
    assert.near(x_at_end(nil), seen, 1e-12)
  end)

  it("is loaded by a simulator with another integrator", function()
    local sim = saltus.simulator(unit_lag(by_lag), { accuracy = 1e-8, integrator = "dormand_prince8" })
    sim:advance_to(2.5)
    local other = saltus.simulator(unit_lag(by_lag), { accuracy = 1e-8 })
    other:load(sim:save())
    other:advance_to(6)
    assert.near(unit_lag_exact(6), other.context.x, 1e-7)
  end)

  -- The pieces that are kept have the degree of the integrator's interpolant.
  it("is loaded by one with a longer interpolant, and begun anew from there", function()
    local sim = saltus.simulator(unit_lag(by_lag), { accuracy = 1e-10 })
    sim:advance_to(2.5)
    local saved = sim:save()
    sim:set_integrator("dormand_prince8", {})
    sim:advance_to(3)
    for _ = 1, 2 do
      sim:load(saved)
      sim:advance_to(6)
      assert.near(unit_lag_exact(6), sim.context.x, 1e-9)
      sim:initialize()
      sim:advance_to(8)
      assert.near(unit_lag_exact(8), sim.context.x, 1e-9)
    end
  end)

  -- With can_use_current the breaks that a delay itself hands on are none for it.
  it("of a delay that uses the present goes on to the same bits", function()
    local loop = saltus.diagram "line"
    loop:add(saltus.blocks.sine { frequency = 3 }, "sine")
    loop:add(saltus.blocks.step { time = 0.55 }, "step")
    loop:add(saltus.blocks.sum { signs = "++" }, "sum")
    loop:add(saltus.blocks.delay { delay = 0.2, can_use_current = true }, "delay")
    loop:add(saltus.blocks.lag { time_constant = 1 }, "lag")
    loop:connect("sine", "sum.input1")
    loop:connect("step", "sum.input2")
    loop:connect("sum", "delay")
    loop:connect("delay", "lag")
    for _, method in ipairs { "tsitouras5", "dormand_prince8", "runge_kutta3", "radau5" } do
      local sim = saltus.simulator(loop, { integrator = method, accuracy = 1e-5 })
      local saved = {}
      for _ in sim:steps(3) do saved[#saved + 1] = sim:save() end
      local hash = sim:hash()
      for _, bytes in ipairs(saved) do
        sim:load(bytes)
        sim:advance_to(3)
        assert.equal(hash, sim:hash())
      end
    end
  end)

  it("has nothing behind it when it is initialized twice at its start", function()
    local sim = saltus.simulator(unit_lag(by_lag), { accuracy = 1e-9 })
    sim:initialize()
    sim.context.x = 2
    sim:initialize()
    sim:advance_to(3.5)
    assert.near(2 * unit_lag_exact(3.5), sim.context.x, 1e-7)
  end)

  it("begins anew at another start, and goes on after another integrator", function()
    local sim = saltus.simulator(unit_lag(by_lag), { accuracy = 1e-8 })
    sim:advance_to(2.5)
    sim:set_integrator("dormand_prince8", { accuracy = 1e-8 })
    sim:advance_to(4)
    assert.near(unit_lag_exact(4), sim.context.x, 1e-7)
    sim.context.time, sim.context.x = 0, 1
    sim:initialize()
    sim:advance_to(4)
    assert.near(unit_lag_exact(4), sim.context.x, 1e-7)
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

describe("runs of one model", function()
  -- The first run of a closure has it tried beside its program: both read the past, and each lag is one all the same.
  it("have the same bits, first or later, in Lua or as programs", function()
    local function model()
      return saltus.system { name = "wheel", q = { { "x", 1 } }, v = { { "y", 0 } }, past = { x = 0.5 },
        derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x - 0.1 * ctx.past.x(0.4) end,
        events = { { name = "cross", witness = function(ctx) return ctx.x end,
          unrestricted_update = function(ctx, next) next.y = 1.01 * ctx.y end } } }
    end
    local hashes = {}
    for i = 1, 6 do
      local hook, mask, count = debug.gethook()
      if i > 3 then debug.sethook(function() end, "", 1000000000) end -- who watches Lua sees the closures
      local sim = saltus.simulator(model())
      sim:advance_to(6)
      debug.sethook(hook, mask, count)
      hashes[i] = sim:hash()
    end
    for i = 2, 6 do assert.equal(hashes[1], hashes[i]) end
  end)
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

  it("finds it by differences of the history, where only that is told", function()
    local function y(t) return math.exp(math.sin(2 * t)) end
    local sim = saltus.simulator(f1 { y = y }, { accuracy = 1e-8 })
    sim:advance_to(1)
    assert.near(math.exp(math.sin(2)), sim.context.y, 1e-6)
  end)
end)

describe("a witness of a delayed output", function()
  -- u = sin(2 sin(t - lag)) against 0.3, with lags from far shorter than a step to longer than most.
  local function run(lag, handler, options)
    local seen = {}
    local function w(ctx) return ctx.u - 0.3 end
    local d = saltus.diagram "d"
    d:add(saltus.system { name = "p", z = { "x", { "y", 1 } },
      outputs = { o = function(ctx) return math.sin(2 * ctx.x) end },
      derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x end })
    d:add(saltus.blocks.delay { delay = lag }, "late")
    local function look(sign)
      return function(ctx) seen[#seen + 1] = { time = ctx.time, side = sign * w(ctx) } end
    end
    d:add(saltus.system { name = "s", inputs = { "u" }, discrete = { "n" }, events = {
      { name = "up", direction = "rising", witness = w, [handler] = look(1) },
      { name = "down", direction = "falling", witness = w, [handler] = look(-1) } } })
    d:connect("p.o", "late")
    d:connect("late", "s.u")
    saltus.simulator(d, options):advance_to(30)
    return seen
  end

  local first = math.asin(math.asin(0.3) / 2)
  for _, lag in ipairs { 0.02, 0.05, 0.3, 1.7 } do
    it(("is crossed once each time, and its handler never sees the old side, %g s late"):format(lag), function()
      for _, handler in ipairs { "publish", "discrete_update", "unrestricted_update" } do
        for _, method in ipairs { "tsitouras5", "dormand_prince8", "radau5" } do
          local seen = run(lag, handler, { integrator = method, accuracy = 1e-9 })
          for k = 1, 10 do
            local exact = lag + (k - 1) // 2 * 2 * math.pi + (k % 2 == 1 and first or math.pi - first)
            assert.near(exact, seen[k] and seen[k].time or 1e9, 1e-4, method)
            assert.is_true(seen[k].side >= 0, seen[k].side)
          end
          assert.equal(10, #seen, method)
        end
      end
    end)
  end
end)
