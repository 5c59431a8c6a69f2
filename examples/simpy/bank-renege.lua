-- Five customers come to a bank with one counter, some 10 minutes apart, and the service takes some 12 minutes. Nobody
-- waits for more than 1 to 3 minutes: who is not served by then leaves. A request that a wait gives up is withdrawn by
-- itself. Time is in minutes.
--
--   saltus run examples/simpy/bank-renege.lua --seed 5
--   saltus sweep examples/simpy/bank-renege.lua --runs 1000
local saltus = require "saltus"

local bank = saltus.system {
  name     = "bank",
  discrete = { "came", "served", "left", { "waited", 0, unit = "min", doc = "by all customers together" } },
  params   = { { "customers", 5 }, { "interval", 10, unit = "min" }, { "service", 12, unit = "min" },
    { "patience", { 1, 3 }, unit = "min", doc = "the least and the most" } },
}

local function customer(s, run, counter)
  local came = s.time
  local turn = counter:request()
  local patience = s:uniform(run.patience[1], run.patience[2])
  local served = s:wait_any { turn, patience } == 1
  run.waited = run.waited + s.time - came
  if not served then
    run.left = run.left + 1
    return
  end
  s:wait(s:exponential(run.service))
  turn:release()
  run.served = run.served + 1
end

return saltus.scenario { system = bank, duration = 1000, seed = 1,
  story = function(s, run)
    local counter = s:resource(1)
    for number = 1, run.customers do
      run.came = number
      s:spawn("customer " .. number, customer, counter)
      s:wait(s:exponential(run.interval))
    end
  end,
  measure = { "served", "waited" },
  log = { "came", "served", "left", "waited" } }
