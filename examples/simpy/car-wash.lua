-- Two machines wash a car in 5 minutes. Four cars stand there in the morning, then one comes every 5 to 9 minutes, in
-- whole minutes. Time is in minutes.
--
--   saltus run examples/simpy/car-wash.lua --set interval=3 --plot wash.html
--   saltus sweep examples/simpy/car-wash.lua --runs 1000
local saltus = require "saltus"

local wash = saltus.system {
  name     = "wash",
  discrete = { "came", "washed", "queue", { "waited", 0, unit = "min", doc = "by all cars together" } },
  params   = { { "machines", 2 }, { "minutes", 5, unit = "min" },
    { "interval", 7, unit = "min", doc = "mean time between two cars" } },
}

local function car(s, run, machines)
  local came = s.time
  run.came, run.queue = run.came + 1, run.queue + 1
  local machine = machines:take()
  run.queue, run.waited = run.queue - 1, run.waited + s.time - came
  s:wait(run.minutes)
  machine:release()
  run.washed = run.washed + 1
end

return saltus.scenario { system = wash, duration = 100.5, seed = 1,
  story = function(s, run)
    local machines = s:resource(run.machines)
    for _ = 1, 4 do s:spawn("car", car, machines) end
    while true do
      s:wait(run.interval + s:integer(-2, 2))
      s:spawn("car", car, machines)
    end
  end,
  measure = { "washed", "waited" },
  log = { "came", "washed", "queue" } }
