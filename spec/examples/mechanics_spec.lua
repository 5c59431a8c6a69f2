-- The mechanical examples, against closed forms, recorded footfalls and a loop written by hand.
local json = require "dkjson"
local examples = require "spec.support.examples"

local run = examples.run

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
