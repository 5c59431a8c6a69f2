-- Mirrors lua/saltus/model/diagram.lua and flat_model.lua: parts, wires and paths.
local saltus = require "saltus"
local loops = require "spec.support.loops"
local model = require "saltus.model.flat_model"

local function nothing() end

local arm = saltus.system {
  name = "arm", q = { { "angle", 0.1, unit = "rad" }, { "r", { 1, 2 } } }, inputs = { { "torque", unit = "N m" } },
  derivatives = nothing, events = { { name = "stop", witness = nothing } },
}
local pid = saltus.system {
  name = "pid", inputs = { "measured", { "target", 1, unit = "deg" } }, params = { kp = 2 },
  outputs = { output = nothing },
}

local function loop()
  local d = saltus.diagram "loop"
  d:add(arm, "plant")
  d:add(pid)
  d:connect("plant.angle", "pid.measured")
  d:connect("pid", "plant")
  return d
end

describe("saltus.diagram", function()
  it("is complete once it is simulated or added", function()
    local uses = {
      function(d) saltus.simulator(d) end,
      function(d) saltus.diagram "outer":add(d) end,
      function(d) saltus.scenario { system = d, duration = 1 } end }
    local changes = {
      function(d) d:add(pid, "other") end, function(d) d:connect("pid", "plant") end,
      function(d) d:export_input("target", "pid.target") end, function(d) d:export_output("plant.angle", "angle") end }
    for _, use in ipairs(uses) do
      for _, change in ipairs(changes) do
        local d = saltus.diagram "loop"
        d:add(arm, "plant")
        d:add(pid)
        use(d)
        local _, message = pcall(change, d)
        assert.matches('^spec/model/diagram_spec.lua:%d+: diagram "loop" was used at spec/model/diagram_spec.lua:%d+, '
          .. 'and what was made of it there cannot change; complete it before, or use diagram:build%(%) there, a copy$',
          message)
        use(d)
      end
    end
  end)

  it("can be changed after it was built, and after a use that failed", function()
    local d = saltus.diagram "loop"
    d:add(arm, "plant")
    saltus.simulator(d:build())
    d:sampling()
    assert.has_error(function() saltus.simulator(d, { accuracy = -1 }) end)
    assert.has_error(function() saltus.diagram "outer":add(d, "not a name") end)
    d:add(pid)
    d:connect("plant.angle", "pid.measured")
    d:connect("pid", "plant")
    assert.equal(2, #saltus.simulator(d).model.connections)
  end)

  it("builds a flat model in the order of adding", function()
    local m = loop():build()
    assert.same({ "plant", "pid" }, { m.parts[1].path, m.parts[2].path })
    assert.equal(m.parts[1].system, arm)
    local c = m.connections[2]
    assert.same({ 2, "output", 1, "torque" }, { c.from, c.port.name, c.to, c.input.name })
  end)

  it("resolves paths, elements and events", function()
    local m = loop():build()
    local part, entry, element = m:resolve "plant.r[2]"
    assert.same({ 1, "r", 2 }, { part, entry.name, element })
    assert.same({ 1, "stop" }, { (m:event "plant.stop"), select(2, m:event "plant.stop").name })
  end)

  it("flattens a diagram in a diagram", function()
    local d = loops.chain(loop())
    d:connect("b", "a")
    local m = d:build()
    assert.same({ "a.plant", "a.pid", "b.plant", "b.pid" },
      { m.parts[1].path, m.parts[2].path, m.parts[3].path, m.parts[4].path })
    assert.equal(6, #m.connections)
    assert.same({ 1, 4 }, { m.connections[5].from, m.connections[5].to })
    assert.equal(3, (m:resolve "b.angle"))
    assert.equal(3, (m:resolve "b.plant.angle"))
  end)

  it("returns the same model with other defaults", function()
    local d = loop()
    local m = d:with { ["plant.angle"] = 0.5, ["pid.kp"] = 7, ["plant.r[1]"] = 9 }
    assert.equal(0.5, m.parts[1].system.by_name.angle.default)
    assert.same({ 9, 2 }, m.parts[1].system.by_name.r.default)
    assert.equal(7, m.parts[2].system.by_name.kp.default)
    assert.equal(m.parts[1].system.ports.angle, m.connections[1].port)
    assert.equal(0.1, arm.by_name.angle.default)
  end)

  it("does not change when parts are added after it was built", function()
    local d = loop()
    local m = d:build()
    d:add(pid, "second")
    assert.equal(2, #m.parts)
  end)

  it("warns of a connection between two units", function()
    local d = saltus.diagram "units"
    d:add(arm, "plant")
    d:add(pid)
    d:connect("plant.angle", "pid.target")
    assert.same({ "plant.angle [rad] feeds pid.target [deg]: two units" }, d:build():unit_warnings())
  end)
end)

describe("a mode", function()
  it("goes through a connection as its word", function()
    local source = saltus.system { name = "source", discrete = { { "mode", "on", values = { "off", "on" } } },
      events = { { every = 1, offset = 1, discrete_update = function(_, next) next.mode = "off" end } } }
    local seen = {}
    local sink = saltus.system { name = "sink", inputs = { { "mode", values = { "off", "on" } } }, z = { "x" },
      derivatives = function(ctx, dot) dot.x = ctx.mode == "on" and 1 or -1 end,
      events = { { every = 1, offset = 0.5, publish = function(ctx) seen[#seen + 1] = ctx.mode end } } }
    local d = saltus.diagram "d"
    d:add(source)
    d:add(sink)
    d:connect("source.mode", "sink.mode")
    local sim = saltus.simulator(d)
    sim:advance_to(1.75)
    assert.same({ "on", "off" }, seen)
    assert.near(1 - 0.75, sim.context.sink.x, 1e-9)
    assert.equal("off", sim.context.sink.mode)
  end)
end)

describe("a diagram refuses", function()
  local function refused(pattern, deed)
    assert.error_matches(function() deed(loop()) end, pattern)
  end

  it("unknown parts and ports, with a similar name", function()
    refused('diagram "loop": unknown part "plnt"; did you mean "plant"',
      function(d) d:connect("plnt.angle", "pid.target") end)
    refused('in part "plant": unknown output "angel" in "arm"; did you mean "angle"',
      function(d) d:connect("plant.angel", "pid.target") end)
    refused('unknown input "taget"', function(d) d:connect("plant.angle", "pid.taget") end)
  end)

  it("an input as source, and a target that is not an input, with their kinds", function()
    refused('in part "pid": "target" is an input; signals flow from an output or state to an input %(connecting',
      function(d) d:connect("pid.target", "plant") end)
    refused('in part "plant": "angle" is a state; signals flow', function(d) d:connect("pid.output", "plant.angle") end)
    refused('in part "pid": "output" is an output; signals flow', function(d) d:export_input("a", "pid.output") end)
  end)

  it("an input with two connections, and sizes that differ", function()
    refused('the input "pid.measured" is fed already %(.*diagram_spec.lua:%d+%)',
      function(d) d:connect("plant.angle", "pid.measured") end)
    refused('"plant.r" has 2 values, "pid.target" takes 1', function(d) d:connect("plant.r", "pid.target") end)
  end)

  it("a part in the role of a port, if it has several", function()
    refused('part "plant" has not exactly one output', function(d) d:connect("plant", "pid.target") end)
    refused('part "pid" has not exactly one input', function(d) d:connect("plant.angle", "pid") end)
  end)

  it("names that are taken or no identifiers", function()
    refused('there is a part named "pid" already', function(d) d:add(pid) end)
    refused('the name "time" is taken by ctx', function(d) d:add(pid, "time") end)
    refused("must be a Lua identifier", function(d) d:add(pid, "a.b") end)
    refused('there is a part named "pid" already', function(d) d:export_output("plant.angle", "pid") end)
  end)

  it("values that are not systems, and an empty diagram", function()
    refused('diagram "loop":add: expected a system or a diagram, got 3', function(d) d:add(3) end)
    assert.error_matches(function() saltus.diagram("empty"):build() end, 'diagram "empty" has no parts')
  end)
end)

describe("a wrong connection in a script", function()
  -- A script as users write them: one connection a line.
  local script = [[
local saltus, arm, pid = ...
local d = saltus.diagram "loop"
d:add(arm, "plant")
d:add(pid)
%s
return d]]
  local function says(lines, expected)
    local chunk = assert(load(script:format(lines), "@loop.lua"))
    local ok, message = pcall(chunk, saltus, arm, pid)
    assert.is_false(ok)
    assert.equal(expected, message)
  end

  it("is reported with its line, its paths and a similar name", function()
    says('d:connect("plant.angel", "pid.measured")', 'loop.lua:5: diagram "loop": in part "plant": unknown output '
      .. '"angel" in "arm"; did you mean "angle"? (connecting "plant.angel" to "pid.measured")')
    says('d:connect("plant.angle", "pit.measured")', 'loop.lua:5: diagram "loop": unknown part "pit"; did you mean '
      .. '"pid"? (connecting "plant.angle" to "pit.measured")')
    says('d:export_input("goal", "pid.tarhet")', 'loop.lua:5: diagram "loop": in part "pid": unknown input "tarhet" in '
      .. '"pid"; did you mean "target"? (exporting "pid.tarhet" as "goal")')
  end)

  it("of two sizes is reported with both", function()
    says('d:add(saltus.system { name = "three", outputs = { { "y", function() end, size = 3 } } })\n'
      .. 'd:add(saltus.system { name = "two", inputs = { { "u", { 0, 0 } } } })\nd:connect("three.y", "two.u")',
      'loop.lua:7: diagram "loop": "three.y" has 3 values, "two.u" takes 2')
  end)

  it("of two modes is reported with their values", function()
    says('d:add(saltus.system { name = "a", discrete = { { "mode", "on", values = { "on", "off" } }, "n" } })\n'
      .. 'd:add(saltus.system { name = "b", inputs = { { "mode", values = { "off", "on" } } } })\n'
      .. 'd:connect("a.mode", "b.mode")', 'loop.lua:7: diagram "loop": "a.mode" has on | off, "b.mode" takes off | on')
    says('d:add(saltus.system { name = "a", discrete = { "n" } })\n'
      .. 'd:add(saltus.system { name = "b", inputs = { { "mode", values = { "off", "on" } } } })\n'
      .. 'd:connect("a.n", "b.mode")', 'loop.lua:7: diagram "loop": "a.n" has numbers, "b.mode" takes off | on')
  end)

  it("to a connected input is reported with the line of the first connection", function()
    says('d:connect("plant.angle", "pid.measured")\nd:connect("pid.output", "pid.measured")',
      'loop.lua:6: diagram "loop": the input "pid.measured" is fed already (loop.lua:5) (connecting "pid.output" to '
      .. '"pid.measured")')
  end)
end)

describe("a name without its part", function()
  it("is reported with the paths that end with it", function()
    local sim = saltus.simulator(loop())
    assert.error_matches(function() return sim.context.angle end,
      'unknown name "angle" in "loop"; did you mean "plant.angle"%?')
    local d = saltus.diagram "twins"
    for _, name in ipairs { "a", "b", "c", "e" } do d:add(arm, name) end
    assert.error_matches(function() return saltus.simulator(d).context.angle end,
      'did you mean "a.angle" or "b.angle" or "c.angle"%?')
  end)
end)

describe("model:resolve", function()
  it("takes bare names of a lone system", function()
    local m = model.of(arm)
    assert.equal("angle", select(2, m:resolve "angle").name)
  end)

  it("reports similar names, names of parts, and a path with the root's name", function()
    local m = loop():build()
    assert.matches('unknown name "plant.angel" in "loop"; did you mean "plant.angle"',
      select(2, m:resolve "plant.angel"))
    assert.matches('"plant" is a part of "loop"; name one of its values, like "plant.angle"',
      select(2, m:resolve "plant"))
    assert.matches("never begin with the outermost system's own name", select(2, m:resolve "loop.plant.angle"))
    assert.matches('"plant.angle" is one value, it has no element %[2%]', select(2, m:resolve "plant.angle[2]"))
  end)
end)
