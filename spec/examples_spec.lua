-- Every page of examples/ runs, and says what it should: printed lines, closed forms, recorded footfalls.
local json = require "dkjson"
local saltus = require "saltus"

local build = os.getenv "SALTUS_BUILD" or "build"

local function output_of(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "a"
  return text, pipe:close()
end

local function scenario(name) return dofile("examples/" .. name .. ".lua") end

-- Runs without printing; returns the result and what was printed.
local function run(name, changes)
  local said, print_before = {}, print
  _G.print = function(...) said[#said + 1] = table.concat({ ... }, "\t") end
  local ok, result = pcall(function() return scenario(name):run(changes or {}) end)
  _G.print = print_before
  assert(ok, result)
  return result, said
end

describe("examples/01-difference-equation", function()
  local lines = "0: 0 (0)\n1: 10 (0.02)\n2: 20 (0.04)\n3: 30 (0.06)\n"

  it("prints its four lines from the command", function()
    local text, ok = output_of(build .. "/bin/saltus run -q examples/01-difference-equation.lua")
    assert.equal(lines, text)
    assert.is_true(ok)
  end)

  it("prints them first under plain Lua", function()
    local lua = os.getenv "LUA" or "lua5.4"
    local env = ('LUA_PATH="./lua/?.lua;./lua/?/init.lua;;" LUA_CPATH="./%s/lua/?.so;;"'):format(build)
    local text, ok = output_of(env .. " " .. lua .. " examples/01-difference-equation.lua")
    assert.equal(lines, text:sub(1, #lines))
    assert.is_true(ok)
  end)

  it("logs y as it was before each update", function()
    local log = run("01-difference-equation").log
    assert.same({ 0, 10, 20, 30 }, { table.unpack(log.y, 1, #log.y) })
    for k = 0, 3 do assert.equal(k / 50, log.time[k + 1]) end
  end)
end)

describe("examples/02-bouncing-ball", function()
  local first, e = math.sqrt(2 / 9.81), 0.8
  local limit = first * (1 + 2 * e / (1 - e))
  local function touch_time(n) return first * (1 + 2 * e * (1 - e ^ (n - 1)) / (1 - e)) end

  for _, changes in ipairs { {}, { integrator = "runge_kutta3", accuracy = 1e-4 } } do
    describe(changes.integrator or "by default", function()
      it("touches at the closed form's times", function()
        local times = run("02-bouncing-ball", changes).log:times "touch"
        assert.is_true(#times >= 20)
        for n = 1, 20 do assert.near(touch_time(n), times[n], 1e-9) end
        local last, gap = times[#times], times[#times] - times[#times - 1]
        assert.near(limit, last + gap * e / (1 - e), 1e-6)
      end)

      it("comes to rest and stays above the floor", function()
        local result = run("02-bouncing-ball", changes)
        assert.equal("resting", result.context.mode)
        assert.equal(0, result.context.height)
        local window = 0.01 * (changes.accuracy or 1e-6)
        for _, height in ipairs(result.log.height) do assert.is_true(height >= -window * math.sqrt(2 * 9.81)) end
      end)
    end)
  end

  it("stays where it lands when a touch keeps no speed", function()
    local result = run("02-bouncing-ball", { set = { restitution = 0 } })
    assert.same({ "resting", 0, 0 }, { result.context.mode, result.context.height, result.context.speed })
    assert.equal(1, #result.log:times "touch")
    for _, restitution in ipairs { 1e-12, 1e-3 } do
      result = run("02-bouncing-ball", { set = { restitution = restitution } })
      assert.same({ "resting", 0 }, { result.context.mode, result.context.height })
    end
  end)

  it("takes another restitution from outside", function()
    local times = run("02-bouncing-ball", { set = { restitution = 0.5 } }).log:times "touch"
    assert.near(first * 2, times[2], 1e-9)
  end)
end)

describe("examples/03-thermostat", function()
  it("switches at the exponentials' times", function()
    local warm = run("03-thermostat").log:times "warm"
    local first = 2 * math.log((35 - 16) / (35 - 21))
    local cycle = 2 * math.log((21 - 5) / (19 - 5)) + 2 * math.log((35 - 19) / (35 - 21))
    assert.equal(11, #warm)
    for k = 1, #warm do assert.near(first + (k - 1) * cycle, warm[k], 1e-5) end
  end)
end)

describe("examples/04-van-der-pol", function()
  it("settles on the cycle of the known period", function()
    local result, said = run "04-van-der-pol"
    local up = result.log:times "up"
    assert.equal(6, #up)
    assert.equal(#up, #said)
    assert.near(6.66328685932313, up[6] - up[5], 2e-6)
  end)
end)

describe("examples/05-lorenz", function()
  it("is where two long-double solvers agree to be, at t = 10", function()
    local context = run("05-lorenz").context
    assert.near(-4.9026875411346458873, context.x, 1e-5)
    assert.near(-3.7438729218029190092, context.y, 1e-5)
    assert.near(24.690858102790556745, context.z, 1e-5)
  end)
end)

describe("examples/08-pendulum-constrained", function()
  -- Gauss: the period is 2 pi sqrt(l / g) / M(1, cos(angle / 2)), M the arithmetic-geometric mean.
  local function period(angle)
    local a, b = 1, math.cos(angle / 2)
    for _ = 1, 8 do a, b = (a + b) / 2, math.sqrt(a * b) end
    return 2 * math.pi * math.sqrt(1 / 9.81) / a
  end

  it("swings with the period of Gauss' formula, on its rod", function()
    local result, said = run "08-pendulum-constrained"
    local low = result.log:times "lowest"
    assert.equal(#low, #said)
    for i = 2, #low do assert.near(period(1.5), low[i] - low[i - 1], 1e-6) end
    for i = 1, #result.log.time do
      assert.near(0, result.log.stretch[i], 1e-12)
      assert.near(result.log.energy[1], result.log.energy[i], 1e-5)
    end
  end)
end)

describe("the walkers, against the traces recorded from Drake", function()
  local file = assert(io.open "spec/data/drake/D09-walkers.json")
  local cases = json.decode(file:read "a").cases
  file:close()

  -- An impact is where the discrete state changes; the step before it ended there.
  local function impacts(case)
    local times = {}
    for i = 2, #case.steps do
      local a, b = case.steps[i - 1], case.steps[i]
      if a.xd[1] ~= b.xd[1] or a.xa ~= b.xa then times[#times + 1] = a.t end
    end
    return times
  end

  -- With the case's own settings; times agree within the window and ten times the accuracy of either scheme.
  local function replay(name, case, set, events)
    local settings = case.settings
    local result = run(name, { set = set, duration = case.advance_to, integrator = settings.integrator.scheme,
      max_step = settings.integrator.max_step_size, accuracy = settings.integrator.target_accuracy,
      context_accuracy = settings.context_accuracy, error_weights = "absolute" })
    local tolerance = 0.01 * settings.context_accuracy + 10 * settings.integrator.target_accuracy + 1e-9
    local wanted, fired = impacts(case), {}
    for _, event in ipairs(result.log.events) do
      if events[event.name] then fired[#fired + 1] = event.time end
    end
    assert.equal(case.counters.unrestricted_updates, #fired)
    assert.equal(#wanted, #fired)
    for i, t in ipairs(wanted) do assert.near(t, fired[i], tolerance) end
    return result.context, case.steps[#case.steps], tolerance
  end

  local rolls = { forward = true, backward = true }

  it("06-rimless-wheel rolls as Drake's", function()
    local context, last, tolerance = replay("06-rimless-wheel", cases[1], nil, rolls)
    assert.near(last.xc[1], context.angle, tolerance)
    assert.near(last.xc[2], context.rate, 5 * tolerance)
    assert.near(last.xd[1], context.toe, 1e-12)
    assert.equal("single", context.support)
  end)

  it("06-rimless-wheel rocks to rest on the level as Drake's", function()
    local context, last, tolerance = replay("06-rimless-wheel", cases[2], { slope = 0, rate = 1.5 }, rolls)
    assert.near(last.xc[1], context.angle, tolerance)
    assert.equal(0, context.rate)
    assert.near(last.xd[1], context.toe, 1e-12)
    assert.equal("double", context.support)
  end)

  it("07-compass-gait walks as Drake's", function()
    local context, last, tolerance = replay("07-compass-gait", cases[3], nil, { footfall = true })
    for i, name in ipairs { "stance", "swing", "stance_rate", "swing_rate" } do
      assert.near(last.xc[i], context[name], 10 * tolerance)
    end
    assert.near(last.xd[1], context.toe, 10 * tolerance)
    assert.equal("left", context.stance_leg)
  end)
end)

describe("examples/09-cart-pole", function()
  local COUNT = 2 * math.pi / 4096

  it("holds the pole, and comes back after the push", function()
    local result = run("09-cart-pole", { log = { "plant.angle", "angle_encoder.output", every = 0.1 } })
    assert.near(0, result.context.plant.angle, 2 * COUNT)
    assert.near(0, result.context.plant.position, 0.005)
    assert.is_true(math.abs(result.log:at(2.1)["plant.angle"]) > 0.03)
    for _, angle in ipairs(result.log["angle_encoder.output"]) do
      assert.near(math.floor(angle / COUNT + 0.5), angle / COUNT, 1e-9)
    end
    assert.equal(8000, #result.log:times "balance.sample")
  end)

  -- A twin without any of our machinery: the classical method in ten steps a sample, the same sampled law.
  it("matches a loop written by hand", function()
    local x, force = { 0, 0.1, 0, 0 }, 0
    local function rate(y)
      local s, c = math.sin(y[2]), math.cos(y[2])
      local a = (force + 0.1 * s * (0.5 * y[4] ^ 2 - 9.81 * c)) / (1 + 0.1 * s * s)
      return { y[3], y[4], a, (9.81 * s - a * c) / 0.5 }
    end
    local function beside(y, k, h)
      local out = {}
      for i = 1, 4 do out[i] = y[i] + h * k[i] end
      return out
    end
    local function step(h)
      local k1 = rate(x)
      local k2 = rate(beside(x, k1, h / 2))
      local k3 = rate(beside(x, k2, h / 2))
      local k4 = rate(beside(x, k3, h))
      for i = 1, 4 do x[i] = x[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) end
    end
    local function pid(kp, ki, kd, filter)
      local integral, last, slope = 0, nil, 0
      return function(measured)
        local e = -measured
        slope = (filter * slope + e - (last or e)) / (filter + 0.001)
        local u = kp * e + integral + kd * slope
        integral, last = integral + 0.001 * ki * e, e
        return u
      end
    end
    local balance, centre = pid(-60, -20, -9, 0.01), pid(-3, 0, -5, 0.05)
    for _ = 1, 300 do
      force = balance(COUNT * math.floor(x[2] / COUNT + 0.5)) + centre(1e-4 * math.floor(x[1] / 1e-4 + 0.5))
      force = math.max(-20, math.min(20, force))
      for _ = 1, 10 do step(0.0001) end
    end
    local plant = run("09-cart-pole", { duration = 0.3, accuracy = 1e-9 }).context.plant
    for i, name in ipairs { "position", "angle", "speed", "rate" } do assert.near(x[i], plant[name], 1e-7) end
  end)
end)

describe("examples/10-cruise-control", function()
  it("rests until it is driven, holds its speed, and follows the road", function()
    local result = run("10-cruise-control", { log = { "car.position", "car.speed" } }) -- every step
    assert.equal(0, result.log:at(1)["car.position"])
    assert.near(25, result.context.car.speed, 0.05)
    for _, speed in ipairs(result.log["car.speed"]) do assert.is_true(speed < 25.5) end
    local points = { 400, 450, 700, 760, 950, 1000 }
    local bends = result.log:times "slope.up"
    assert.equal(#points, #bends)
    for i, t in ipairs(bends) do assert.near(points[i], result.log:at(t)["car.position"], 1e-6) end
  end)

  it("holds the balance of forces on the level", function()
    local context = run("10-cruise-control", { duration = 200 }).context
    assert.near(150 + 0.45 * 25 ^ 2, context.control.output, 1e-2)
  end)

  it("stays where it is on a slope that friction holds", function()
    local set = { ["car.position"] = 403, ["target.after"] = 0 }
    local context = run("10-cruise-control", { duration = 10, set = set }).context
    assert.equal(403, context.car.position)
    assert.equal(0, context.car.speed)
  end)
end)

describe("examples/12-two-tanks", function()
  it("switches at its levels, and loses no water", function()
    local result = run("12-two-tanks", { accuracy = 1e-8, log = { "tanks.lower" } })
    local context, switches = result.context, result.log:times "pump.switches"
    assert.equal("reached_boundary_time", result.status.reason)
    assert.is_true(#switches > 8)
    for i, t in ipairs(switches) do
      assert.near(i % 2 == 1 and 0.55 or 0.45, result.log:at(t)["tanks.lower"], 1e-6)
    end
    assert.near(context.pumped.output - context.drained.output,
      0.1 * (context.tanks.upper + context.tanks.lower - 1), 1e-7)
  end)

  it("empties the upper tank as Torricelli says while the pump rests", function()
    local log = run("12-two-tanks", { accuracy = 1e-9, log = { "tanks.upper" } }).log
    local off, on = table.unpack(log:times "pump.switches", 1, 2)
    local fall = 6e-4 * math.sqrt(2 * 9.81) / (2 * 0.1) * (on - off)
    assert.near(math.sqrt(log:at(off)["tanks.upper"]) - fall, math.sqrt(log:at(on)["tanks.upper"]), 1e-7)
  end)

  it("fails when a tank runs dry", function()
    local result = run("12-two-tanks", { set = { ["pump.off"] = 0, ["pump.on"] = 0 } })
    assert.equal("reached_termination", result.status.reason)
    assert.equal("a tank ran dry", result.status.message)
  end)
end)

describe("examples/13-quadrotor", function()
  it("flies to its waypoints and hovers there", function()
    local result = run("13-quadrotor", { duration = 20 })
    for _, goal in ipairs { { 4, 0, 2 }, { 8, 3, 2 }, { 12, 3, 0.5 } } do
      local there = result.log:at(goal[1])
      assert.near(goal[2], there["frame.x"], 0.06)
      assert.near(goal[3], there["frame.y"], 0.06)
    end
    local context = result.context
    assert.near(0, context.frame.x, 1e-3)
    assert.near(0.5, context.frame.y, 1e-3)
    assert.near(0.5 * 9.81, context.rotors.output[1] + context.rotors.output[2], 1e-2)
    for _, lean in ipairs(result.log["frame.lean"]) do assert.is_true(math.abs(lean) < 0.6) end
  end)

  it("falls freely without thrust", function()
    local context = run("13-quadrotor", { duration = 1, set = { ["limits.upper"] = 0 } }).context
    assert.near(-9.81 / 2, context.frame.y, 1e-9)
    assert.equal(0, context.frame.x)
  end)
end)

describe("examples/14-delayed-thermostat", function()
  -- spec/data/dde/thermostat_dead_time.json is this room, solved in exponentials and logarithms.
  local recorded = json.decode(assert(io.open "spec/data/dde/thermostat_dead_time.json"):read "a").reference

  it("switches, with an effect 1.5 min later, at the recorded times and temperatures", function()
    local log = run("14-delayed-thermostat", { accuracy = 1e-8, log = { "temperature", "heat" } }).log
    local relay = { ["relay to 0"] = log:times "warm", ["relay to 1"] = log:times "cold" }
    local seen = { ["relay to 0"] = 0, ["relay to 1"] = 0 }
    for _, event in ipairs(recorded.events) do
      if seen[event.event] then
        seen[event.event] = seen[event.event] + 1
        assert.near(event.t, relay[event.event][seen[event.event]], 1e-7)
      else
        assert.near(event.T, log:at(event.t).temperature, 1e-6) -- the turn of the temperature
      end
    end
    assert.equal(4, seen["relay to 0"])
  end)

  it("overshoots more with more dead time", function()
    local function highest(dead_time)
      local log = run("14-delayed-thermostat", { set = { dead_time = dead_time } }).log
      return math.max(table.unpack(log.temperature, 1, #log.temperature))
    end
    assert.is_true(highest(0) < 21.01)
    assert.is_true(highest(5) > highest(1.5) + 1)
  end)
end)

describe("examples/15-networked-control", function()
  local recorded = json.decode(assert(io.open "spec/data/dde/sampled_dead_time.json"):read "a").reference

  it("matches the recorded loop where all packets have the same delay", function()
    local log = run("15-networked-control", { duration = 8, accuracy = 1e-9, set = { jitter = 0 },
      log = { "angle", "rate", every = 0.125 } }).log
    for i, t in ipairs(recorded.t) do
      assert.near(recorded.y[i][1], log:at(t).angle, 1e-7)
      assert.near(recorded.y[i][2], log:at(t).rate, 1e-7)
    end
  end)

  it("applies the commands, never the older of two, and settles", function()
    local result = run("15-networked-control", { log = { "command", "applied", "newest" } })
    local log, sent = result.log, { [0.0] = true }
    local newest = -math.huge
    for i = 1, #log.time do
      sent[log.command[i]] = true
      assert.is_true(sent[log.applied[i]], "never sent")
      assert.is_true(log.newest[i] >= newest)
      newest = log.newest[i]
      assert.is_true(newest <= log.time[i] - 0.25 + 1e-12)
    end
    assert.is_true(#log:times "arrive" > 100)
    assert.near(0, result.context.angle, 0.02)
  end)

  it("depends on the seed, and repeats to the bit from a save with packets in the network", function()
    local function hash(seed) return run("15-networked-control", { seed = seed }).sim:hash() end
    assert.equal(hash(5), hash(5))
    assert.not_equal(hash(5), hash(6))
    local sim = run("15-networked-control", { duration = 3.33 }).sim
    local saved = sim:save()
    sim:advance_to(12)
    local first = sim:hash()
    sim:load(saved)
    assert.is_true(#sim.context.air >= 2)
    sim:advance_to(12)
    assert.equal(first, sim:hash())
  end)
end)

describe("examples/16-gestation", function()
  local function swing(gestation)
    local result = run("16-gestation", { duration = 400, set = { gestation = gestation } })
    local prey = result.log.prey
    local low, high = math.huge, -math.huge
    for i = #prey // 2, #prey do low, high = math.min(low, prey[i]), math.max(high, prey[i]) end
    return low, high, result.context
  end

  it("settles where births and deaths balance, without gestation and with a long one", function()
    for _, gestation in ipairs { 0, 3 } do
      local _, _, context = swing(gestation)
      local prey = 0.5 * math.exp(0.5 * gestation) / 6
      assert.near(prey, context.prey, 1e-3)
      assert.near((1 - prey) / 6, context.predators, 1e-3)
    end
  end)

  it("oscillates for ever in between, and no population dies out", function()
    local low, high, context = swing(1)
    assert.is_true(low > 0 and low < 0.02 and high > 0.6 and high < 1)
    assert.is_true(context.predators > 0)
  end)
end)

describe("examples/hosts", function()
  it("robot_loop brings the arm to its target", function()
    local text, ok = output_of(build .. "/examples/robot_loop")
    assert.is_true(ok)
    assert.matches("^0.0 s  angle 0.0000\n", text)
    assert.near(1.2, tonumber(text:match "2.0 s  angle (%S+)\n$"), 1e-3)
  end)

  it("game_loop draws sixty frames a second until the ball rests", function()
    local text, ok = output_of(build .. "/examples/game_loop")
    assert.is_true(ok)
    assert.equal("at rest", text:match "\n(at rest) after %d+ touches\n$")
    local half_way = tonumber(text:match "\n 24 |( *)o\n" and #text:match "\n 24 |( *)o\n")
    assert.equal(math.floor(60 * (1 - 9.81 * 0.4 ^ 2 / 2)), half_way)
  end)

  it("lag_compensation rewinds the target to what the shooter saw", function()
    local text, ok = output_of(build .. "/examples/lag_compensation")
    assert.is_true(ok)
    local shots = 0
    for latency, moved, off in text:gmatch "a shot of (%d+) ms ago: the target was (%S+) m .- within (%S+) m" do
      assert.near(20 * math.sin(math.pi / 4 * latency / 1000), tonumber(moved), 0.006) -- a chord of the circle
      assert.near(0, tonumber(off), 1e-3)
      shots = shots + 1
    end
    assert.equal(2, shots)
    assert.matches("a shot of 1500 ms ago: too late", text)
    assert.matches("before the teleport: %(%-10.00, 0.02%)\nat the teleport: %(0.00, 0.00%); %d+ points", text)
  end)

  it("have a page for every file", function()
    local pipe = io.popen "ls examples/*.lua examples/hosts/*.c"
    local spec = assert(io.open "spec/examples_spec.lua"):read "a"
    for path in pipe:lines() do
      local name = path:match "([^/]+)%.%w+$"
      assert.is_truthy(spec:find(name, 1, true), path .. " has no spec")
    end
    pipe:close()
  end)
end)

describe("examples/11-nested-diagram", function()
  -- The same servo written as one system, equation by equation.
  local function clip(v) return math.max(-24, math.min(24, v)) end
  local flat = saltus.system {
    name = "flat", q = { "angle" }, v = { "speed" }, z = { "current", "integral" },
    discrete = { "wanted", "target", "load" },
    derivatives = function(ctx, dot)
      local e = ctx.target - ctx.speed
      local asked = 0.3 * e + ctx.integral
      local voltage = clip(asked)
      dot.integral = 6 * e + (voltage - asked) / (0.3 / 6)
      dot.current = (voltage - 1.2 * ctx.current - 0.05 * ctx.speed) / 0.002
      dot.angle = ctx.speed
      dot.speed = (0.05 * ctx.current - ctx.load - 0.0002 * ctx.speed) / 0.0001
    end,
    events = {
      { every = 0.01, discrete_update = function(ctx, next) next.target = 12 * (ctx.wanted - ctx.angle) end },
      { every = 100, offset = 0.1, discrete_update = function(_, next) next.wanted = math.pi / 2 end },
      { every = 100, offset = 1, discrete_update = function(_, next) next.load = 0.05 end },
    },
  }

  it("moves as the same equations in one system", function()
    local log = run("11-nested-diagram", { accuracy = 1e-9 }).log
    local twin = saltus.simulator(flat, { accuracy = 1e-9 })
    for _, t in ipairs { 0.1, 0.15, 0.2, 0.3, 0.6, 1, 1.05, 1.2, 1.6 } do
      twin:advance_to(t)
      local row = math.floor(t / 0.002 + 1.5)
      assert.near(t, log.time[row], 1e-12)
      assert.near(twin.context.angle, log["speed_servo.angle"][row], 1e-6, t)
      assert.near(twin.context.speed, log["speed_servo.motor.speed"][row], 1e-4, t)
    end
  end)

  it("holds the load with the current that balances it, 1 A, in the end", function()
    local log = run("11-nested-diagram", { duration = 4 }).log
    assert.near(math.pi / 2, log["speed_servo.angle"][#log.time], 1e-6)
    assert.near(1, log["speed_servo.motor.winding.current"][#log.time], 1e-4)
    assert.near(1.2, log["speed_servo.drive.output"][#log.time], 1e-4)
  end)

  it("takes changes by path, and has no warnings", function()
    local heavy = run("11-nested-diagram", { set = { ["speed_servo.motor.rotor.inertia"] = 0.001 }, duration = 0.2 })
    local light = run("11-nested-diagram", { duration = 0.2 })
    local row = #light.log.time
    assert.is_true(heavy.log["speed_servo.angle"][row] < light.log["speed_servo.angle"][row])
    assert.same({}, require("saltus.cli.lint").of(scenario("11-nested-diagram").model))
  end)
end)

describe("examples/17-hot-water-pipe", function()
  local result = run("17-hot-water-pipe")
  local boiler, pipe = result.log["boiler.output"], result.log["pipe.output"]

  -- Rows are minutes. By day the water takes 200 / 40 min, by night 200 / 10.
  local function compare(first, last, way)
    for t = first, last do assert.near(boiler[t - way + 1], pipe[t + 1], 1e-4, "minute " .. t) end
  end

  it("has the delay of the pipe", function()
    compare(20, 60, 20)
    compare(65, 180, 5)
    compare(200, 300, 20)
    compare(305, 420, 5)
  end)

  it("moves as much water as the speed gives", function()
    local function moved(t) return 10 * t + 30 * (t // 240 * 120 + math.max(0, math.min(120, t % 240 - 60))) end
    for t = 0, 720 do assert.near(moved(t), result.log["pipe.moved"][t + 1], 1e-8) end
  end)

  it("has the hottest water, and the water at the start of each day", function()
    local hottest = math.max(table.unpack(pipe))
    assert.is_true(result.context.hottest.output >= hottest - 1e-6)
    assert.near(hottest, result.context.hottest.output, 1e-3)
    assert.equal(540, result.context.as_day_began.sampled_at)
    assert.near(pipe[541], result.context.as_day_began.output, 1e-6)
  end)

  it("is stable, and unstable with a faster controller", function()
    local function last_swing(set)
      local log = run("17-hot-water-pipe", { set = set }).log["pipe.output"]
      return math.abs(log[541] - 50)
    end
    assert.is_true(last_swing {} < 1)
    assert.is_true(last_swing { ["controller.ki"] = 0.2 } > 3)
  end)
end)

describe("every example", function()
  local names = {}
  for path in output_of("ls examples/*.lua"):gmatch "examples/(%S+)%.lua" do names[#names + 1] = path end

  -- While a hook is set no closure runs as a program (saltus.closure.compiler).
  local function hash(name, in_lua)
    local def = scenario(name)
    local sim = saltus.simulator(def.system, def.options)
    if in_lua then debug.sethook(function() end, "", 1 << 30) end
    local ok, message = pcall(sim.advance_to, sim, def.duration or 1)
    debug.sethook()
    assert(ok, message)
    return sim:hash()
  end

  for _, name in ipairs(names) do
    it("has the same bits in Lua and as programs: " .. name, function()
      local print_before = print
      _G.print = function() end
      local ok, plain, quick = pcall(function() return hash(name, true), hash(name, false) end)
      _G.print = print_before
      assert(ok, plain)
      assert.equal(plain, quick)
    end)
  end
end)
