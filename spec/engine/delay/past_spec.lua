-- The past of systems: ctx.past, ctx.past_rate, history; what can be recorded and read. Lags are in
-- lag_spec, runs that go on in past_run_spec; buffers alone are in delay_buffer_spec.
local saltus = require "saltus"
local unit_lag = require "spec.support.unit_lag"

describe("an output with a past", function()
  local function bent(t) return math.exp(math.sin(2 * t)) end

  -- Simpson's rule over the requested times from -1 to 6.
  local function integral()
    local parts, sum = 20000, 0
    local h = 7 / parts
    for i = 0, parts do sum = sum + ((i == 0 or i == parts) and 1 or i % 2 == 1 and 4 or 2) * bent(i * h - 1) end
    return sum * h / 3
  end

  it("is recorded as finely as the steps of the method need", function()
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
    local first = saltus.simulator(unit_lag.system(unit_lag.by_lag), { accuracy = 1e-10 })
    local log = saltus.log(first, { "x", every = 0.01 })
    first:advance_to(2.5)
    local second = saltus.simulator(saltus.system { name = "second", z = { { "x", first.context.x } }, past = { x = 1 },
      history = log, derivatives = function(ctx, dot) dot.x = -ctx.past.x(1) end },
      { start_time = 2.5, accuracy = 1e-10 })
    second:advance_to(5)
    assert.near(unit_lag.exact(5), second.context.x, 1e-7)
    local other = saltus.log(first, { one = function() return 1 end })
    assert.error_matches(function() pure_lag { history = other } end, 'the log that is its history has no "x"')
  end)

  -- Between the rows of steps a log knows the steps' curves.
  it("is an earlier run's log of steps", function()
    local first = saltus.simulator(unit_lag.system(unit_lag.by_lag), { accuracy = 1e-10 })
    local log = saltus.log(first)
    first:advance_to(2.5)
    local second = saltus.simulator(saltus.system { name = "second", z = { { "x", first.context.x } }, past = { x = 1 },
      history = log, derivatives = function(ctx, dot) dot.x = -ctx.past.x(1) end },
      { start_time = 2.5, accuracy = 1e-10 })
    second:advance_to(5)
    assert.near(unit_lag.exact(5), second.context.x, 1e-8)
  end)

  describe("that is a log", function()
    local function definition(more)
      local def = { name = "signals", z = { { "x", 1 }, { "r", { 0, 1 } } },
        discrete = { "n", { "mode", "low", values = { "low", "high" } } },
        outputs = { square = function(ctx) return ctx.x ^ 2 end,
          clipped = function(ctx) return math.max(0, ctx.r[1]) end },
        derivatives = function(ctx, dot) dot.x, dot.r = -ctx.x, { ctx.r[2], -ctx.r[1] } end,
        events = {
          { name = "count", every = 0.7, discrete_update = function(ctx, next) next.n = ctx.n + 1 end },
          { name = "turn", at = "demand",
            discrete_update = function(ctx, next) next.mode = ctx.mode == "low" and "high" or "low" end },
          { name = "kick", every = 1, offset = 1, unrestricted_update = function(ctx, next) next.x = ctx.x + 1 end },
        } }
      for key, value in pairs(more or {}) do def[key] = value end
      return saltus.system(def)
    end
    local function earlier(spec)
      local sim = saltus.simulator(definition(), { accuracy = 1e-6 })
      local log = saltus.log(sim, spec)
      sim:advance_to(1.3)
      sim:demand "turn"
      sim:advance_to(4)
      return sim, log
    end

    local function later(log, names)
      local depths = {}
      for _, name in ipairs(names) do depths[name] = 10 end
      local sim = saltus.simulator(definition { past = depths, history = log }, { start_time = 4 })
      sim:initialize()
      return sim.context
    end

    local function compare(expected, actual, t)
      for name, value in pairs(expected) do
        local got = name == "time" and t or actual.past[name]:at(t)
        local list, other = type(value) == "table" and value or { value }, type(got) == "table" and got or { got }
        for i, one in ipairs(list) do
          if type(one) == "number" then assert.near(one, other[i], 1e-9, name .. " at " .. t)
          else assert.equal(one, other[i]) end
        end
      end
    end

    it("has its values, between rows and at jumps", function()
      local _, log = earlier()
      local context = later(log, { "x", "r", "n", "mode", "square", "clipped" })
      for i = 0, 399 do compare(log:at(i / 100), context, i / 100) end
    end)

    it("holds discrete values between the rows of a period", function()
      local _, log = earlier { "n", "mode", every = 0.25 }
      local context = later(log, { "n", "mode" })
      for i = 0, 399 do compare(log:at(i / 100), context, i / 100) end
    end)

    it("stays as it was when the log's simulator returns to an earlier time", function()
      local sim, log = earlier { "x" }
      local context, expected = later(log, { "x" }), {}
      for i = 0, 39 do expected[i] = log:at(i / 10) end
      sim.context.time = 0
      sim:initialize()
      for i = 0, 39 do compare(expected[i], context, i / 10) end
    end)

    it("must have rows", function()
      local log = saltus.log(saltus.simulator(definition()), { "x" })
      assert.error_matches(function() definition { past = { x = 1 }, history = log } end,
        'system "signals": the log that is its history has no rows yet; run its simulator first')
    end)
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

  it("is rejected when it is wrong", function()
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

describe("what can be recorded", function()
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

  it("is rejected for parameters, and for wrong depths", function()
    local function refuses(text, past)
      assert.error_matches(function()
        saltus.system { name = "s", params = { k = 1 }, abstract = { { "list", {} } }, discrete = { "n" }, past = past }
      end, text)
    end
    refuses('past of "k": a parameter does not flow', { k = 1 })
    refuses('past of "list": abstract values are not recorded', { list = 1 })
    refuses('unknown name "m"', { m = 1 })
    refuses('past of "n" must be the seconds to record', { n = -1 })
    refuses('past of "n" must be the seconds to record', { n = 0 / 0 })
    refuses("past must be a table", 3)
    refuses('system "s": past goes by names: past = { height = 2 }', { "n" })
  end)
end)

describe("reading the past", function()
  local function raises(text, read, kept)
    local system = saltus.system { name = "asker", z = { { "x", 1 } }, past = kept == nil and { x = 2 } or kept or nil,
      discrete = { "other" }, params = { k = 1 },
      derivatives = function(ctx, dot) dot.x = read(ctx) end }
    assert.error_matches(function() saltus.simulator(system):advance_to(1) end, text)
  end

  it("further back than recorded, or in the future, is an error", function()
    raises("past.x cannot be read 3.0 s before t = 0.0: only 2.0 s are recorded; declare past = { x = 3.0 }",
      function(ctx) return ctx.past.x(3) end)
    raises("past.x cannot be read at t = 0.5: the time is only 0.0",
      function(ctx) return ctx.past.x:at(ctx.time + 0.5) end)
    raises("past.x cannot be read at a time that is not a number", function(ctx) return ctx.past.x(0 / 0) end)
    raises("past.x wants how long ago as a number of seconds, got no value", function(ctx) return ctx.past.x() end)
    raises("past.x wants the time as a number of seconds, got nil", function(ctx) return ctx.past.x:at(nil) end)
    raises("write ctx.past.name:at%(t%), with a colon", function(ctx) return ctx.past.x.at(ctx.time) end)
  end)

  it("of an unrecorded name says how to record it", function()
    raises('unknown name "y" in past of "asker"', function(ctx) return ctx.past.y(1) end)
    raises("the past of other was never recorded: declare past = { other = seconds }",
      function(ctx) return ctx.past.other(1) end)
    raises('unknown name "k" in past of "asker"', function(ctx) return ctx.past.k(1) end)
    raises('the past of "asker" was never recorded: declare past = { name = seconds }',
      function(ctx) return ctx.past.x(1) end, false)
  end)

  it("with a lag that grows beyond the record fails there, and the run can be inspected", function()
    local system = saltus.system { name = "growing", z = { { "x", 1 } }, past = { x = 1 },
      derivatives = function(ctx, dot) dot.x = -ctx.past.x(0.5 + ctx.time / 2) end }
    local sim = saltus.simulator(system)
    assert.error_matches(function() sim:advance_to(3) end, "past.x cannot be read")
    assert.near(1, sim.context.time, 1e-6)
  end)
end)

describe("a system with other defaults", function()
  it("has the same past", function()
    local system = saltus.system { name = "s", z = { { "x", 1 } }, params = { lag = 1 }, past = { x = 2 },
      history = { x = 4 }, derivatives = function(ctx, dot) dot.x = ctx.past.x(ctx.lag) end }
    local sim = saltus.simulator(system:with { lag = 2, x = 0 })
    sim:advance_to(2)
    assert.near(8, sim.context.x, 1e-9)
    assert.matches("past      x +2 s", tostring(system))
  end)
end)

describe("logs and the context", function()
  it("read the past", function()
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
  it("read the past", function()
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
