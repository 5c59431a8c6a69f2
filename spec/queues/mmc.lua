-- M/M/c as stories: customers come at random to `servers` that share one line.
local saltus = require "saltus"
local theory = require "spec.queues.theory"

local mmc = {}

local queue = saltus.system { name = "queue", discrete = { "served" } }

local function customer(s, _, desk, service, wait)
  local came = s.time
  local seat = desk:take()
  wait.count = wait.count + 1
  if wait.count > wait.warm_up then wait.sum = wait.sum + s.time - came end
  s:wait(s:exponential(service))
  seat:release()
end

-- The mean wait of the customers after the first `warm_up` of them; services take 1 in the mean.
function mmc.mean_wait(servers, load, customers, warm_up, seed)
  local wait = { count = 0, sum = 0, warm_up = warm_up }
  saltus.scenario { system = queue, duration = 1e9, log = false,
    story = function(s)
      local desk = s:resource(servers)
      for _ = 1, customers do
        s:wait(s:exponential(1 / (load * servers)))
        s:spawn("customer", customer, desk, 1, wait)
      end
    end }:run { seed = seed }
  assert(wait.count == customers)
  return wait.sum / (customers - warm_up)
end

-- The mean of `runs` independent runs, its standard error, and the theory.
function mmc.compare(servers, load, runs, customers, warm_up, seed)
  local means = {}
  for i = 1, runs do means[i] = mmc.mean_wait(servers, load, customers, warm_up, seed + i) end
  local mean, err = theory.mean_and_error(means)
  return { mean = mean, error = err, theory = theory.mean_wait(load * servers, 1, servers) }
end

return mmc
