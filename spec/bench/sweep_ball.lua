-- sweep_ball.lua SECONDS RUNS [before]: microseconds of processor time for a run of the bouncing ball with its own
-- restitution, whose height and speed at the end are written to a CSV file. `before`: by scenario:run, for versions
-- without saltus.sweep.
local saltus = require "saltus"

local seconds, runs = tonumber(arg[1]), tonumber(arg[2])
local s = dofile "examples/02-bouncing-ball.lua"
local path = os.tmpname()

local function restitution(k) return 0.75 + 0.2 * (k - 0.5) / runs end

local function before()
  local file = assert(io.open(path, "w"))
  file:write "run,seed,restitution,height,speed,status,error\n"
  for k = 1, runs do
    local result = s:run { set = { restitution = restitution(k) }, duration = seconds, seed = k }
    file:write(("%d,%d,%.17g,%.17g,%.17g,%s,\n"):format(k, k, restitution(k), result.context.height,
      result.context.speed, result.status.reason))
  end
  file:close()
end

local function sweep()
  saltus.sweep { scenario = s, params = { restitution = { uniform = { 0.75, 0.95 } } }, runs = runs, duration = seconds,
    csv = path,
    measure = function(result) return { height = result.context.height, speed = result.context.speed } end }
end

local run = arg[3] == "before" and before or sweep
local best = math.huge
for _ = 1, 3 do
  local began = os.clock()
  run()
  best = math.min(best, (os.clock() - began) / runs * 1e6)
end
os.remove(path)
print("us", best)
