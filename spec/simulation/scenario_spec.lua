-- Mirrors lua/saltus/simulation/scenario.lua.
local saltus = require "saltus"
local scenario = require "saltus.simulation.scenario"

local function decay(rate)
  return saltus.system {
    name = "decay", z = { { "y", 1 } }, params = { rate = rate or 1 },
    derivatives = function(ctx, dot) dot.y = -ctx.rate * ctx.y end,
    events = { { name = "tick", every = 0.25, publish = function() end } },
  }
end

describe("a duration", function()
  it("that is lost in rounding is refused", function()
    local s = saltus.scenario { system = saltus.system { name = "s", z = { "x" },
      derivatives = function(_, dot) dot.x = 1 end }, duration = 1, start_time = 1e18 }
    assert.error_matches(function() s:run() end,
      "a duration of 1 s is lost in rounding after start_time = 1e%+18 s")
    assert.equal(1e18, s:run { duration = 0 }.status.time)
  end)
end)

describe("a scenario's monitor", function()
  local function ends(monitor)
    return saltus.scenario { system = decay(), duration = 1, max_step = 0.125, log = false, monitor = monitor }
  end

  it("is called after each step, and ends the run", function()
    local times = {}
    local result = ends(function(ctx)
      times[#times + 1] = ctx.time
      if ctx.y < 0.7 then return saltus.terminate "low" end
    end):run()
    assert.same({ "reached_termination", "low" }, { result.status.reason, result.status.message })
    assert.equal(times[#times], result.status.time)
    assert.is_true(result.status.time > -math.log(0.7) and result.status.time <= -math.log(0.7) + 0.125)
  end)

  it("lets the run fail, and each run of a sweep", function()
    local low = ends(function(ctx) if ctx.y < 0.7 then return saltus.fail "too low" end end)
    assert.error_matches(function() low:run() end, "too low %(at t = 0.375%)")
    local rows = saltus.sweep { scenario = low, params = { rate = { 0.1, 1, 0.2, 2 } } }
    assert.same({ "reached_boundary_time", "failed", "reached_boundary_time", "failed" }, rows.data.status)
  end)

  it("must be a function", function()
    assert.error_matches(function() ends "low" end, "saltus.scenario: monitor must be a function%(ctx%) or nil, got")
    assert.error_matches(function() ends(saltus.terminate) end, "monitor must be a function%(ctx%) that may return")
  end)
end)

describe("scenario:run", function()
  it("returns status, context, log, stats and simulator", function()
    local result = saltus.scenario({ system = decay(), duration = 1, log = { "y", every = 0.1 } }):run()
    assert.equal("reached_boundary_time", result.status.reason)
    assert.near(math.exp(-1), result.context.y, 1e-5)
    assert.equal(11, #result.log.time)
    assert.equal(5, #result.log:times "tick")
    assert.is_true(result.stats.steps > 0)
    assert.equal(1, result.sim.context.time)
  end)

  it("takes other defaults, another duration and simulator options", function()
    local s = saltus.scenario { system = decay(), duration = 1, accuracy = 1e-3 }
    local result = s:run { set = { rate = 2, y = 3 }, duration = 0.5, accuracy = 1e-9, seed = 7 }
    assert.near(3 * math.exp(-1), result.context.y, 1e-7)
    assert.near(math.exp(-1), s:run().context.y, 1e-2)
  end)

  it("runs from start_time on", function()
    assert.equal(3.5, saltus.scenario({ system = decay(), duration = 1.5, start_time = 2 }):run().status.time)
  end)

  it("logs every state without log, and nothing with log = false", function()
    assert.equal("y", saltus.scenario({ system = decay(), duration = 1 }):run().log.columns[1].name)
    assert.is_nil(saltus.scenario({ system = decay(), duration = 1, log = false }):run().log)
  end)

  it("takes a diagram", function()
    local d = saltus.diagram "two"
    d:add(decay(1), "a")
    d:add(decay(2), "b")
    local result = saltus.scenario({ system = d, duration = 1 }):run { set = { ["b.rate"] = 3 } }
    assert.near(math.exp(-3), result.log:at(1)["b.y"], 1e-5)
  end)
end)

describe("a scenario refuses", function()
  local function refused(def, pattern)
    assert.error_matches(function() saltus.scenario(def) end, pattern)
  end

  it("unknown fields, with a similar one", function()
    refused({ sistem = decay() }, 'saltus.scenario: unknown field "sistem"; did you mean "system"')
    refused({ system = decay(), acuracy = 1 }, 'unknown field "acuracy"; did you mean "accuracy"')
    assert.error_matches(function() saltus.scenario({ system = decay(), duration = 1 }):run { sett = {} } end,
      'scenario of "decay": unknown field "sett"; did you mean "set"')
  end)

  it("a missing system, or another value", function()
    refused({ duration = 1 }, 'the field "system" is missing')
    refused({ system = 3 }, "saltus.scenario: system: expected a system or a diagram, got 3")
  end)

  it("durations that are negative, infinite, NaN or missing", function()
    for _, duration in ipairs { -1, math.huge, 0 / 0, "3" } do
      refused({ system = decay(), duration = duration }, "saltus.scenario: duration must be a number of seconds")
    end
    assert.error_matches(function() saltus.scenario({ system = decay() }):run() end,
      'scenario of "decay" has no duration')
  end)

  it("unknown names to set", function()
    assert.error_matches(function()
      saltus.scenario({ system = decay(), duration = 1 }):run { set = { rat = 1 } }
    end, 'unknown name "rat" in "decay"; did you mean "rate"')
  end)

  it("unknown names to log, when it is made", function()
    refused({ system = decay(), log = { "yy" } }, 'saltus.log: unknown name "yy" in "decay"; did you mean "y"')
    refused({ system = decay(), log = { every = 0 } }, "saltus.log: every must be a period")
    local _, message = pcall(function() local s = saltus.scenario { system = decay(), log = { "yy" } } return s end)
    assert.matches("^spec/simulation/scenario_spec.lua:%d+: saltus.log", message)
  end)

  it("wrong simulator options", function()
    refused({ system = decay(), max_step = -1 }, 'saltus.scenario: option "max_step" must be greater than 0')
  end)
end)

describe("a scenario file", function()
  it("is only returned when a Lua function called it", function()
    local s = saltus.scenario { system = decay(), duration = 1 }
    assert.is_true(scenario.is(s))
  end)

  local file = [[local saltus = require "saltus"
    local decay = saltus.system { name = "decay", z = { { "x", 1 } }, derivatives = function(c, d) d.x = -c.x end }
    return saltus.scenario { system = decay, duration = 1 }]]

  it("is only returned in a coroutine", function()
    assert.is_true(scenario.is(coroutine.wrap(assert(load(file)))()))
  end)

  it("is run by an interpreter, and only returned to a host, which sets no arg", function()
    local path = os.tmpname()
    local function told(before)
      local out = assert(io.open(path, "w"))
      out:write(before, (" package.path, package.cpath = %q, %q\n"):format(package.path, package.cpath), file)
      out:close()
      local pipe = assert(io.popen((os.getenv "SALTUS_LUA" or "lua5.4") .. " " .. path .. " 2>&1"))
      local text = pipe:read "a"
      pipe:close()
      return text
    end
    assert.matches("decay: reached 1 s", told "")
    assert.equal("", told "arg = nil")
    os.remove(path)
  end)
end)
