-- The examples with delays.
local json = require "dkjson"
local examples = require "spec.support.examples"

local run = examples.run

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
