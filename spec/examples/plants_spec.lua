-- The examples of vehicles, servos and tanks.
local saltus = require "saltus"
local examples = require "spec.support.examples"

local run, scenario = examples.run, examples.scenario

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
