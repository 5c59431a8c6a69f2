-- Closed forms of queues, and means of independent runs with their standard errors.
local queue_theory = {}

-- Mean time in the queue of M/M/c, without the service, by Erlang's second formula. The load is arrivals / (servers *
-- services).
function queue_theory.mean_wait(arrivals, services, servers)
  local offered, sum, term = arrivals / services, 0, 1 -- term = offered^j / j!
  for j = 0, servers - 1 do sum, term = sum + term, term * offered / (j + 1) end
  local all_busy = term / (1 - offered / servers)
  return all_busy / (sum + all_busy) / (servers * services - arrivals)
end

-- The share of time that a machine works, of `machines` that fail at the rate `fails` and that one fitter repairs at
-- the rate `repairs`: M/M/1 with a finite number of customers.
function queue_theory.share_working(machines, fails, repairs)
  local weight, sum, working = 1, 0, 0
  for broken = 0, machines do
    sum, working = sum + weight, working + weight * (machines - broken)
    weight = weight * (machines - broken) * fails / repairs
  end
  return working / sum / machines
end

-- Mean of independent values, and the standard error of the mean.
function queue_theory.mean_and_error(values)
  local n, mean, squares = #values, 0, 0
  for _, value in ipairs(values) do mean = mean + value / n end
  for _, value in ipairs(values) do squares = squares + (value - mean) ^ 2 end
  return mean, math.sqrt(squares / (n - 1) / n)
end

-- When a first come, first served queue starts each service: Kiefer and Wolfowitz's recursion. `arrivals` are in
-- order.
function queue_theory.start_times(arrivals, services, servers)
  local free, starts = {}, {}
  for i = 1, servers do free[i] = 0 end
  for i, arrival in ipairs(arrivals) do
    table.sort(free)
    starts[i] = math.max(arrival, free[1])
    free[1] = starts[i] + services[i]
  end
  return starts
end

return queue_theory
