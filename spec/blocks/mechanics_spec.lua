-- Bodies, springs, dampers, friction.
local saltus = require "saltus"
local bench = require "spec.support.bench"
local blocks = saltus.blocks
local fed, time, fails = bench.fed, bench.time, bench.fails

describe("mechanics", function()
  local function spring_and_mass(options)
    local d = saltus.diagram "d"
    d:add(blocks.mass(options), "mass")
    d:add(blocks.spring { stiffness = 8 }, "spring")
    d:connect("mass.position", "spring.input1")
    d:connect("spring.output1", "mass")
    return saltus.simulator(d, { accuracy = 1e-9 })
  end

  it("mass and spring match the closed form", function()
    local sim = spring_and_mass { mass = 2, position = 0.5 }
    sim:advance_to(3)
    assert.near(0.5 * math.cos(6), sim.context.mass.position, 1e-6)
    assert.near(-math.sin(6), sim.context.mass.speed, 1e-6)
  end)

  it("spring and damper between two masses conserve momentum", function()
    local d = saltus.diagram "d"
    d:add(blocks.inertia { inertia = 1, rate = 3 }, "a")
    d:add(blocks.inertia { inertia = 2, angle = 1 }, "b")
    d:add(blocks.rotational_spring { stiffness = 5, rest = 0.5 }, "spring")
    d:add(blocks.rotational_damper { damping = 0.5 }, "damper")
    for i, part in ipairs { "a", "b" } do
      d:connect(part .. ".angle", "spring.input" .. i)
      d:connect(part .. ".rate", "damper.input" .. i)
      d:add(blocks.sum {}, "torque_" .. part)
      d:connect("spring.output" .. i, "torque_" .. part .. ".input1")
      d:connect("damper.output" .. i, "torque_" .. part .. ".input2")
      d:connect("torque_" .. part, part)
    end
    local sim = saltus.simulator(d)
    sim:advance_to(30)
    assert.near(3, sim.context.a.rate + 2 * sim.context.b.rate, 1e-6)
    assert.near(1, sim.context.a.rate, 1e-3)
    assert.near(0.5, sim.context.b.angle - sim.context.a.angle, 1e-3)
  end)

  -- A half swing against kinetic friction F loses 2 F / k of amplitude; it rests once k |x| <= static friction.
  it("friction shortens each swing, then sticks", function()
    local sim = spring_and_mass { mass = 2, position = 0.5, static_friction = 0.5, kinetic_friction = 0.4 }
    local log = saltus.log(sim, { "mass.position" })
    sim:advance_to(20)
    local stops = log:times "mass.stick_or_slip"
    assert.equal(5, #stops) -- 0.4, 0.3, 0.2, 0.1, 0: each after half a period
    for k, t in ipairs(stops) do assert.near(k * math.pi / 2, t, 1e-6) end
    assert.equal(0, sim.context.mass.speed)
    assert.equal(0, sim.context.mass.mode)
    assert.near(0, sim.context.mass.position, 1e-6)
  end)

  it("a block that starts with a speed slides until friction has used it up", function()
    local d = saltus.diagram "d"
    d:add(blocks.constant { value = 0 }, "force")
    d:add(blocks.mass { mass = 2, speed = -3, static_friction = 1, kinetic_friction = 0.5 }, "mass")
    d:connect("force", "mass")
    local sim = saltus.simulator(d)
    sim:advance_to(6)
    assert.near(-3 + 0.25 * 6, sim.context.mass.speed, 1e-9)
    sim:advance_to(20)
    assert.same({ 0, 0 }, { sim.context.mass.speed, sim.context.mass.mode })
    assert.near(-3 * 3 / (2 * 0.25), sim.context.mass.position, 1e-9)
  end)

  it("a pulled block sticks and slips", function()
    -- A spring is drawn at 1 m/s over a block of 1 kg: it breaks away at F = 3, after 3/k s.
    local d = saltus.diagram "d"
    d:add(time(), "hand")
    d:add(blocks.spring { stiffness = 10 }, "spring")
    d:add(blocks.mass { mass = 1, static_friction = 3, kinetic_friction = 1 }, "block")
    d:connect("hand", "spring.input2")
    d:connect("block.position", "spring.input1")
    d:connect("spring.output1", "block")
    local sim = saltus.simulator(d, { accuracy = 1e-8 })
    local log = saltus.log(sim, { "block.position", "block.speed" })
    sim:advance_to(8)
    local times = log:times "block.stick_or_slip"
    assert.near(0.3, times[1], 1e-9)
    -- Sliding: s = t - x - F/k swings about 0 from (2/k, 1): v = 0 again where w t = 2 pi - 2 atan2(w 2/k, 1).
    local w = math.sqrt(10)
    assert.near((2 * math.pi - 2 * math.atan(w * 0.2, 1)) / w, times[2] - times[1], 1e-6)
    assert.equal(7, #times)
    for _, v in ipairs(log["block.speed"]) do assert.is_true(v >= -1e-9) end
  end)

  it("breaks away at once from a force that jumps", function()
    local sim, context = fed(blocks.mass { mass = 1, static_friction = 2, kinetic_friction = 1 },
      { input = blocks.step { time = 1, before = 1, after = 3 } }, 2)
    assert.near(2, context.speed, 1e-9)
    assert.near(1, context.position, 1e-9)
    sim.context.to_input.after = -0.5
    sim:advance_to(5)
    assert.near(0, context.speed, 1e-12)
    assert.near(1 + 2 ^ 2 / 2 / 1.5, context.position, 1e-6)
    fails("kinetic_friction must not be greater than static_friction", blocks.mass,
      { mass = 1, static_friction = 1, kinetic_friction = 2 })
  end)
end)
