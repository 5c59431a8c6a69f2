-- Ten machines make parts for four weeks, and they break. One fitter repairs them. Repairs have rank 1 and the fitter's
-- other jobs have rank 2, so a repair takes the fitter away from a job. Nothing interrupts the story of the jobs from
-- outside: it waits until the job is done or the fitter is lost. Time is in minutes.
--
--   saltus run examples/simpy/machine-shop.lua --duration 480
--   saltus sweep examples/simpy/machine-shop.lua --runs 20
local saltus = require "saltus"

local MACHINES = 10

local shop = saltus.system {
  name     = "shop",
  discrete = { "parts", "jobs", "repairs", { "broken", 0, doc = "machines that are broken now" } },
  params   = { { "part", 10, unit = "min", doc = "mean time for a part" }, { "life", 300, unit = "min" },
    { "repair", 30, unit = "min" }, { "job", 30, unit = "min", doc = "the fitter's other jobs" } },
}

local function part_time(s, run)
  local minutes = 0.0
  while minutes <= 0 do minutes = s:normal(run.part, 2) end
  return minutes
end

-- A machine works until its part is done or its life ends, whichever is first.
local function machine(s, run, fitter)
  local life = s:exponential(run.life)
  while true do
    local left = part_time(s, run)
    while life < left do
      s:wait(life)
      left = left - life
      run.broken = run.broken + 1
      local hands = fitter:take { rank = 1, preempt = true }
      s:wait(run.repair)
      hands:release()
      run.broken, run.repairs = run.broken - 1, run.repairs + 1
      life = s:exponential(run.life)
    end
    s:wait(left)
    life, run.parts = life - left, run.parts + 1
  end
end

local function other_jobs(s, run, fitter)
  while true do
    local left = run.job
    repeat
      local hands = fitter:take { rank = 2 }
      local began = s.time
      local done = s:wait_any { hands:lost(), left } == 2
      left = left - (s.time - began)
      if done then hands:release() end
    until done
    run.jobs = run.jobs + 1
  end
end

return saltus.scenario { system = shop, duration = 4 * 7 * 24 * 60, seed = 1,
  story = function(s)
    local fitter = s:resource(1)
    for number = 1, MACHINES do s:spawn("machine " .. number, machine, fitter) end
    s:spawn("other jobs", other_jobs, fitter)
  end,
  measure = { "parts", "jobs" },
  log = { "parts", "jobs", "broken", every = 60 } }
