-- Delays behind each other and beside each other: a run meets the breaks that there are, and none that wires cannot
-- bring.
local saltus = require "saltus"
local blocks = saltus.blocks

-- A chain of `count` delays behind `source`, with an integral at its end. In a run up to time 15, a jump of the source
-- breaks the past of each delay once, and each delay below it once more: a break of the integral for each pair.
local function add_chain(d, name, source, count, how)
  local last = source
  for k = 1, count do
    local each = name .. k
    d:add(blocks.variable_delay { max_delay = 5 }, each)
    d:add(how == "varying" and blocks.function_of_time { f = function(t) return 1 + 0.2 * math.sin(t + k) end }
      or blocks.constant { value = 0.5 + 0.31 * k }, each .. "_lag")
    d:connect(each .. "_lag", each .. ".delay")
    d:connect(last, each .. ".input")
    last = each
  end
  d:add(blocks.integral {}, name)
  d:connect(last, name)
end

local function run(d, options)
  local sim = saltus.simulator(d, options)
  assert.equal("reached_boundary_time", sim:advance_to(15).reason)
  return sim
end

-- The area below a unit step, at time 1 unless another is given, that passed the chain.
local function area(count, how, time)
  local arrival = time or 1
  for k = 1, count do
    local lag = 0.5 + 0.31 * k
    local low, high = arrival, arrival + 3
    for _ = 1, 80 do
      local middle = (low + high) / 2
      if how == "varying" then lag = 1 + 0.2 * math.sin(middle + k) end
      if middle - lag < arrival then low = middle else high = middle end
    end
    arrival = high
  end
  return 15 - arrival
end

describe("a chain of delays", function()
  for _, how in ipairs { "constant", "varying" } do
    it(("takes steps for its %s delays, not for all sums of them"):format(how), function()
      for count = 1, 5 do
        local d = saltus.diagram "d"
        d:add(blocks.step { time = 1 }, "source")
        add_chain(d, "chain", "source", count, how)
        local sim = run(d, { max_steps_per_call = 500 })
        local breaks = count * (count + 1) / 2
        assert.is_true(sim.stats.steps < 20 + 6 * breaks, sim.stats.steps)
        assert.near(area(count, how), sim.context.chain.output, 1e-9)
      end
    end)
  end

  it("takes no steps for the breaks of another chain", function()
    local function steps(count, other)
      local d = saltus.diagram "d"
      d:add(blocks.step { time = 1 }, "source")
      if count > 0 then add_chain(d, "chain", "source", count, "varying") end
      if other > 0 then add_chain(d, "other", "source", other, "constant") end
      local sim = run(d, { max_steps_per_call = 500 })
      if count > 0 then assert.near(area(count, "varying"), sim.context.chain.output, 1e-9) end
      if other > 0 then assert.near(area(other, "constant"), sim.context.other.output, 1e-9) end
      return sim.stats.steps
    end
    for count = 1, 3 do
      local both, sum = steps(count, count), steps(count, 0) + steps(0, count)
      assert.is_true(both < 1.5 * sum, both .. ", " .. sum)
    end
  end)
end)

describe("delays that are equal", function()
  it("do not hand on the breaks of each other", function()
    local function steps(chains)
      local d = saltus.diagram "d"
      for c = 1, chains do
        d:add(blocks.step { time = 1 + c / 10 }, "source" .. c)
        add_chain(d, "chain" .. c, "source" .. c, 3, "varying")
      end
      local sim = run(d, { max_steps_per_call = 1000 })
      for c = 1, chains do assert.near(area(3, "varying", 1 + c / 10), sim.context["chain" .. c].output, 1e-9) end
      return sim.stats.steps
    end
    local one = steps(1)
    for chains = 2, 5 do assert.is_true(steps(chains) <= chains * one, chains) end
  end)
end)

-- y(t) = y(t - sum of the lags) has as many breaks in each turn.
describe("a loop of delays", function()
  it("takes steps for what goes round", function()
    local d = saltus.diagram "d"
    local lags, names = { 0.35, 0.44, 0.3, 0.75 }, {}
    for k, lag in ipairs(lags) do
      names[k] = "late" .. k
      d:add(k % 2 == 1 and blocks.delay { delay = lag, history = k } or blocks.variable_delay { max_delay = 1,
        history = k }, names[k])
      if k % 2 == 0 then
        d:add(blocks.function_of_time { f = function(t) return lag + 0.1 * math.sin(t) end }, "lag" .. k)
        d:connect("lag" .. k, names[k] .. ".delay")
      end
    end
    for k = 1, #lags do d:connect(names[k], names[k % #lags + 1] .. ".input") end
    d:add(blocks.integral {}, "area")
    d:connect("late4", "area")
    local sim = run(d, { max_steps_per_call = 1000 })
    local turns = 15 / 1.84
    assert.is_true(sim.stats.steps < 6 * (4 * turns + 10), sim.stats.steps)
  end)
end)

-- x'(t) = -x(t - a) - x(t - b): a break of x is one order higher each time it has passed the integral.
describe("delays in a loop with an integral", function()
  local function loop(options)
    local d = saltus.diagram "d"
    d:add(blocks.integral { initial = 1 }, "x")
    d:add(blocks.sum { signs = "--" }, "sum")
    d:connect("sum", "x")
    for k, lag in ipairs { 0.9, 1.37 } do
      d:add(blocks.delay { delay = lag, history = 1 }, "late" .. k)
      d:connect("x", "late" .. k .. ".input")
      d:connect("late" .. k, "sum.input" .. k)
    end
    return run(d, options)
  end

  it("need no steps for breaks that are smooth", function()
    local sim = loop { max_steps_per_call = 300, integrator = "bogacki_shampine3", accuracy = 1e-3 }
    assert.is_true(sim.stats.steps < 120, sim.stats.steps)
  end)

  it("lose no break that the method feels", function()
    local want = loop({ accuracy = 1e-12, max_step = 0.01 }).context.x.output
    for _, accuracy in ipairs { 1e-6, 1e-9 } do
      assert.near(want, loop({ accuracy = accuracy }).context.x.output, 10 * accuracy)
    end
  end)
end)
