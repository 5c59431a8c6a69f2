-- Mirrors names.closed of lua/saltus/util/names.lua: an unknown name in an object or in a result is an error that names
-- the nearest one.
local saltus = require "saltus"

local tank = saltus.system { name = "tank", z = { { "level", 1 } }, derivatives = function(_, dot) dot.level = 1 end }
local filling = saltus.scenario { system = tank, duration = 1 }

local function refuses(message, fn) assert.error_matches(fn, message, 1, true) end

describe("an unknown name is an error in", function()
  it("a system", function()
    refuses('unknown name "wiht" in a system (saltus.simulator runs it); did you mean "with"?',
      function() tank:wiht { level = 2 } end)
    assert.is_nil(tank.mass)
  end)

  it("a diagram, also where it is written", function()
    local d = saltus.diagram "d"
    refuses('unknown name "conect" in a diagram (saltus.simulator runs it); did you mean "connect"?',
      function() d:conect("a", "b") end)
    refuses('did you mean "add"?', function() d:add_system(tank) end)
    refuses('did you mean "export_input"?', function() d:ExportInput("u", "a.u") end)
    refuses('unknown name "nme" in a diagram', function() d.nme = "e" end)
  end)

  it("a scenario, also where it is written", function()
    refuses('unknown name "runn" in a scenario; did you mean "run"?', function() filling:runn() end)
    refuses('unknown name "duraton" in a scenario; did you mean "duration"?', function() filling.duraton = 2 end)
    assert.is_nil(filling.measure)
  end)

  it("the result of a run, and its status", function()
    local result = filling:run()
    refuses('unknown name "contxt" in the result of a run; did you mean "context"?',
      function() return result.contxt end)
    refuses('unknown name "reson" in a status; did you mean "reason"?', function() return result.status.reson end)
    assert.is_nil(result.stories)
    assert.is_nil(result.status.event)
  end)

  it("saltus.formula, and a monitor", function()
    refuses('unknown name "chek" in saltus.formula; did you mean "check"?',
      function() saltus.formula.chek(filling, "always level > 0") end)
    local monitor = saltus.formula.monitor("always level > 0", saltus.simulator(tank))
    refuses('did you mean "advance_to"?', function() monitor:advance(1) end)
    refuses('did you mean "holds"?', function() return monitor.hold end)
    refuses("write monitor:advance_to(...), with a colon", function() monitor.advance_to(1) end)
    assert.is_nil(monitor.holds)
  end)

  it("stories and what they share", function()
    local sim = saltus.simulator(tank)
    local stories = saltus.stories(sim)
    refuses('did you mean "spawn"?', function() stories:spwan(function() end) end)
    stories:spawn(function(s)
      local desk, box, fuel = s:resource "desk", s:store "box", s:tank "fuel"
      refuses('unknown name "reqest" in a resource; did you mean "request"?', function() desk:reqest() end)
      refuses('unknown name "putt" in a store; did you mean "put"?', function() box:putt(1) end)
      refuses('unknown name "levle" in a tank; did you mean "level"?', function() return fuel.levle end)
      local seat = desk:take()
      refuses('unknown name "relese" in a request; did you mean "release"?', function() seat:relese() end)
      refuses('unknown name "men_wait" in the statistics of a queue; did you mean "mean_wait"?',
        function() return desk.statistics.men_wait end)
      s:stop "done"
    end)
    assert.equal("done", sim:advance_to(1).message)
    refuses('unknown name "desc" in the queues of a run; did you mean "desk"?',
      function() return stories.queues.desc end)
  end)

  it("the result of a check, and the values of a log", function()
    local checked = saltus.formula.check(filling, "always level > 0")
    refuses('unknown name "hold" in the result of a check; did you mean "holds"?', function() return checked.hold end)
    assert.is_nil(checked.first)
    local values = filling:run().log:at(0.5)
    refuses('unknown name "levl" in the values of a log; did you mean "level"?', function() return values.levl end)
  end)

  it("a group, a witness and a sandbox", function()
    local group = saltus.group(tank)
    refuses('unknown name "ad" in a group; did you mean "add"?', function() group:ad {} end)
    local member = group:add {}
    refuses('unknown name "contxt" in a member of a group; did you mean "context"?',
      function() return member.contxt end)
    local bell = saltus.system { name = "bell", events = { { name = "ring", witness = function() return 1 end } } }
    refuses('unknown name "vlue" in a witness; did you mean "value"?',
      function() return saltus.simulator(bell):witness("ring"):vlue() end)
    refuses('unknown name "rum" in a sandbox; did you mean "run"?', function() saltus.sandbox():rum "x = 1" end)
  end)

  it("a failure, and an event of a log", function()
    local fragile = saltus.system { name = "fragile", events = { { name = "crack", at = "initialization",
      publish = function() end }, { name = "snap", every = 1, offset = 1, publish = function() error "snapped" end } } }
    local run = saltus.scenario { system = fragile, duration = 1 }:prepare()
    assert.has_error(function() run.sim:advance_to(run.stop) end)
    refuses('unknown name "messag" in a failure; known: reason, error,', function() return run.sim.failure.messag end)
    assert.equal("snap", run.sim.failure.event)
    assert.is_nil(run.sim.failure.story)
    refuses('unknown name "nmae" in an event of a log; did you mean "name"?',
      function() return run.log.events[1].nmae end)
    assert.equal("crack", run.log.events[1].name)
  end)

  it("the result of a sweep, and in its params", function()
    local result = saltus.sweep { scenario = filling, params = { level = { 1, 2 } },
      measure = function(run) return { doubled = 2 * run.params.level } end }
    refuses('unknown name "doubld" in the data of a sweep; did you mean "doubled"?',
      function() return result.data.doubld end)
    refuses('unknown name "failurs" in the result of a sweep; did you mean "failures"?',
      function() return result.failurs end)
    local failed = saltus.sweep { scenario = filling, params = { level = { 1 } },
      measure = function(run) return { level = run.params.levl } end }
    assert.matches('unknown name "levl" in the params of a run; did you mean "level"', failed.data.error[1], 1, true)
  end)

  it("the result of a property, and in its params", function()
    local result = saltus.forall { params = { gain = { 0, 1 } }, raise = false,
      holds = function(values) return values.gian end }
    assert.matches('unknown name "gian" in the params of a property; did you mean "gain"', result.error, 1, true)
    refuses('did you mean "holds"?', function() return result.hold end)
    assert.is_nil(result.margin)
  end)

  it("no name of a metamethod, for which printers and comparisons ask", function()
    assert.is_nil(getmetatable(saltus.diagram "d").__eq)
    assert.is_nil(filling:run().__type)
  end)
end)

describe("a colon where a dot belongs", function()
  it("is named", function()
    local wrong = "got the module saltus: write a dot, as in saltus.system { ... }, not a colon"
    refuses(wrong, function() saltus:system { name = "s" } end)
    refuses(wrong, function() saltus:scenario { system = tank } end)
    refuses(wrong, function() saltus:simulator(tank) end)
    refuses(wrong, function() saltus:diagram "d" end)
    refuses(wrong, function() saltus:log(saltus.simulator(tank)) end)
    refuses(wrong, function() saltus:sweep { scenario = filling } end)
    refuses(wrong, function() saltus:forall { params = {} } end)
  end)
end)
