-- saltus.blocks.delay and variable_delay: Measure::Delay of Simbody as its page says, and better where it says so.
-- Mirrors src/blocks/delay.c and src/model/delay/simbody_delay.c; the ring itself is in
-- spec/numerics/delay_buffer_spec.lua.
local saltus = require "saltus"
local bench = require "spec.support.bench"
local unit_lag = require "spec.support.unit_lag"
local blocks = saltus.blocks
local fed, fails, integrated = bench.fed, bench.fails, bench.integrated

-- Of sin(t) from `late` s ago, flat before 0: its integral from 0 to t.
local function late_area(late, t) return 1 - math.cos(t - late) end
local function sine() return bench.of_time(math.sin) end

-- The feedback loop state' = -state(t - 1), state = 1 before.
local function loop(options)
  local d = saltus.diagram "loop"
  d:add(blocks.integral { initial = 1 }, "state")
  d:add(blocks.gain { gain = -1 }, "minus")
  d:add(blocks.delay(options), "late")
  d:connect("state", "late")
  d:connect("late.output", "minus")
  d:connect("minus", "state")
  return d
end

describe("blocks.delay", function()
  it("returns the earlier signal, which is constant before the start", function()
    for _, late in ipairs { 0.05, 0.3, 1.7 } do
      local area, _, sim = integrated(blocks.delay { delay = late }, { input = sine() }, 5)
      assert.near(math.sin(5 - late), sim.context.block.output, 1e-6)
      assert.near(late_area(late, 5), area, 1e-6)
    end
  end)

  it("is as accurate as the run it is in", function()
    for _, accuracy in ipairs { 1e-4, 1e-6, 1e-9 } do
      local area = integrated(blocks.delay { delay = 0.7 }, { input = sine() }, 5,
        { accuracy = accuracy, max_step = math.huge })
      assert.near(late_area(0.7, 5), area, 10 * accuracy)
    end
  end)

  it("takes the history as a number, one for each element, or a function of time", function()
    local function first(history)
      return integrated(blocks.delay { delay = 1, history = history }, { input = sine() }, 1)
    end
    assert.near(2.5, first(2.5), 1e-12)
    assert.near(1 - math.cos(1), first(function(t) return -math.sin(t) end), 1e-7)
    local _, context = fed(blocks.delay { delay = 1, size = 2, history = { 3, -4 } },
      { input = blocks.constant { value = { 1, 2 } } }, 0.5)
    assert.same({ 3, -4 }, context.output)
  end)

  it("starts the same run, whatever was read before", function()
    local function events_of(read)
      local d = saltus.diagram "d"
      d:add(blocks.delay { delay = 1 })
      d:add(blocks.saturation { lower = -0.5, upper = 0.5 })
      d:connect("delay.output", "saturation")
      local sim = saltus.simulator(d)
      local log = saltus.log(sim)
      sim.context.delay.input = 0.7
      local _ = read and sim.context.saturation.output
      sim:advance_to(0.5)
      return #log.events
    end
    assert.equal(events_of(false), events_of(true))
  end)

  it("is the identity when it is 0", function()
    local sim, context = fed(blocks.delay { delay = 0 }, { input = sine() })
    for t in sim:steps(3) do assert.equal(math.sin(t), context.output) end
  end)

  it("delivers a jump as a jump, exactly one delay later", function()
    local area, log = integrated(blocks.delay { delay = 0.7 },
      { input = blocks.step { time = 0.3, before = 2, after = 5 } }, 3)
    assert.near(2 + 5 * 2, area, 1e-13)
    local seen = {}
    for i, t in ipairs(log.time) do
      if t < 0.3 + 0.7 then assert.equal(2, log["block.output"][i]) end
      if t == 0.3 + 0.7 then seen[#seen + 1] = log["block.output"][i] end
      if t > 0.3 + 0.7 then assert.equal(5, log["block.output"][i]) end
    end
    assert.equal(5, seen[#seen])
  end)

  it("shows the jump to an edge detector when it arrives, also without continuous state", function()
    local d = saltus.diagram "watched"
    d:add(blocks.step { time = 0.3, before = 0, after = 1 }, "step")
    d:add(blocks.delay { delay = 0.7 }, "late")
    d:add(blocks.sample_and_hold {}, "hold")
    d:add(blocks.clock {}, "clock")
    d:connect("step", "late.input")
    d:connect("late", "hold.trigger")
    d:connect("clock", "hold.input")
    local sim = saltus.simulator(d)
    sim:advance_to(5)
    assert.near(1, sim.context.hold.output, 4e-16)
    assert.equal(sim.context.hold.output, sim.context.hold.sampled_at)
  end)

  it("passes jumps through a chain, and round a loop", function()
    local d = saltus.diagram "chain"
    d:add(blocks.step { time = 0.25, before = 0, after = 1 }, "step")
    for i = 1, 3 do d:add(blocks.delay { delay = 0.3 }, "late" .. i) end
    d:add(blocks.integral {}, "area")
    d:connect("step", "late1")
    d:connect("late1", "late2")
    d:connect("late2", "late3")
    d:connect("late3", "area")
    local sim = saltus.simulator(d)
    sim:advance_to(2)
    assert.near(2 - 0.25 - 0.9, sim.context.area.output, 1e-12)

    local ring = saltus.diagram "ring"
    ring:add(blocks.delay { delay = 1, history = 2 }, "late")
    ring:add(blocks.gain { gain = -1 }, "flip")
    ring:connect("late", "flip")
    ring:connect("flip", "late")
    local run = saltus.simulator(ring)
    for k = 0, 5 do
      run:advance_to(k + 0.5)
      assert.near(2 * (-1) ^ k, run.context.late.output, 1e-12)
    end
  end)

  it("keeps the history when it is changed in mid-run", function()
    local sim, context = fed(blocks.delay { delay = 0.3, max_delay = 0.8 }, { input = sine() }, 1)
    assert.near(math.sin(0.7), context.output, 1e-6)
    context.delay = 0.8
    assert.near(math.sin(0.2), context.output, 1e-6)
    sim:advance_to(1.1)
    assert.near(math.sin(0.3), context.output, 1e-6)
    context.delay = 0
    sim:advance_to(1.5)
    assert.equal(math.sin(1.5), context.output)
  end)

  it("has the derivative of the delayed signal too", function()
    local _, context = fed(blocks.delay { delay = 0.4, rate = true }, { input = sine() }, 2)
    assert.near(math.sin(1.6), context.output, 1e-6)
    assert.near(math.cos(1.6), context.rate, 1e-4)
  end)

  it("delays vectors", function()
    local _, context = fed(blocks.delay { delay = 0.4, size = 2 },
      { input = blocks.function_of_time { f = function(t) return { t * t, -t } end, size = 2 } }, 2)
    assert.near(1.6 ^ 2, context.output[1], 1e-9)
    assert.near(-1.6, context.output[2], 1e-9)
  end)

  it("closes loops: x' = -x(t - 1) at the requested accuracy", function()
    for _, accuracy in ipairs { 1e-4, 1e-6, 1e-9 } do
      local sim = saltus.simulator(loop { delay = 1 }, { accuracy = accuracy })
      for t = 1, 6 do
        sim:advance_to(t)
        assert.near(unit_lag.exact(t), sim.context.state.output, 10 * accuracy)
      end
    end
  end)

  it("limits steps to its delay, because the signal is not known further", function()
    local sim = saltus.simulator(loop { delay = 0.01 })
    local last = 0
    for t in sim:steps(0.3) do
      assert.is_true(t - last <= 0.01 + 1e-12)
      last = t
    end
  end)

  it("that can use the current value takes longer ones", function()
    local function steps(current)
      local area, _, sim = integrated(blocks.delay { delay = 0.01, can_use_current = current }, { input = sine() }, 5,
        { max_step = math.huge })
      assert.near(late_area(0.01, 5), area, 1e-6)
      return sim.stats.steps
    end
    assert.is_true(steps(true) < 50)
    assert.is_true(steps(false) > 490)
    local d = saltus.diagram "direct"
    d:add(blocks.delay { delay = 1, can_use_current = true }, "late")
    d:add(blocks.gain { gain = 0.5 }, "half")
    d:connect("late", "half")
    d:connect("half", "late")
    fails("algebraic loop", saltus.simulator, d)
  end)

  it("with linear_only is the chord between accepted points, and beyond the last one", function()
    local late = 0.2
    local sim, context = fed(blocks.delay { delay = late, linear_only = true }, { input = sine() })
    local times = { 0 }
    local extended = 0
    sim:initialize()
    for t in sim:steps(6) do
      times[#times + 1] = t
      local k = #times
      while k > 1 and times[k] > t - late do k = k - 1 end
      local t0, t1 = times[k], times[k + 1]
      local v0, v1 = math.sin(t0), math.sin(t1)
      local want = t - late <= 0 and 0 or v0 + (t - late - t0) / (t1 - t0) * (v1 - v0)
      assert.near(want, context.output, 1e-12)
      extended = extended + (t - late > times[#times - 1] and 1 or 0)
    end
    assert.equal(0, extended) -- between steps the newest point is the present
    local longer = fed(blocks.delay { delay = late, linear_only = true, history = 1 }, { input = sine() }, 0.1)
    assert.equal(1, longer.context.block.output)
  end)

  it("keeps a bounded past", function()
    local sim = saltus.simulator(loop { delay = 1 }, { max_step = 0.1 })
    sim:advance_to(20)
    local size = #sim:save()
    sim:advance_to(200)
    assert.is_true(#sim:save() < 1.5 * size)
  end)

  it("rejects a wrong delay, when it is made or when it arrives", function()
    fails('option "delay" must not be negative, got -1', blocks.delay, { delay = -1 })
    fails('option "delay" must be finite, got infinity', blocks.delay, { delay = math.huge })
    fails('option "delay" must not be NaN', blocks.delay, { delay = 0 / 0 })
    fails('option "delay" is missing', blocks.delay, {})
    fails("option max_delay must not be less than delay", blocks.delay, { delay = 2, max_delay = 1 })
    fails('option "history" must be a number or a list of numbers, got "a"', blocks.delay, { delay = 2, history = "a" })
    fails("block.input", fed, blocks.delay { delay = 1 }, {}, 1)
    local d = saltus.diagram "d"
    d:add(blocks.delay { delay = 0.3 }, "late")
    d:add(sine(), "source")
    d:add(blocks.integral {}, "area")
    d:connect("source", "late")
    d:connect("late", "area")
    local run = saltus.simulator(d)
    run:advance_to(1)
    fails('"late.delay" must not be negative, got -0.1', function() run.context.late.delay = -0.1 end)
    local too_long = '"late.delay" must not be longer than the recorded past, 0.3 s (option max_delay), got 0.5'
    fails(too_long, function() run.context.late.delay = 0.5 end)
    fails(too_long, d.with, d, { ["late.delay"] = 0.5 })
  end)

  it("needs a value from a history that is a function", function()
    fails('history of "input" in system "delay" at t = 0 must be a number, got nil '
      .. "(in the history of block at t = 0)", fed,
      blocks.delay { delay = 1, history = function() end }, { input = sine() }, 1)
  end)
end)

describe("delays of random steps in series", function()
  it("are exact, for all coincidences", function()
    local random = require("spec.support.random").new(7)
    for _ = 1, 30 do
      local n, tau = random:integer(2, 6), 0.01 + 1.5 * random:real()
      local d = saltus.diagram "steps"
      d:add(blocks.sum { signs = ("+"):rep(n) }, "sum")
      d:add(blocks.delay { delay = tau }, "late")
      d:add(blocks.delay { delay = tau / 2, can_use_current = true }, "later")
      d:add(blocks.integral {}, "area")
      local want, at = 0, 0
      for i = 1, n do
        at = random:chance(0.3) and at + tau or 2 * random:real() -- some arrive as others leave
        local height = 4 * random:real() - 2
        d:add(blocks.step { time = at, before = 0, after = height }, "step" .. i)
        d:connect("step" .. i, "sum.input" .. i)
        want = want + height * math.max(0, 4 - 1.5 * tau - at)
      end
      d:connect("sum", "late.input")
      d:connect("late.output", "later.input")
      d:connect("later.output", "area")
      local sim = saltus.simulator(d)
      sim:advance_to(4)
      assert.near(want, sim.context.area.output, 1e-11)
    end
  end)
end)

describe("blocks.variable_delay", function()
  it("follows its delay", function()
    local function lag(t) return 0.5 + 0.3 * math.sin(2 * t) end
    local sim, context = fed(blocks.variable_delay { max_delay = 1, history = math.sin },
      { input = sine(), delay = bench.of_time(lag) })
    for _, t in ipairs { 0.1, 1, 2.5, 4 } do
      sim:advance_to(t)
      assert.near(math.sin(t - lag(t)), context.output, 1e-6)
    end
  end)

  it("delivers a jump when the delay has reached it", function()
    -- t - (0.5 + t / 2) = 0.25 at t = 1.5
    local area = integrated(blocks.variable_delay { max_delay = 3 }, {
      input = blocks.step { time = 0.25, before = 0, after = 1 },
      delay = bench.of_time(function(t) return 0.5 + t / 2 end) }, 3)
    assert.near(1.5, area, 1e-9)
  end)

  it("fails where it reads further back than is recorded", function()
    local _, context = fed(blocks.variable_delay { max_delay = 1 }, { input = sine(), delay = bench.time() }, 2)
    fails('"block.output" cannot be computed at t = 2: a delay is negative, or longer than its recorded past',
      function() return context.output end)
    fails("longer than its recorded past", integrated, blocks.variable_delay { max_delay = 1 },
      { input = sine(), delay = bench.time() }, 3)
  end)
end)

describe("a run with delays", function()
  -- A thermostat's relay, whose dead time is longer than its switching: two jumps are under way at most times.
  local function thermostat()
    local d = saltus.diagram "thermostat"
    d:add(blocks.lag { time_constant = 2 }, "room")
    d:add(blocks.relay { lower = 0.45, upper = 0.55, on = 0, off = 1 }, "relay")
    d:add(blocks.pulse { period = 0.7, width = 0.5 }, "clock")
    d:add(blocks.product { factors = "**" }, "gate")
    d:add(blocks.delay { delay = 1.5, rate = true }, "line")
    d:connect("room", "relay")
    d:connect("relay", "gate.input1")
    d:connect("clock", "gate.input2")
    d:connect("gate", "line.input")
    d:connect("line.output", "room")
    return saltus.simulator(d)
  end

  local function trace(sim, stop)
    local out = {}
    for t, ctx in sim:steps(stop) do out[#out + 1] = ("%a %a %a"):format(t, ctx.room.output, ctx.line.output) end
    return table.concat(out, "\n")
  end

  it("is rolled back and repeated to the bit with two pending jumps, and cloned with them", function()
    local sim = thermostat()
    sim:advance_to(4.6)
    local saved, hash, twin = sim:save(), sim:hash(), sim:clone()
    local first = trace(sim, 12)
    local last = sim:hash()
    assert.are_not.equal(hash, last)
    sim:load(saved)
    assert.equal(hash, sim:hash())
    assert.equal(first, trace(sim, 12))
    assert.equal(last, sim:hash())
    assert.equal(first, trace(twin, 12))
    assert.equal(last, twin:hash())
  end)
end)

-- What only events change has no kinks that a delay could hand on.
describe("delays of a relay that acts on itself", function()
  it("take steps for its jumps, not for all sums of the delays", function()
    local d = saltus.diagram "d"
    d:add(blocks.relay { lower = -0.2, upper = 0.2, on = -1, off = 1 }, "relay")
    d:add(blocks.sum { signs = "+++" }, "sum")
    d:add(blocks.lag { time_constant = 1 }, "plant")
    for k, lag in ipairs { 0.1, 0.2347, 0.3761 } do
      d:add(blocks.delay { delay = lag }, "d" .. k)
      d:connect("relay", "d" .. k .. ".input")
      d:connect("d" .. k .. ".output", "sum.input" .. k)
    end
    d:connect("sum", "plant")
    d:connect("plant", "relay")
    local sim = saltus.simulator(d)
    local log = saltus.log(sim, {})
    sim:advance_to(5)
    assert.near(math.log(3 / 2.8), log:times "relay.switches"[1], 1e-6)
    assert.equal(9, #log:times "relay.switches")
    assert.is_true(sim.stats.steps < 200, sim.stats.steps)
  end)
end)

-- Where a step begins, no more of the past is recorded than its delays need.
describe("the maximum of a delayed signal", function()
  it("is known at every start time", function()
    for _, start in ipairs { 0, 64, -100, 1024, -1024, 1e5, 1e6 } do
      local d = saltus.diagram "d"
      d:add(blocks.constant { value = 0.375 })
      d:add(blocks.integral { initial = 1.125 }, "rises")
      d:add(blocks.delay { delay = 1 / 64 }, "delay")
      d:add(blocks.maximum {}, "maximum")
      for _, c in ipairs { { "constant", "rises.input" }, { "rises.output", "delay.input" },
        { "delay.output", "maximum.input" } } do d:connect(c[1], c[2]) end
      local sim = saltus.simulator(d, { start_time = start })
      sim:advance_to(start + 4)
      assert.near(1.125 + 0.375 * (4 - 1 / 64), sim.context.maximum.output, 1e-11 + 1e-14 * math.abs(start))
    end
  end)
end)
