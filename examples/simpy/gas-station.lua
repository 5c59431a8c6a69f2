-- Two pumps share a tank of 200 l, and a car takes 25 to 45 l. Every 10 s an attendant looks at the tank, and calls a
-- truck when less than 50 l are left. The truck comes after 300 s and fills the tank. Cars whose fuel is not there wait
-- at the pump. Time is in seconds.
--
--   saltus run examples/simpy/gas-station.lua --duration 3000 --plot station.html
--   saltus sweep examples/simpy/gas-station.lua --runs 200
local saltus = require "saltus"

local station = saltus.system {
  name     = "station",
  discrete = { { "fuel", 200, unit = "l" }, "came", "refuelled", "trucks", { "sold", 0, unit = "l" },
    { "delivered", 0, unit = "l" }, { "stayed", 0, unit = "s", doc = "by all cars together" } },
  params   = { { "pumps", 2 }, { "capacity", 200, unit = "l" }, { "low", 50, unit = "l" },
    { "speed", 2, unit = "l/s" }, { "truck_time", 300, unit = "s" } },
  outputs  = { stay = function(ctx) return ctx.refuelled > 0 and ctx.stayed / ctx.refuelled or 0 end },
}

local function car(s, run, pumps, tank)
  local came, litres = s.time, s:uniform(25, 45)
  run.came = run.came + 1
  local pump = pumps:take()
  tank:get(litres)
  run.fuel, run.sold = tank.level, run.sold + litres
  s:wait(litres / run.speed)
  pump:release()
  run.refuelled, run.stayed = run.refuelled + 1, run.stayed + s.time - came
end

local function attendant(s, run, tank)
  while true do
    if tank.level < run.low then
      run.trucks = run.trucks + 1
      s:wait(run.truck_time)
      local litres = run.capacity - tank.level
      tank:put(litres)
      run.fuel, run.delivered = tank.level, run.delivered + litres
    end
    s:wait(10)
  end
end

return saltus.scenario { system = station, duration = 20000, seed = 1,
  story = function(s, run)
    local pumps = s:resource(run.pumps)
    local tank = s:tank { capacity = run.capacity, level = run.capacity }
    s:spawn("attendant", attendant, tank)
    while true do
      s:wait(s:uniform(30, 300))
      s:spawn("car", car, pumps, tank)
    end
  end,
  measure = { "refuelled", "trucks", "stay" },
  log = { "fuel", "trucks" } }
