-- Mirrors lua/saltus/model/system.lua, variable.lua and event.lua: what a system's table
-- may have, what it becomes, and the message for each mistake.
local saltus = require "saltus"

local function nothing() end

local function ball(changes)
  local def = {
    name = "ball",
    q = { { "height", 10, unit = "m" } },
    v = { { "speed", 0, unit = "m/s" } },
    discrete = { { "mode", "falling", values = { "falling", "resting" } } },
    params = { gravity = 9.81, { "restitution", 0.8, doc = "share of the speed a bounce keeps" } },
    outputs = { energy = nothing },
    derivatives = nothing,
    events = {
      { name = "bounce", witness = nothing, direction = "falling", unrestricted_update = nothing },
      { every = 0.5, publish = nothing },
    },
  }
  for key, value in pairs(changes or {}) do def[key] = value end
  return saltus.system(def)
end

local function refuses(changes, pattern)
  assert.error_matches(function() ball(changes) end, pattern)
end

describe("saltus.system", function()
  it("orders listed names as written, then the others by name", function()
    local s = ball { params = { b = 1, a = 2, "y", { "x", 3 } } }
    local order = {}
    for i, e in ipairs(s.params) do order[i] = e.name end
    assert.same({ "y", "x", "a", "b" }, order)
  end)

  it("numbers the elements of a partition", function()
    local s = ball { q = { { "r", { 1, 2, 3 } }, "height" } }
    assert.same({ 0, 3, 3, true }, { s.q[1].offset, s.q[2].offset, s.q[1].size, s.q[1].vector })
    assert.is_false(s.q[2].vector)
  end)

  it("spreads one number over a declared size", function()
    assert.same({ 2, 2 }, ball({ q = { { "r", 2, size = 2 } } }).q[1].default)
  end)

  it("stores a mode as the index of its value", function()
    assert.equal(1, ball().by_name.mode.default)
    assert.equal(2, ball():with({ mode = "resting" }).by_name.mode.default)
  end)

  it("makes every state and output a port, and an output may bear a state's name", function()
    local s = ball { outputs = { height = nothing } }
    assert.equal("q", s.by_name.height.partition)
    assert.equal("output", s.ports.height.partition)
    assert.equal("v", s.ports.speed.partition)
    assert.is_nil(s.ports.gravity)
  end)

  it("names events without a name after their trigger", function()
    local s = ball()
    assert.same({ "bounce", "period1" }, { s.events[1].name, s.events[2].name })
    assert.same({ "witness", "falling", "unrestricted_update" },
      { s.events[1].trigger, s.events[1].direction, s.events[1].kind })
  end)

  it("takes an outcome instead of a function", function()
    local stop = saltus.terminate "hit the wall"
    local s = ball { events = { { witness = nothing, publish = stop } } }
    assert.equal(stop, s.events[1].handler())
  end)

  it("finds the discrete variable with an event's time", function()
    local s = ball { discrete = { "wake" }, events = { { next_time = "wake", publish = nothing } } }
    assert.equal(s.discrete[1], s.events[1].time_variable)
    assert.equal(s:with({ wake = 2 }).discrete[1].default, 2)
  end)

  it("records the user's line and is immutable", function()
    local s = ball()
    assert.matches("system_spec.lua:%d+$", s.source)
    assert.error_matches(function() s.name = "x" end, 'system "ball" does not change')
  end)

  it("lists its names with units", function()
    local text = tostring(ball())
    for _, part in ipairs { "system ball", "height +10 m\n", "falling %(falling | resting%)",
      "restitution +0.8  %-%- share", "bounce +witness, falling, unrestricted_update" } do
      assert.matches(part, text)
    end
    local row = ball { z = { { "row", size = 1000 } }, derivatives = function() end }
    assert.matches("z +row +{ 0" .. (", 0"):rep(15) .. ", %.%.%. }, 1000 numbers\n", tostring(row))
  end)

  it("copies abstract defaults deep", function()
    local queue = { { 1 } }
    local s = ball { abstract = { queue = queue } }
    queue[1][1] = 2
    assert.equal(1, s.abstract[1].default[1][1])
  end)
end)

describe("system:with", function()
  it("returns another system", function()
    local s = ball()
    local moon = s:with { gravity = 1.62 }
    assert.equal(9.81, s.by_name.gravity.default)
    assert.equal(1.62, moon.by_name.gravity.default)
    assert.equal(moon.params[2], moon.by_name.gravity)
  end)

  it("sets one element", function()
    local s = ball { q = { { "r", { 1, 2 } } } }
    assert.same({ 1, 5 }, s:with({ ["r[2]"] = 5 }).by_name.r.default)
    assert.error_matches(function() s:with { ["r[3]"] = 5 } end, "elements 1 to 2, not %[3%]")
  end)

  it("refuses unknown names, outputs, other modes and other kinds", function()
    local s = ball()
    assert.error_matches(function() s:with { heigth = 1 } end,
      'unknown name "heigth" in system "ball"; did you mean "height"')
    assert.error_matches(function() s:with { energy = 1 } end, '"energy" of system "ball" is an output')
    assert.error_matches(function() s:with { mode = "rest" } end,
      '"mode" of system "ball" cannot be "rest"; its values are "falling", "resting"; did you mean "resting"')
    assert.error_matches(function() s:with { gravity = "low" } end, '"gravity" of system "ball" must be a number')
  end)
end)

describe("a system's table", function()
  it("rejects an unknown field, with a similar one and the user's line", function()
    local _, message = pcall(ball, { derivativs = nothing })
    assert.matches('system_spec.lua:%d+: unknown field "derivativs" in system "ball"; did you mean "derivatives"%?$',
      message)
  end)

  it("refuses fields of later versions by name", function()
    refuses({ compile = 1 }, 'system "ball": compile must be true or false, got 1')
  end)

  it("refuses a missing name and a name that is no identifier", function()
    assert.error_matches(function() saltus.system {} end, 'the field "name" is missing')
    assert.error_matches(function() saltus.system { name = "my ball" } end, "must be a Lua identifier")
    assert.error_matches(function() saltus.system(3) end, "saltus.system takes a table, got 3")
  end)

  it("rejects a label outside of an entry, and a mode without its values", function()
    refuses({ params = { height2 = 1, unit = "m" } },
      'system "ball": unit in params is of no name; write it with its name: { "name", default, unit = "m" }')
    refuses({ discrete = { mode = "falling" } }, '"mode" in discrete of system "ball" must be a number, got "falling"; '
      .. 'a mode lists its values: { "mode", "falling", values = { ... } }')
  end)

  it("refuses a name used twice", function()
    refuses({ params = { "height" } }, 'system "ball": the name "height" is used twice, in q and in params')
    refuses({ q = { "height", "height" } }, 'the name "height" is used twice, in q and in q')
    refuses({ outputs = { { "e", nothing }, { "e", nothing } } }, 'the name "e" is used twice')
    refuses({ outputs = { gravity = nothing } }, 'the name "gravity" is used twice, in params and in outputs')
  end)

  it("rejects the reserved names of ctx", function()
    for _, name in ipairs { "time", "past", "past_rate", "random" } do
      refuses({ params = { name } }, ('system "ball": the name "%s" in params is taken by ctx'):format(name))
    end
  end)

  it("refuses names that are no identifiers", function()
    refuses({ params = { "a b" } }, 'in params of system "ball" must be a Lua identifier, got "a b"')
    refuses({ params = { "end" } }, "must be a Lua identifier")
    refuses({ params = { { 1, 2 } } }, "must be a Lua identifier, got 1")
  end)

  it("refuses defaults that are no numbers", function()
    refuses({ params = { gravity = 0 / 0 } }, '"gravity" in params of system "ball" must be a number, got NaN')
    refuses({ params = { gravity = "9.81" } }, "must be a number, got \"9.81\"")
    refuses({ q = { { "height", math.huge } } }, "must be finite, got infinity")
    refuses({ q = { { "r", { 1, "2" } } } }, '%[2%] must be a number, got "2"')
    refuses({ q = { { "r", {} } } }, "the list must not be empty")
    refuses({ params = { gravity = { 1, doc = "x" } } }, "a list default holds numbers only")
  end)

  it("refuses sizes that are wrong or contradict the default", function()
    refuses({ q = { { "r", 0, size = 0 } } }, "size must be a whole number of at least 1 and at most 16777216, got 0")
    for _, field in ipairs { "q", "z", "discrete", "params", "inputs", "outputs" } do -- before any room is taken
      refuses({ [field] = { { "r", size = 2 ^ 31 } } }, "size must be a whole number of at least 1 and at most")
    end
    refuses({ q = { { "r", 0, size = 1.5 } } }, "size must be a whole number")
    refuses({ q = { { "r", { 1, 2 }, size = 3 } } }, "size is 3 but the default has 2 values")
  end)

  it("refuses control characters in what is shown", function()
    refuses({ q = { { "height", unit = "m\27[2J" } } }, "unit has a control character")
    refuses({ q = { { "height", doc = "a bell: \a" } } }, "doc has a control character")
    refuses({ doc = "a bell: \a" }, 'system "ball": doc has a control character')
    refuses({ doc = 5 }, 'system "ball": doc must be a string')
    refuses({ events = { { at = "step", doc = "a bell: \a" } } }, "doc has a control character")
    refuses({ discrete = { { "mode", values = { "on", "off\r" } } } }, "values%[2%] has a control character")
    refuses({ q = { { "height", unit = "m\xFF" } } }, [[unit is not valid UTF%-8: "m\255"]])
    refuses({ discrete = { { "mode", values = { "\xED\xA0\x80" } } } }, "values%[1%] is not valid UTF%-8")
    saltus.system { name = "fine", q = { { "height", doc = "two\n\tlines", unit = "µm" } },
      derivatives = function(_, dot) dot.height = 0 end }
  end)

  it("refuses a mode that is not among its values", function()
    refuses({ discrete = { { "mode", "flying", values = { "falling", "resting" } } } },
      '"mode" in discrete of system "ball" cannot be "flying"; its values are "falling", "resting"')
    refuses({ discrete = { { "mode", values = { "a", "a" } } } }, 'values has "a" twice')
    refuses({ q = { { "height", 0, values = { "a" } } } }, 'unknown field "values" in "height"')
  end)

  it("refuses unknown fields of an entry", function()
    refuses({ q = { { "height", 0, unti = "m" } } },
      'unknown field "unti" in "height" in q of system "ball"; did you mean "unit"')
  end)

  it("takes error weights of v and z, and none that is negative", function()
    local e = ball({ z = { { "w", 0, weight = 0, error = "absolute" } } }).z[1]
    assert.same({ 0, "absolute" }, { e.weight, e.error })
    refuses({ z = { { "w", 0, weight = -1 } } }, "weight must be a number, 0 or more")
    refuses({ q = { { "height", 0, error = "relative" } } }, "the error of a q is absolute")
    refuses({ z = { { "w", 0, error = "relativ" } } }, 'error must be "relative" or "absolute"')
  end)

  it("rejects functions in abstract state, and outputs that are not functions", function()
    refuses({ abstract = { queue = { nothing } } }, "must be plain data, found a function")
    refuses({ outputs = { energy = 3 } }, "an output needs its function")
    refuses({ outputs = { pair = { function() end, size = 2 } } },
      'with options: { "pair", function%(ctx%) return ... end, size = 2 }')
    refuses({ outputs = { { "e", nothing, needs = { "hieght" } } } }, 'unknown name "hieght" in needs of output "e"')
  end)

  it("refuses continuous state without derivatives", function()
    assert.error_matches(function() saltus.system { name = "ball", q = { "height" } } end,
      'system "ball" has continuous state %("height"%) but no derivatives')
    refuses({ derivatives = 3 }, "derivatives must be a function%(ctx, dot%), got 3")
  end)
end)

describe("an event's table", function()
  local function event(fields, pattern)
    refuses({ events = { fields } }, pattern)
  end

  it("refuses a zero, negative, infinite or NaN period", function()
    for got, every in pairs { ["0"] = 0, ["%-1"] = -1, infinity = math.huge, NaN = 0 / 0 } do
      event({ name = "tick", every = every, publish = nothing },
        'event "tick" of system "ball": every must be a period in seconds, greater than 0 and finite, got ' .. got)
    end
    event({ every = 1, offset = 0 / 0 }, "offset must be a finite number of seconds, got NaN")
  end)

  it("refuses no trigger and two", function()
    event({ publish = nothing }, 'event 1 of system "ball" has no trigger; give it one of')
    event({ every = 1, at = "step" }, "has two triggers, at and every")
  end)

  it("refuses two handlers", function()
    event({ every = 1, publish = nothing, discrete_update = nothing },
      "has two handlers, publish and discrete_update; make two events of it")
    event({ every = 1, publish = 3 }, "publish must be a function or an outcome")
  end)

  it("refuses a direction, a moment and fields that do not exist", function()
    event({ witness = nothing, direction = "down" },
      'direction must be one of "crossing", "falling", "rising", "none", got "down"')
    event({ at = "steps" }, 'at must be one of "initialization", "step", "demand", got "steps"; did you mean "step"')
    event({ name = "tick", evry = 1 }, 'unknown field "evry" in event "tick" of system "ball"; did you mean "every"')
  end)

  it("rejects fields of another trigger", function()
    event({ every = 1, direction = "falling" }, "direction belongs to an event with witness, this one has every")
    event({ at = "step", offset = 1 }, "offset belongs to an event with every")
  end)

  it("refuses a time variable that is not one discrete number", function()
    event({ next_time = "speed", publish = nothing }, "the name of a discrete variable, got \"speed\"")
    event({ next_time = "mode", publish = nothing }, "\"mode\" is a mode")
  end)

  it("refuses two events of one name", function()
    refuses({ events = { { name = "a", every = 1 }, { name = "a", every = 2 } } },
      'system "ball": two events are named "a"')
  end)
end)
