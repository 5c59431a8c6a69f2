-- saltus.blocks: what holds of every block in Lua. What holds of every kind in C is in src/blocks/every_block_test.c.
local saltus = require "saltus"
local bench = require "spec.support.bench"
local blocks = saltus.blocks
local fed, fails = bench.fed, bench.fails

describe("saltus.blocks", function()
  it("returns systems with the given names", function()
    local k = blocks.gain { gain = 2, name = "k", size = 3 }
    assert.equal("k", k.name)
    assert.equal(3, k.inputs[1].size)
    assert.equal(3, k.outputs[1].size)
    assert.equal("gain", blocks.gain { gain = 1 }.name)
    assert.equal("N", blocks.gain { gain = 1, unit = "N" }.outputs[1].unit)
  end)

  it("gives blocks with equal declarations their own numbers", function()
    local function lag(options) return blocks.lag(options) end
    local two, three = lag { time_constant = 2, initial = 5 }, lag { time_constant = 3, initial = 6 }
    local wide = lag { time_constant = { 4, 5 }, initial = { 7, 8 }, name = "wide" }
    local volts, again = lag { time_constant = 6, unit = "V" }, lag { time_constant = 2 }
    local faster = two:with { time_constant = 1 }
    local d = saltus.diagram "d"
    for name, part in pairs { two = two, three = three, wide = wide, volts = volts, again = again, faster = faster } do
      d:add(part, name)
      d:export_input(name .. "_in", name)
    end
    local ctx = saltus.simulator(d).context
    local function begins(name) return { ctx[name].time_constant, ctx[name].state } end
    assert.same({ { 2, 5 }, { 3, 6 }, { 6, 0 }, { 2, 0 }, { 1, 5 } },
      { begins "two", begins "three", begins "volts", begins "again", begins "faster" })
    assert.same({ { 4, 5 }, { 7, 8 } }, begins "wide")
    assert.same({ "V", nil, nil }, { volts.outputs[1].unit, again.outputs[1].unit, two.outputs[1].unit })
    assert.matches("state +5", tostring(two))
    assert.matches("state +6", tostring(three))
    assert.matches("time_constant +{ 4, 5 } s", tostring(wide))
    assert.matches("params +time_constant = 3 s", tostring(d))
  end)

  it("distinguishes 0 and -0 in declarations", function()
    for _, before in ipairs { 0.0, -0.0, 0.0 } do
      local d = saltus.diagram "d"
      d:add(blocks.delay { delay = 1, history = before })
      d:export_input("input", "delay")
      local sim = saltus.simulator(d:with { input = 1 })
      sim:advance_to(0.5)
      assert.equal(1 / before, 1 / sim.context.delay.output)
    end
  end)

  it("has an example for every kind, which makes that kind", function()
    local seen = 0
    for _, kind in ipairs(require("saltus.blocks").kinds()) do
      local made = assert(load("local saltus = require 'saltus' return " .. kind.example))()
      assert.equal(kind.instead_of or kind.name, made.name)
      assert.equal(kind.rewrite and kind.instead_of or not kind.make and kind.name or nil, made.block)
      assert.is_truthy(tostring(made):find(made.name, 1, true))
      seen = seen + 1
    end
    assert.is_true(seen > 45)
  end)

  it("prints its options and ports", function()
    assert.matches("\n  gain +%u[^\n]+\n", tostring(saltus.blocks))
  end)

  it("names block, option and line when something is wrong", function()
    local here = "face_spec.lua:" .. debug.getinfo(1, "l").currentline + 1
    local _, message = pcall(function() return blocks.gain { gan = 2, name = "k" } end)
    assert.is_truthy(message:find(here, 1, true), message)
    fails('saltus.blocks.gain "k": unknown option "gan"; did you mean "gain"?', blocks.gain, { gan = 2, name = "k" })
    fails('saltus.blocks: unknown block "satturation"; did you mean "saturation"?', function()
      return blocks.satturation
    end)
    fails('saltus.blocks: unknown block "friction"; see mass, inertia', function() return blocks.friction end)
    fails('unknown block "xyz"; `saltus help blocks` lists them', function() return blocks.xyz end)
    fails('saltus.blocks.gain: option "gain" is missing', blocks.gain, {})
    fails('option "gain" must be a number or a list of numbers, got "two"', blocks.gain, { gain = "two" })
    fails('option "gain" must be finite, got infinity', blocks.gain, { gain = math.huge })
    fails('option "gain" must not be NaN', blocks.gain, { gain = 0 / 0 })
    fails('option "gain" [2] must be a number, got "b"', blocks.gain, { gain = { 1, "b" } })
    fails('must have rows of one length: row 1 has 2 numbers, row 2 has 1', blocks.gain, { gain = { { 1, 2 }, { 3 } } })
    fails("option gain must be one number, or one for each element", blocks.gain, { gain = { 1, 2 }, size = 3 })
    fails('option "size" must be a whole number of at least 1, got 1.5', blocks.gain, { gain = 1, size = 1.5 })
    fails('option "time_constant" must be greater than 0, got -1', blocks.lag, { time_constant = -1 })
    fails("option lower must not be greater than upper", blocks.saturation, { lower = 2, upper = 1 })
    fails('must be characters out of "+-"', blocks.sum, { signs = "+*" })
    fails('must be one of "rising", "falling", "either", got "risng"; did you mean "rising"?', blocks.counter,
      { edge = "risng" })
    fails('must increase: [2] is 1, [3] is 1', blocks.lookup_table, { points = { 0, 1, 1 }, values = { 1, 2, 3 } })
    fails("option numerator must not be longer than denominator", blocks.transfer_function,
      { numerator = { 1, 0, 0 }, denominator = { 1, 1 } })
    fails("name must be a Lua identifier", blocks.gain, { gain = 1, name = "a b" })
    fails("takes a table of options, got 2", blocks.gain, 2)
    fails('option "unit" must be a string', blocks.gain, { gain = 1, unit = 2 })
  end)

  it("reads and writes its parameters by path, and takes other defaults", function()
    local d = saltus.diagram "d"
    d:add(blocks.constant { value = { 1, -2 } }, "source")
    d:add(blocks.gain { gain = 3, size = 2 }, "k")
    d:connect("source", "k")
    local sim = saltus.simulator(d:with { ["k.gain"] = 4 })
    assert.same({ 4, -8 }, sim.context.k.output)
    sim.context.k.gain = 0.5
    assert.same({ 0.5, -1 }, sim.context.k.output)
    assert.equal("hold", saltus.simulator(blocks.lookup_table { points = { 0, 1 }, values = { 0, 1 } }).context.outside)
  end)

  it("keeps the rules of its options when they are set later", function()
    local d = saltus.diagram "d"
    d:add(blocks.lag { time_constant = 1, size = 2 }, "slow")
    d:add(blocks.pid { kp = 1 }, "control")
    fails('"slow.time_constant" must be greater than 0, got 0', d.with, d, { ["slow.time_constant"] = 0 })
    fails('"control.kp" must be finite, got infinity', d.with, d, { ["control.kp"] = math.huge })
    local sim = saltus.simulator(d)
    fails('"slow.time_constant" must be greater than 0, got -1', function() sim.context.slow.time_constant = -1 end)
    sim.context.control.upper = math.huge
    assert.equal(1, sim.context.slow.time_constant)
    local uneven = saltus.simulator(blocks.lag { time_constant = { 1, 2 }, size = 2 })
    fails('"time_constant[2]" must be greater than 0, got 0', function() uneven.context["time_constant[2]"] = 0 end)
    fails('"time_constant"[2] must be greater than 0, got 0', function() uneven.context.time_constant = { 1, 0 } end)
    local map = saltus.simulator(blocks.lookup_table { points = { 0, 1 }, values = { 0, 1 } })
    fails('"points" must increase: [1] is 2, [2] is 1', function() map.context.points = { 2, 1 } end)
  end)

  it("keeps the order of parameters, when it is made and when they are set later", function()
    local kinds, orders = require("saltus.blocks").kinds(), 0
    for _, kind in ipairs(kinds) do
      for _, option in ipairs(kind.options) do orders = orders + (option.not_above and 1 or 0) end
    end
    assert.is_true(orders >= 9)
    fails("saltus.blocks.integral: option lower must not be greater than upper", blocks.integral,
      { lower = 2, upper = 1 })
    fails("saltus.blocks.wrap_to: option low must be less than high", blocks.wrap_to, { low = 2, high = 2 })
    local d = saltus.diagram "d"
    d:add(blocks.saturation { lower = -1, upper = 1 }, "limit")
    d:add(blocks.pid { kp = 1, lower = { -1, 2 }, upper = 4, size = 2 }, "control")
    d:add(blocks.wrap_to {}, "turn")
    fails('"lower" of system "limit" must not be greater than "upper", got 3 and 1', d.with, d,
      { ["limit.lower"] = 3 })
    fails('"lower" of system "limit" must not be greater than "upper", got -1 and -2', d.with, d,
      { ["limit.upper"] = -2 })
    fails('"lower" of system "control" must not be greater than "upper", got 2 and 1', d.with, d,
      { ["control.upper"] = 1 })
    fails('"lower" of system "control" must not be greater than "upper", got 5 and 4', d.with, d,
      { ["control.lower[1]"] = 5 })
    fails('"low" of system "turn" must be less than "high", got 2 and 2', d.with, d,
      { ["turn.low"] = 2, ["turn.high"] = 2 })
    local moved = d:with { ["limit.lower"] = 3, ["limit.upper"] = 3 }
    assert.equal(3, saltus.simulator(moved).context.limit.lower)
    local scenario = saltus.scenario { system = blocks.saturation { upper = 1 }, duration = 1 }
    fails('"lower" of system "saturation" must not be greater than "upper", got 2 and 1', scenario.run, scenario,
      { set = { lower = 2 } })
  end)

  it("lists the options of its variants, and reports a call with a colon", function()
    fails("known: name, unit, mass, viscous, position, speed, size, static_friction, kinetic_friction", blocks.mass,
      { mass = 1, friction = 2 })
    fails("write saltus.blocks.gain { ... }, with a dot", function() return blocks:gain { gain = 2 } end)
  end)

  it("reports inputs without a source", function()
    fails("block.input", fed, blocks.lag { time_constant = 1 }, {}, 1)
  end)

  it("passes on the error of a block's source, and stores no NaN", function()
    local function source(broken)
      return blocks.function_of_time { f = function(t) return t < 0.35 and t or broken() end }
    end
    for _, block in ipairs { blocks.zero_order_hold { period = 0.1 }, blocks.integral {},
      blocks.relay { lower = 0, upper = 1 }, blocks.pid { kp = 1, period = 0.1, name = "pid" } } do
      local inputs = {}
      local function feed(broken)
        for _, input in ipairs(block.inputs) do inputs[input.name] = source(broken) end
        return inputs
      end
      fails("too late (in output", fed, block, feed(function() error "too late" end), 1)
      if block.discrete[1] and block.name ~= "relay" then
        fails("its input is NaN (in sample of block", fed, block, feed(function() return 0 / 0 end), 1)
      end
    end
    local table_of_two = blocks.lookup_table { points = { 0, 1 }, values = { 0, 1 } }
    fails("NaN", bench.integrated, table_of_two, { input = source(function() return 0 / 0 end) }, 1)
  end)

  it("accepts a state as the source of a connection", function()
    local d = saltus.diagram "d"
    d:add(blocks.constant { value = 2 }, "source")
    d:add(blocks.lag { time_constant = 1 }, "lag")
    d:add(blocks.gain { gain = 1 }, "look")
    d:connect("source", "lag")
    d:connect("lag.state", "look")
    local sim = saltus.simulator(d)
    sim:advance_to(1)
    assert.equal(sim.context.lag.state, sim.context.look.output)
    assert.near(2 * (1 - math.exp(-1)), sim.context.look.output, 1e-6)
  end)

  it("breaks loops where an output does not read its inputs, and names those that remain", function()
    local function loop(block)
      local d = saltus.diagram "loop"
      d:add(block, "a")
      d:add(blocks.gain { gain = -1 }, "b")
      d:connect("a", "b")
      d:connect("b", "a")
      return saltus.simulator(d)
    end
    fails("loop", loop, blocks.gain { gain = 0.5 })
    local sim = loop(blocks.integral { initial = 1 })
    sim:advance_to(1)
    assert.near(math.exp(-1), sim.context.a.output, 1e-6)
  end)

  it("continues from a snapshot and in a clone as the original does", function()
    local d = saltus.diagram "d"
    d:add(blocks.noise { variance = 1, period = 0.01 }, "noise")
    d:add(blocks.lag { time_constant = 0.1 }, "lag")
    d:add(blocks.relay { lower = -0.2, upper = 0.2 }, "relay")
    d:add(blocks.discrete_time_delay { period = 0.03, delay_steps = 4 }, "line")
    d:connect("noise", "lag")
    d:connect("lag", "relay")
    d:connect("relay", "line")
    local sim = saltus.simulator(d, { seed = 7 })
    sim:advance_to(1)
    local saved, twin = sim:save(), sim:clone()
    sim:advance_to(2)
    twin:advance_to(2)
    assert.equal(sim:hash(), twin:hash())
    local there = sim:hash()
    sim:load(saved)
    sim:advance_to(2)
    assert.equal(there, sim:hash())
  end)
end)
