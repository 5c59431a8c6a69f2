-- Systems of a program in C as parts of Lua's models: src/binding/script/c_system.c, lua/saltus/model/c_system.lua. The
-- systems of c_systems.c have twins in Lua, so what Lua does with one it does with the other, to the bit.
local saltus = require "saltus"
local examples = require "spec.support.examples"
local c = require "spec.script.module"
local slurp = require "spec.support.slurp"
local twins = require "spec.script.twins"

local languages = { C = c, Lua = twins }

local function loop(plant, servo)
  local d = saltus.diagram "loop"
  d:add(plant, "plant")
  d:add(servo, "servo")
  d:connect("plant.angle", "servo.angle") -- states are ports, as those of systems in Lua are
  d:connect("plant.rate", "servo.rate")
  d:connect("servo.torque", "plant.torque")
  return d
end

local paths = { "plant.angle", "plant.rate", "plant.state", "plant.reaction", "plant.energy", "servo.torque" }

-- What a log writes to a file with this end.
local function text_of(ending, write)
  local path = os.tmpname()
  os.remove(path)
  write(path .. ending)
  local text = slurp(path .. ending)
  os.remove(path .. ending)
  return text
end

local function csv_of(log) return text_of(".csv", function(path) log:csv(path) end) end

local function svg_of(log) return text_of(".svg", function(path) log:plot { path = path } end) end

-- A run with events of all kinds, and all that it wrote.
local function run(plant, servo)
  local sim = saltus.simulator(loop(plant, servo), { seed = 3 })
  local log = saltus.log(sim, paths)
  sim:advance_to(1)
  sim:demand "plant.hold"
  sim:advance_to(1.5)
  sim.context["plant.state"] = "free"
  sim.context["plant.angle"] = 2
  sim:advance_to(4)
  return sim, log
end

describe("a system in C", function()
  local reference, reference_log = run(twins.oscillator(), twins.servo())

  for plant, of_plant in pairs(languages) do
    for servo, of_servo in pairs(languages) do
      it(("runs to the bits of its twin: a plant in %s under a controller in %s"):format(plant, servo), function()
        local sim, log = run(of_plant.oscillator(), of_servo.servo())
        assert.equal(reference:hash(), sim:hash())
        assert.equal(csv_of(reference_log), csv_of(log))
        assert.equal(reference.stats.derivative_evaluations, sim.stats.derivative_evaluations)
        assert.is_true(sim.context["plant.hits"] >= 1)
      end)
    end
  end

  it("is drawn, listed and saved as its twin", function()
    local sim, log = run(c.oscillator(), c.servo())
    assert.equal(svg_of(reference_log), svg_of(log))
    local again = saltus.simulator(loop(twins.oscillator(), twins.servo()), { seed = 5 })
    again:load(sim:save()) -- both declare in the same order, so the layouts are one
    again:advance_to(6)
    sim:advance_to(6)
    assert.equal(again:hash(), sim:hash())
    local clone = sim:clone()
    clone:advance_to(7)
    sim:advance_to(7)
    assert.equal(clone:hash(), sim:hash())
  end)

  it("says of itself what its twin says", function()
    local ours, theirs = tostring(c.oscillator()), tostring(twins.oscillator())
    assert.equal((theirs:gsub("%b()", "", 1)), (ours:gsub("%b()", "", 1)))
    assert.equal("C", c.oscillator().source)
    assert.equal("an arm on a spring", c.oscillator().doc)
  end)

  it("is read and written by path", function()
    local sim = saltus.simulator(loop(c.oscillator(), c.servo()))
    assert.equal("free", sim.context["plant.state"])
    assert.equal(1, sim.context["plant.angle"])
    assert.equal(2, sim.context["plant.energy"])
    sim.context["plant.state"] = "held"
    assert.equal("held", sim.context["plant.state"])
    assert.error_matches(function() sim.context["plant.state"] = "hold" end, 'cannot be "hold".-did you mean "held"')
    assert.error_matches(function() return sim.context["plant.angel"] end, 'did you mean "plant.angle"')
    assert.error_matches(function() sim.context["plant.torque"] = 1 end, "is fed by")
  end)

  it("takes other defaults", function()
    local stiff = c.oscillator():with { stiffness = 9, angle = 0.5, state = "held" }
    local twin = twins.oscillator():with { stiffness = 9, angle = 0.5, state = "held" }
    local one, other = run(stiff, c.servo()), run(twin, twins.servo())
    assert.equal(other:hash(), one:hash())
    assert.equal(4, saltus.simulator(c.oscillator()).context.stiffness) -- the original is as it was
    local nested = loop(c.oscillator(), c.servo()):with { ["plant.damping"] = 0.5 }
    assert.equal(0.5, saltus.simulator(nested).context["plant.damping"])
    assert.error_matches(function() c.oscillator():with { stifness = 1 } end, 'did you mean "stiffness"')
  end)

  it("is a part of nested diagrams, several times, under several names", function()
    local function pair(of)
      local d = saltus.diagram "pair"
      local plant, servo = of.oscillator(), of.servo()
      for _, side in ipairs { "left", "right" } do d:add(loop(plant:with { angle = #side / 5 }, servo), side) end
      return d
    end
    local ours, theirs = saltus.simulator(pair(c)), saltus.simulator(pair(twins))
    ours:advance_to(3)
    theirs:advance_to(3)
    assert.equal(theirs:hash(), ours:hash())
    assert.not_equal(ours.context["left.plant.angle"], ours.context["right.plant.angle"])
  end)

  it("is a scenario's, alone", function()
    local function end_of(of)
      return saltus.scenario { system = of.oscillator():with { torque = 1 }, duration = 3, seed = 1,
        log = { "angle", every = 0.1 }, expects = { "always angle > -0.51" } }:run()
    end
    local ours, theirs = end_of(c), end_of(twins)
    assert.equal(csv_of(theirs.log), csv_of(ours.log))
    assert.is_true(ours.expects[1].holds)
  end)

  it("may have a mass matrix, constraints, a past, and a slot of its own", function()
    local balance = saltus.simulator(c.balance())
    assert.equal("radau5", balance.integrator.name)
    balance:advance_to(1)
    assert.near(math.exp(-2), balance.context["x[1]"], 1e-5)
    assert.error_matches(function() saltus.simulator(c.balance(), { integrator = "tsitouras5" }) end, "mass matrix")

    local circle = saltus.simulator(c.circle())
    circle:advance_to(20)
    assert.near(1, circle.context.r[1] ^ 2 + circle.context.r[2] ^ 2, 1e-6)

    local delayed = saltus.simulator(c.delayed(), { accuracy = 1e-9 })
    delayed:advance_to(2) -- x' = -x(t - 1), x = 1 before: 1 - t, then 1 - t + (t - 1)^2 / 2
    assert.near(-0.5, delayed.context.x, 1e-7)

    local writer = saltus.simulator(c.writer())
    writer:advance_to(2.5)
    assert.equal(3, writer.context.length)
    local saved = writer:save()
    writer:advance_to(9.5)
    assert.equal(10, writer.context.length)
    writer:load(saved)
    assert.equal(3, writer.context.length)
  end)

  it("may be a block", function()
    local d = saltus.diagram "d"
    d:add(saltus.blocks.constant { value = 3 }, "three")
    d:add(c.block(2), "k")
    d:connect("three", "k")
    assert.equal(6, saltus.simulator(d).context["k.output"])
    assert.equal(15, saltus.simulator(d:with { ["k.gain"] = 5 }).context["k.output"])
  end)

  it("is checked as others: algebraic loops, missing inputs, ports", function()
    local d = saltus.diagram "d"
    d:add(c.oscillator(), "plant")
    d:add(c.block(2), "k")
    d:connect("plant.reaction", "k")
    d:connect("k", "plant.torque")
    assert.error_matches(function() saltus.simulator(d) end, "algebraic loop.-plant.reaction %-> k.input")

    local sim = saltus.simulator(c.oscillator())
    assert.error_matches(function() sim:advance_to(1) end, "an input is needed.-torque")
    sim.context.torque = 0
    sim:advance_to(1)

    local other = saltus.diagram "other"
    other:add(c.oscillator(), "plant")
    assert.error_matches(function() other:connect("plant.energie", "plant.torque") end, 'did you mean "energy"')
  end)

  it("is named in errors", function()
    local d = saltus.diagram "d"
    d:add(c.failing(), "tank")
    local sim = saltus.simulator(d)
    assert.error_matches(function() sim:advance_to(1) end, "a function of the model failed.-in tank at t = 0%.")
    assert.error_matches(function() saltus.simulator(c.failing(true)):advance_to(1) end,
      "the valve is stuck.-in stick of failing.-t = 0.25")
  end)

  it("passes on the error of the closure that feeds it", function()
    local d = saltus.diagram "d"
    d:add(c.follower(), "follower")
    d:add(saltus.system { name = "source", params = { level = 1 },
      outputs = { u = function(ctx) return ctx.level + (ctx.time < 0.5 and 1) end } }, "source")
    d:connect("source.u", "follower.u")
    assert.error_matches(function() saltus.simulator(d):advance_to(1) end,
      "attempt to perform arithmetic on a boolean value.-output \"u\" of source")
  end)

  it("is read by saltus check, in a scenario that requires the module", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write [[
      local saltus = require "saltus"
      local c = require "c_systems"
      local d = saltus.diagram "d"
      d:add(c.oscillator(), "plant")
      d:add(saltus.blocks.constant { value = 3, unit = "rad" }, "three")
      d:connect("three", "plant.torque")
      return saltus.scenario { system = d, duration = 1, log = { "plant.angle" } }
    ]]
    file:close()
    local saltus_command = examples.build .. "/bin/saltus"
    local said = examples.output_of(("LUA_CPATH='%s' %s check %s"):format(package.cpath, saltus_command, path))
    local ran, ok = examples.output_of(("LUA_CPATH='%s' %s run %s"):format(package.cpath, saltus_command, path))
    os.remove(path)
    assert.matches("unused output plant.energy", said)
    assert.matches("three.output %[rad%] feeds plant.torque %[N m%]: two units", said)
    assert.is_true(ok, ran)
  end)
end)

describe("sal_script_push_system", function()
  it("makes a value of a diagram with its parts and connections", function()
    local sim = saltus.simulator(c.loop())
    sim:advance_to(0.1)
    assert.equal(sim.context["servo.u"], sim.context["spare.u"]) -- one system twice, fed alike
    local outer = saltus.diagram "outer"
    outer:add(c.loop(), "inner")
    local nested = saltus.simulator(outer)
    nested:advance_to(0.1)
    assert.equal(sim.context["plant.angle"], nested.context["inner.plant.angle"])
    assert.matches("diagram loop %(C%): 3 parts, 5 connections", tostring(c.loop()))
  end)

  it("pushes one value for one system", function()
    local first, second, ok = c.twice()
    assert.is_true(ok)
    assert.is_true(rawequal(first, second))
  end)

  it("says what it refuses, and the program keeps the system", function()
    local function refused(pattern, what)
      local value, why = c.refused(what)
      assert.is_nil(value)
      assert.matches(pattern, why)
    end
    refused("the system is NULL", "nothing")
    refused('name of the system must be a Lua identifier, got "left wheel"', "name")
    refused('name of a parameter must be a Lua identifier, got "spring rate"', "value")
    refused('name "time" of a parameter is taken by ctx itself', "time")
    refused('wheel: %a+ "%a+" needs the function %a+, which the class "%a*" does not have', "class")
    local value, why = c.loop "left motor"
    assert.is_nil(value)
    assert.matches('the diagram "loop": the name of part "left motor" must be a Lua identifier', why)
  end)

  it("frees the system when neither a value nor a simulator needs it", function()
    local function collect() for _ = 1, 3 do collectgarbage() end end
    collect()
    local before = c.destroyed()
    local sim = saltus.simulator(loop(c.oscillator(), twins.servo()))
    local core = sim.core
    collect()
    assert.equal(before, c.destroyed())
    sim = nil -- luacheck: ignore
    collect()
    core:initialize() -- the engine's simulator has its own use of the system
    assert.equal(before, c.destroyed())
    core = nil -- luacheck: ignore
    collect()
    assert.equal(before + 1, c.destroyed())
    c.loop()
    c.loop "left motor" -- refused: the module frees both
    collect()
    assert.equal(before + 5, c.destroyed())
  end)
end)
