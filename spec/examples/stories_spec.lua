-- The examples with stories, against closed forms and twins.
local examples = require "spec.support.examples"
local formula = require "saltus.formula"
local theory = require "spec.queues.theory"

local run = examples.run
local stressed = os.getenv "SALTUS_GC" == "stress"

local function message_of(name, changes)
  local ok, message = pcall(examples.quietly, function() return examples.scenario(name):run(changes) end)
  return not ok and tostring(message) or nil
end

-- The formula holds over the whole run, steps and jumps included. The log must have no `every`.
local function holds(result, words)
  local found = formula.check(result, words)
  assert(found.holds, found.text)
end

describe("examples/18-docking", function()
  -- Uniform motion and uniform braking by turns.
  local function docking_time(brake)
    local range, speed, time = 120, 2, 0
    for _, gate in ipairs { { 50, 1 }, { 10, 0.3 }, { 2, 0.08 } } do
      local braking = (speed - gate[2]) / brake
      time = time + (range - gate[1]) / speed + braking
      range, speed = gate[1] - (speed + gate[2]) / 2 * braking, gate[2]
    end
    return time + range / speed
  end

  it("docks when the closed form says", function()
    for _, brake in ipairs { 0.08, 0.1, 0.2 } do
      local result = run("18-docking", { set = { brake = brake } })
      assert.equal("docked", result.status.message)
      assert.near(docking_time(brake), result.status.time, 1e-6, brake)
      assert.near(0, result.context.range, 1e-7)
      assert.near(-0.08, result.context.closing, 1e-7)
    end
  end)

  it("turns back with weak brakes, before the station", function()
    local result = run("18-docking", { set = { brake = 0.03 }, log = { "range", "closing" } })
    assert.equal("retreated", result.status.message)
    local speed2 = 2 ^ 2 - 2 * 0.03 * (50 - 15)
    holds(result, ("always range > %.9g"):format(15 - speed2 / (2 * 0.2) - 1e-6))
    local abort = (50 - 15) / ((2 + math.sqrt(speed2)) / 2) + (120 - 50) / 2
    assert.near(abort, result.log:times("abort")[1], 1e-6)
  end)
end)

describe("examples/19-production-cell", function()
  it("works for the share of time that the theory of queues says", function()
    if stressed then pending "means need many runs" end
    local shares, minutes = {}, 5000
    for seed = 1, 12 do
      local context = run("19-production-cell", { seed = seed, duration = minutes, log = {} }).context
      shares[seed] = (context.mill.worked + context.lathe.worked + context.press.worked) / (3 * minutes)
    end
    local mean, err = theory.mean_and_error(shares)
    assert.near(theory.share_working(3, 1 / 300, 1 / 30), mean, 3 * err)
  end)

  it("has one fitter, and a part is done when its work is done", function()
    local result = run("19-production-cell", { seed = 2, duration = stressed and 300 or 2000,
      log = { "mill.progress", "mill.task", "mill.state", "lathe.state", "press.state" } })
    for _, pair in ipairs { { "mill", "lathe" }, { "lathe", "press" }, { "press", "mill" } } do
      holds(result, ("never (%s.state == 'in_repair' and %s.state == 'in_repair')"):format(pair[1], pair[2]))
      if not stressed then holds(result, ("eventually %s.state == 'in_repair'"):format(pair[1])) end
    end
    holds(result, "always mill.progress < mill.task + 1e-6")
    local mill = result.context.mill
    assert.near(10, (mill.worked - mill.progress) / mill.parts, 3 * 2 / math.sqrt(mill.parts)) -- 3 standard errors
  end)
end)

describe("examples/20-packets", function()
  -- A packet is sent until it and its acknowledgement pass: a geometric number of times.
  it("needs the time that its losses cost, and as many attempts as theory says", function()
    local packets, loss = stressed and 100 or 2000, 0.2
    local result = run("20-packets", { set = { packets = packets }, duration = 1e6, log = {} })
    local context, passes = result.context, (1 - loss) ^ 2
    assert.equal("all packets are acknowledged", result.status.message)
    assert.equal(packets, context.acknowledged)
    assert.equal(packets, context.received)
    assert.near((context.sent - packets) * 0.1 + packets * 2 * 0.04, result.status.time, 1e-6)
    assert.near(packets / passes, context.sent, 3 * math.sqrt(packets * (1 - passes)) / passes)
  end)

  it("sends each packet once on a line without losses", function()
    local result = run("20-packets", { set = { loss = 0 } })
    assert.equal(20, result.context.sent)
    assert.near(20 * 0.08, result.status.time, 1e-9)
  end)
end)

describe("examples/21-lift", function()
  -- Up to the top speed and down again, or a shorter way without top speed.
  local function trip_time(way)
    local top, thrust = 1.5, 1
    if way >= top ^ 2 / thrust then return way / top + top / thrust end
    return 2 * math.sqrt(way / thrust)
  end

  it("travels as the closed form says, and serves everybody", function()
    local result = run("21-lift", { log = { "height", "target", "floor", "doors", "speed" } })
    holds(result, "always (height > -1e-6 and height < 12 + 1e-6)")
    holds(result, "always (doors == 'open' -> abs(speed) < 1e-12)")
    local log, trips, from = result.log, 0, nil
    for row = 2, #log do
      if log.target[row] ~= log.target[row - 1] then from = log.time[row] end
      if log.floor[row] ~= log.floor[row - 1] then
        local way = 3 * math.abs(log.floor[row] - log.floor[row - 1])
        assert.near(trip_time(way), log.time[row] - from, 1e-6)
        trips = trips + 1
      end
    end
    assert.is_true(trips >= 12)
    assert.equal("all passengers are where they wanted to go", result.status.message)
    assert.equal(12, result.context.served)
    assert.equal(0, result.context.waiting + result.context.aboard)
  end)

  it("lets them wait longer when they come more often", function()
    local function waited(interval)
      return run("21-lift", { set = { interval = interval }, duration = 3600 }).context.waited
    end
    assert.is_true(waited(5) > waited(60))
  end)
end)

describe("examples/22-boss-fight", function()
  -- The boss's health is piecewise linear: `strokes` are the times at which the rate and the health change.
  local function fall(strokes)
    local time, health, rate, phase, k = 0, 100, 3, 1, 1
    while true do
      local level = ({ 66, 33, 0 })[phase]
      local stroke = phase < 3 and strokes(k)
      local reaches = time + (health - level) / rate
      if not stroke or reaches < stroke.time then
        time, health = reaches, level
        if phase == 3 then return time, k - 1 end
        phase, rate = phase + 1, phase == 1 and rate / 2 or rate
      else
        if stroke.last then return stroke.time end
        health = health - rate * (stroke.time - time) + stroke.heals
        time, rate, k = stroke.time, rate + stroke.gain, k + 1
      end
    end
  end

  it("is won by a hero who parries each blow", function()
    local result = run("22-boss-fight", { set = { skill = 1 } })
    assert.equal("the boss falls", result.status.message)
    local time, parries = fall(function(k) return { time = 2.7 * k, heals = 0, gain = 0.5 } end)
    assert.near(time, result.status.time, 1e-6)
    assert.equal(100, result.context.hero)
    assert.equal(parries, result.context.parries)
  end)

  it("is lost by a hero who parries none", function()
    local result = run("22-boss-fight", { set = { skill = 0 } })
    assert.equal("the hero falls", result.status.message)
    local last = math.ceil(100 / 12)
    assert.near(last * 2.9, result.status.time, 1e-9)
    assert.equal(last, result.context.wounds)
    assert.equal(last * 2.9, (fall(function(k) return { time = 2.9 * k, heals = 4, gain = 0, last = k == last } end)))
  end)
end)

describe("examples/23-tank-alarm", function()
  it("rings when the law of Torricelli says, and ramps the inflow", function()
    local result = run("23-tank-alarm", { accuracy = 1e-9, log = { "level", "inflow", "power", "alarm" } })
    holds(result, "always (level < 1 -> alarm == 'ringing' within 0.251)")
    local log, low = result.log, 2 + (math.sqrt(1.96) - 1) / (0.1 / 2)
    assert.near(low, log:times("low")[1], 1e-7)
    assert.near(low + 0.25, log:times("ring")[1], 1e-7)
    assert.near((0.14 + 0.2) / 2, log:at(low + 0.25 + 2.5).inflow, 1e-3)
    assert.equal(0.2, result.context.inflow)
    assert.equal("the tank is filling again", result.status.message)
  end)

  it("fails with its line and time when the controller is late", function()
    local message = message_of("23-tank-alarm", { set = { reaction = 0.4 } })
    assert.truthy(message:find("23%-tank%-alarm%.lua:%d+:"), message)
    assert.truthy(message:find("ring", 1, true), message)
    assert.truthy(message:find("10.3", 1, true), message)
  end)
end)

describe("examples/24-level-crossing", function()
  it("lets the car wait as long as the train and the barrier need", function()
    for _, start in ipairs { -900, -700 } do
      local result = run("24-level-crossing", { set = { ["train.position"] = start } })
      assert.equal("the car waited for the train", result.status.message)
      local stops = (330 - 10 - 15 ^ 2 / 6) / 15 + 15 / 3
      local opens = (120 - start) / 30 + 90 / 15
      assert.near(opens - stops, result.context.stood.output, 1e-6)
      local pulls_up = 15 / 2
      assert.near(opens + pulls_up + (50 + 10 - 15 ^ 2 / 4) / 15, result.status.time, 1e-6)
    end
  end)

  it("lets an early car pass", function()
    local result = run("24-level-crossing", { set = { ["train.position"] = -3000 } })
    assert.equal("the car was there first", result.status.message)
    assert.near((330 + 50) / 15, result.status.time, 1e-6)
    assert.equal(0, result.context.stood.output)
  end)

  it("has no car on the rails while the train passes", function()
    for start = -1500, -460, stressed and 520 or 130 do
      local result = run("24-level-crossing", { set = { ["train.position"] = start },
        log = { "train.position", "train.length", "car.position", "barrier.angle" } })
      local passes = "train.position > 0 and train.position < train.length"
      holds(result, ("never (%s and abs(car.position) < 5)"):format(passes))
      holds(result, ("always (%s -> barrier.angle < 1e-6)"):format(passes))
    end
  end)
end)
