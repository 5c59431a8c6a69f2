-- The examples of examples/simpy/: bank-renege, car-wash, machine-shop, gas-station, process-communication. What holds
-- in each run, and the means of many runs beside those of SimPy (spec/queues/simpy_means.txt).
local comparison = require "spec.queues.comparison"
local examples = require "spec.support.examples"
local slurp = require "spec.support.slurp"
local theory = require "spec.queues.theory"

local run = examples.run

-- The times at which a column grows.
local function growths(log, name)
  local times = {}
  for row = 2, #log do
    for _ = 1, log[name][row] - log[name][row - 1] do times[#times + 1] = log.time[row] end
  end
  return times
end

local stressed = os.getenv "SALTUS_GC" == "stress"

describe("the means of examples/simpy", function()
  local simpy = comparison.read(slurp "spec/queues/simpy_means.txt")
  local runs = { ["bank-renege"] = 600, ["car-wash"] = 200, ["machine-shop"] = 3, ["gas-station"] = 20,
    ["process-communication"] = 20 }

  for model, count in pairs(runs) do
    it("agree with SimPy's: " .. model, function()
      if stressed then pending "means need many runs" end
      local ours, quantities = comparison.ours(model, count, 100), 0
      for name, mean in pairs(ours) do
        quantities = quantities + 1
        local distance = comparison.distance(mean, simpy[model][name])
        assert.is_true(distance <= 3, ("%s: %g, SimPy %g, %.1f standard errors"):format(name, mean.mean,
          simpy[model][name].mean, distance))
      end
      assert.is_true(quantities >= 2)
    end)
  end
end)

describe("examples/simpy/bank-renege", function()
  it("serves one customer at a time, and each one is served or leaves", function()
    for seed = 1, stressed and 2 or 20 do
      local context = run("simpy/bank-renege", { seed = seed }).context
      assert.equal(5, context.came)
      assert.equal(5, context.served + context.left)
      assert.is_true(context.waited >= context.left and context.waited <= 3 * 4)
    end
  end)

  it("serves everybody who is patient", function()
    local context = run("simpy/bank-renege", { set = { patience = { 1e6, 2e6 } } }).context
    assert.equal(5, context.served)
  end)
end)

describe("examples/simpy/car-wash", function()
  it("washes as the recursion of Kiefer and Wolfowitz says", function()
    for _, interval in ipairs { 2, 3, 7 } do
      local log = run("simpy/car-wash", { set = { interval = interval }, log = { "came", "washed" } }).log
      local came = { 0, 0, 0, 0, table.unpack(growths(log, "came"), 5 - log.came[1]) }
      local minutes, done = {}, growths(log, "washed")
      for i = 1, #came do minutes[i] = 5 end
      local starts = theory.start_times(came, minutes, 2)
      local expected = {}
      for i, start in ipairs(starts) do if start + 5 <= 100.5 then expected[i] = start + 5 end end
      assert.same(expected, done)
      assert.is_true(#done > 14)
    end
  end)
end)

describe("examples/simpy/machine-shop", function()
  it("keeps the fitter busy: repairs and jobs fill the time", function()
    local context = run("simpy/machine-shop", { duration = 3000 }).context
    local busy = 30 * (context.repairs + context.jobs)
    assert.is_true(busy <= 3000 and busy > 3000 - 60)
  end)

  it("makes a part in each part's time when nothing breaks", function()
    local context = run("simpy/machine-shop", { duration = 1000, set = { life = 1e9 } }).context
    assert.near(10 * 1000 / 10, context.parts, 4 * math.sqrt(1000) * 2 / 10)
    assert.equal(0, context.repairs)
    assert.is_true(context.jobs >= 33)
  end)
end)

describe("examples/simpy/gas-station", function()
  it("loses no fuel, and sells no fuel that it does not have", function()
    local result = run("simpy/gas-station", { duration = 5000, log = { "fuel" } })
    local context = result.context
    assert.near(200 + context.delivered - context.sold, context.fuel, 1e-9)
    for _, fuel in ipairs(result.log.fuel) do assert.is_true(fuel >= 0 and fuel <= 200 + 1e-9) end
    assert.is_true(context.came - context.refuelled < 40)
  end)

  it("lets cars wait for the truck", function()
    local slow = run("simpy/gas-station", { duration = 5000, set = { truck_time = 600 } }).context
    local fast = run("simpy/gas-station", { duration = 5000, set = { truck_time = 60 } }).context
    assert.is_true(slow.stay > fast.stay)
  end)
end)

describe("examples/simpy/process-communication", function()
  it("hands each message to both receivers, once", function()
    local context = run("simpy/process-communication", { seed = 4 }).context
    local missing = 2 * context.sent - context.handled
    assert.is_true(missing >= 0 and missing <= 6)
    assert.is_true(context.late <= context.handled and context.delay >= 0)
  end)
end)
