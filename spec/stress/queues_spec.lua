-- Queues as stories, against the theory of queues and against SimPy in the same run. `make test` takes short
-- runs; `make queues` takes 1e5 customers and compares with SimPy where Python has it.
local comparison = require "spec.queues.comparison"
local mmc = require "spec.queues.mmc"

local long = os.getenv "QUEUES"
local customers, warm_up = 1000, 200
if long then customers, warm_up = 100000, 10000 end
if os.getenv "SALTUS_GC" == "stress" then customers, warm_up = 20, 5 end

local python = os.getenv "PY" or "python3"

local function say(...) if long then io.stderr:write(string.format(...), "\n") end end

describe("the mean wait", function()
  for _, servers in ipairs { 1, 2, 5 } do
    it(("of M/M/%d at a load of 0.8 is within 3 standard errors of the theory"):format(servers), function()
      local wait = mmc.compare(servers, 0.8, 30, customers, warm_up, 1000 * servers)
      local distance = math.abs(wait.mean - wait.theory) / wait.error
      say("M/M/%d: mean wait %.4f +- %.4f, theory %.4f: %.2f standard errors", servers, wait.mean, wait.error,
        wait.theory, distance)
      assert.is_true(customers < 1000 or distance <= 3, ("%.2f standard errors"):format(distance))
    end)
  end
end)

describe("the stories of examples/simpy", function()
  local runs = { { "bank-renege", 3000 }, { "car-wash", 1000 }, { "machine-shop", 20 }, { "gas-station", 200 },
    { "process-communication", 200 } }

  local function peer(model, count)
    local pipe = assert(io.popen(("%s spec/queues/simpy_models.py 1 %s %d"):format(python, model, count)))
    local text = pipe:read "a"
    assert(pipe:close(), text)
    return comparison.read(text)[model]
  end

  for _, row in ipairs(runs) do
    local model, count = row[1], row[2]
    it("have the means of SimPy in the same run: " .. model, function()
      if not long then pending "make queues compares with SimPy" end
      if not os.execute(python .. " -c 'import simpy' 2>/dev/null") then pending "SimPy is not installed" end
      local ours, theirs = comparison.ours(model, count, 0), peer(model, count)
      for name, mean in pairs(ours) do
        local distance = comparison.distance(mean, theirs[name])
        say("%s, %s: %.5g +- %.2g, SimPy %.5g +- %.2g: %.2f standard errors", model, name, mean.mean, mean.error,
          theirs[name].mean, theirs[name].error, distance)
        assert.is_true(distance <= 3, ("%s: %.2f standard errors"):format(name, distance))
      end
    end)
  end
end)
