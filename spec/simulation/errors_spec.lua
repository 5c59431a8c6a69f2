-- Mirrors lua/saltus/simulation/errors.lua: errors of closures come out as they were raised, the failure says where,
-- and the run goes on.
local saltus = require "saltus"
local names = require "saltus.util.names"

local function has(text, message) assert.is_truthy(tostring(message):find(text, 1, true), tostring(message)) end

-- A system with a closure of every kind; `raise(place, ctx)` is called in each.
local function everything(raise)
  local function look(place)
    return function(ctx) raise(place, ctx) return 1 end
  end
  return saltus.system {
    name = "ball",
    q = { { "height", 1 } },
    discrete = { "n" },
    outputs = { inner = look "output", outer = function(ctx) return ctx.inner end },
    derivatives = function(ctx, dot) raise("derivatives", ctx) dot.height = 1 end,
    events = {
      { name = "touch", witness = look "witness", publish = function() end },
      { name = "guarded", when = function(ctx) return look "when" (ctx) > 0 end, every = 0.1,
        publish = function() end },
      { name = "timed", next_time = function(ctx) raise("next_time", ctx) return ctx.time + 0.2 end,
        publish = function() end },
      { name = "shown", every = 0.1, publish = function(ctx) raise("publish", ctx) return ctx.outer < 0 and 1
        or nil end },
      { name = "counted", every = 0.1,
        discrete_update = function(ctx, next) next.n = ctx.n + 1 raise("discrete_update", ctx) end },
      { name = "jump", every = 0.1, unrestricted_update = function(ctx, next)
        next.height = ctx.height + 1
        raise("unrestricted_update", ctx)
      end },
    },
  }
end

-- What comes out when `value` is raised in one place after t = 0.35; then the simulator, to go on with.
local function raised(place, value, level)
  local on = true
  local function raise(where, ctx)
    if on and where == place and ctx.time > 0.35 then error(value, level or 0) end
  end
  local sim = saltus.simulator(everything(raise), { max_step = 0.04 })
  if place == "monitor" then sim.monitor = function(ctx) raise("monitor", ctx) end end
  local log = saltus.log(sim, { "height", f = function(ctx) raise("log", ctx) return ctx.time end, every = 0.01 })
  local ok, object = pcall(sim.advance_to, sim, 1)
  assert.is_false(ok)
  return object, sim, function() on = false return log end
end

local places = {
  derivatives = { "derivatives" },
  output = { "shown", "shown" },
  witness = { 'the witness of event "touch"', "touch" },
  when = { '`when` of event "guarded"', "guarded" },
  next_time = { 'next_time of event "timed"', "timed" },
  publish = { "shown", "shown" },
  discrete_update = { "counted", "counted" },
  unrestricted_update = { "jump", "jump" },
  monitor = { "the monitor" },
  log = { "a log" },
}

local undisturbed = saltus.simulator(everything(function() end), { max_step = 0.04 })
undisturbed:advance_to(1)

describe("an error of a closure that another one calls", function()
  local raise = { "deep" }
  local function fail_at(ctx) return ctx.time > 0.5 and error(raise) or 0 end
  local function source(ctx) local answer = fail_at(ctx) return answer end

  -- x' = u, which two outputs return in turn.
  local function chain(inner, middle, outer)
    local d = saltus.diagram "d"
    d:add(saltus.system { name = "a", outputs = { y = inner } })
    d:add(saltus.system { name = "b", inputs = { "u" }, outputs = { y = middle } })
    d:add(saltus.system { name = "c", z = { "x" }, inputs = { "u" }, derivatives = outer })
    d:connect("a", "b")
    d:connect("b", "c")
    return saltus.simulator(d)
  end

  local function line_of(fn) return ("errors_spec.lua:%d: in "):format(debug.getinfo(fn, "S").linedefined) end

  it("has the traceback of the inner function, with its callers", function()
    for _, object in ipairs { raise, "deep" } do
      raise = object
      local function middle(ctx) local u = ctx.u return u end
      local function outer(ctx, dot) dot.x = ctx.u end
      local sim = chain(source, middle, outer)
      local ok, message = pcall(sim.advance_to, sim, 1)
      assert.is_false(ok)
      assert.equal(type(object), type(message))
      local at = 0
      for _, fn in ipairs { fail_at, source, middle } do
        at = sim.failure.traceback:find(line_of(fn), at + 1, true)
        assert.is_truthy(at, sim.failure.traceback)
      end
    end
  end)

  it("has its own traceback where it caught the inner error", function()
    raise = { "deep" }
    local function outer(ctx, dot)
      local ok = pcall(function() return ctx.u end)
      dot.x = ok and ctx.u or error { "caught" }
    end
    local sim = chain(source, function(ctx) return ctx.u end, outer)
    local _, object = pcall(sim.advance_to, sim, 1)
    assert.same({ "caught" }, object)
    assert.is_nil(sim.failure.traceback:find(line_of(fail_at), 1, true))
    has("errors_spec.lua:" .. debug.getinfo(outer, "S").linedefined + 2, sim.failure.traceback)
  end)
end)

describe("an error without a line", function()
  it("has the line of its function", function()
    local here = debug.getinfo(1, "l").currentline
    local function run(def)
      def.name, def.z = "s", { "x" }
      local sim = saltus.simulator(saltus.system(def))
      return select(2, pcall(sim.advance_to, sim, 2))
    end
    local function flow(_, dot) dot.x = 0 / 0 end
    has(("; look at what derivatives computes there (in s, spec/simulation/errors_spec.lua:%d, at t = 0)"):format(
      here + 6), run { derivatives = flow })
    local function good(_, dot) dot.x = 1 end
    has(("spec/simulation/errors_spec.lua:%d: event \"e\" of \"s\" returned true; return"):format(here + 11),
      run { derivatives = good, events = { { name = "e", every = 1, publish = function() return true end } } })
    has(("spec/simulation/errors_spec.lua:%d: event \"e\" of \"s\" made saltus.terminate"):format(here + 13),
      run { derivatives = good, events = { { name = "e", every = 1, publish = function() saltus.terminate "x" end } } })
  end)
end)

describe("a closure that yields", function()
  it("is named by its line, with what to write instead", function()
    local here = debug.getinfo(1, "l").currentline
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x" },
      derivatives = function() coroutine.yield() end })
    has(("spec/simulation/errors_spec.lua:%d: attempt to yield from outside a coroutine; closures must not yield: "
      .. "write a story, or an event with next_time (in derivatives of s at t = 0)"):format(here + 2),
      select(2, pcall(sim.advance_to, sim, 1)))
    coroutine.wrap(function()
      local _, message = pcall(sim.advance_to, sim, 1)
      has("attempt to yield across a C-call boundary; closures must not yield", message)
    end)()
  end)
end)

describe("an error raised", function()
  local function check(place, who, event)
    local owner = (place == "monitor" or place == "log") and "" or " of ball"

    it("in " .. place .. " comes out as the same object", function()
      local mine = setmetatable({}, { __tostring = function() return "mine" end })
      local object, sim = raised(place, mine)
      assert.is_true(rawequal(mine, object))
      assert.is_true(rawequal(mine, sim.failure.error))
      for _, other in ipairs { 42, false } do assert.equal(other, (raised(place, other))) end
    end)

    it("in " .. place .. " keeps file and line and says where", function()
      local message, sim = raised(place, "oh no", 2)
      assert.matches("^[^\n]*errors_spec.lua:%d+: oh no %(in .* at t = [%d.]+%)$", message)
      has(("oh no (in %s%s at t = "):format(who, owner), message)
      assert.same({ "event_handler_failed", event, message }, { sim.failure.reason, sim.failure.event,
        sim.failure.error })
      assert.equal(owner ~= "" and "ball" or nil, sim.failure.system)
      assert.equal(sim.context.time, sim.failure.time)
      has("stack traceback", sim.failure.traceback)
      assert.is_nil(sim.status)
    end)

    it("in " .. place .. " leaves a state to go on from", function()
      local _, sim, repair = raised(place, "oh no")
      assert.is_true(sim.context.time > 0.3 and sim.context.time < 0.45)
      local log = repair()
      local status = sim:advance_to(1)
      assert.equal("reached_boundary_time", status.reason)
      assert.is_nil(sim.failure)
      assert.equal(undisturbed.context.n, sim.context.n)
      assert.near(undisturbed.context.height, sim.context.height, 1e-9)
      for name, count in pairs { counted = 10, jump = 10 } do
        assert.equal(count, #log:times(name), name)
      end
    end)
  end
  for place, where in pairs(places) do check(place, where[1], where[2]) end

  it("with nil is a failure too", function()
    has("(in shown of ball, spec/simulation/errors_spec.lua:25, at t = 0.4)", (raised("publish", nil)))
  end)

  it("in an output passes through the outputs and parts that read it", function()
    local mine = {}
    local source = saltus.system { name = "source", outputs = { y = function(ctx) if ctx.time >= 1 then error(mine) end
      return ctx.time end } }
    local gain = saltus.system { name = "gain", inputs = { "u" }, outputs = { y = function(ctx) return 2 * ctx.u end } }
    local sink = saltus.system { name = "sink", inputs = { "u" }, z = { "x" },
      derivatives = function(ctx, dot) dot.x = ctx.u end }
    local d = saltus.diagram "line"
    d:add(source) d:add(gain) d:add(sink)
    d:connect("source.y", "gain.u")
    d:connect("gain.y", "sink.u")
    local sim = saltus.simulator(d, { max_step = 0.1 })
    local ok, object = pcall(sim.advance_to, sim, 2)
    assert.is_false(ok)
    assert.is_true(rawequal(mine, object))
    assert.equal("sink", sim.failure.system)
    assert.near(0.9, sim.context.time, 0.11)
    assert.near(sim.context.time ^ 2, sim.context.sink.x, 1e-9)
  end)

  it("and caught by the closure itself is no failure", function()
    local s = saltus.system { name = "s", outputs = { y = function() error "inside" end },
      events = { { every = 1, publish = function(ctx) assert(not pcall(function() return ctx.y end)) end } } }
    assert.equal("reached_boundary_time", saltus.simulator(s):advance_to(2).reason)
  end)

  it("between calls, by reading an output, is raised unchanged", function()
    local mine = {}
    local s = saltus.system { name = "s", outputs = { y = function() error(mine) end } }
    local sim = saltus.simulator(s)
    local ok, object = pcall(function() return sim.context.y end)
    assert.same({ false, true }, { ok, rawequal(mine, object) })
    assert.equal("reached_boundary_time", sim:advance_to(1).reason)
  end)
end)

describe("of simultaneous failures", function()
  local function both(first, second)
    local s = saltus.system { name = "s", events = {
      { name = "a", at = "step", publish = first }, { name = "b", at = "step", publish = second } } }
    local sim = saltus.simulator(s)
    return select(2, pcall(sim.advance_to, sim, 1)), sim.failure
  end

  it("the first error is raised", function()
    local message, failure = both(function() error("one", 0) end, function() error("two", 0) end)
    assert.same({ "one (in a of s at t = 0)", "a" }, { message, failure.event })
  end)

  it("the first of a returned failure and an error counts", function()
    local function first() return saltus.fail "one" end
    local message, failure = both(first, function() error("two", 0) end)
    assert.same({ ("one (in a of s, %s, at t = 0)"):format(names.defined(first)), "a" }, { message, failure.event })
    assert.is_nil(failure.traceback)
    assert.equal("one (in a of s at t = 0)", (both(function() error("one", 0) end,
      function() return saltus.fail "two" end)))
  end)

  it("all of the handlers run", function()
    local ran = 0
    both(function() error "one" end, function() ran = ran + 1 end)
    assert.equal(1, ran)
  end)
end)

describe("a failure", function()
  it("names the system that its handler blames", function()
    local function fail() return saltus.fail("too hot", "plant.heater") end
    local sim = saltus.simulator(saltus.system { name = "s", events = { { name = "e", every = 1, publish = fail } } })
    has(("too hot [plant.heater] (in e of s, %s, at t = 0)"):format(names.defined(fail)),
      select(2, pcall(sim.advance_to, sim, 1)))
    assert.same({ "plant.heater", "e", 0 }, { sim.failure.system, sim.failure.event, sim.failure.time })
  end)

  it("of a step names the variable that limits it", function()
    local s = saltus.system { name = "s", z = { "calm", "steep" }, derivatives = function(ctx, dot)
      dot.calm, dot.steep = 1, 1 / math.sqrt(math.abs(1 - ctx.time)) * 1e3
    end }
    local sim = saltus.simulator(s, { min_step = 1e-3, initial_step = 0.1 })
    local message = select(2, pcall(sim.advance_to, sim, 2))
    has('"steep" of "s"', message)
    assert.equal("step_failed", sim.failure.reason)
    assert.is_true(sim.context.time < 1)
  end)

  it("is reported with the paths of parts", function()
    local s = saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 0 / 0 end }
    local d = saltus.diagram "d"
    d:add(s, "first")
    local sim = saltus.simulator(d)
    has('"x" of "first" is NaN', select(2, pcall(sim.advance_to, sim, 1)))
    assert.equal("first", sim.failure.system)
  end)

  it("names the value that is not finite, and the time, for all methods", function()
    local s = saltus.system { name = "s", q = { "a" }, v = { "b" }, z = { "c" }, derivatives = function(ctx, dot)
      dot.a, dot.b, dot.c = ctx.b, ctx.time >= 0.7 and math.huge or -ctx.a, -ctx.c
    end }
    for _, method in ipairs(require("saltus.core").methods()) do
      local sim = saltus.simulator(s, { integrator = method.name, max_step = 0.1 })
      local message = select(2, pcall(sim.advance_to, sim, 1))
      assert.matches("the step from t = 0%.[67]%d* failed", message)
      has('the derivative or value of "b" of "s" is inf', message)
      assert.near(0.7, sim.context.time, 1e-9)
      assert.equal("step_failed", sim.failure.reason)
    end
  end)

  it("of a time that cannot advance reports that", function()
    local s = saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end }
    local sim = saltus.simulator(s, { max_step = 0.25, start_time = 2 ^ 52 })
    has("steps of 0.25 s do not change the time in floating point", select(2, pcall(sim.advance_to, sim, 2 ^ 53)))
    assert.equal(2 ^ 52, sim.context.time)
  end)
end)

describe("the time in a message", function()
  it("has the digits that it needs, near 0 and far from it", function()
    for _, start in ipairs { 0, 1e4, 1.7e9, -1.7e9 } do
      local sim = saltus.simulator(saltus.system { name = "a", z = { "x" },
        derivatives = function(_, dot) dot.x = 1 end,
        events = { { name = "e", every = 1, offset = start + 0.4375, publish = function() error "boom" end } } },
        { start_time = start })
      local ok, wrong = pcall(sim.advance_to, sim, start + 2)
      assert.is_false(ok)
      assert.equal(start + 0.4375, tonumber(tostring(wrong):match "at t = (%-?[%d.]+)%)"))
    end
  end)
end)

describe("a number that would make a run endless", function()
  local function still(event, options)
    event.name, event.publish = "tick", function() end
    return saltus.simulator(saltus.system { name = "clock", z = { x = 0 },
      derivatives = function(_, dot) dot.x = 1 end, events = { event } }, options)
  end

  it("is an error with its name, before anything runs", function()
    local sim = still { every = 1e-300 }
    local ok, wrong = pcall(sim.advance_to, sim, 1)
    assert.is_false(ok)
    has("its period is so short that it would fire more than 1e18 times before the time to advance to; "
      .. "give it a longer one ", wrong)
    assert.matches("%(in tick of clock, [^ ]*errors_spec.lua:%d+, at t = 0%)", wrong)
    assert.equal("time_failed", sim.failure.reason)
    assert.equal(0, sim.context.x)
    ok, wrong = pcall(sim.advance_to, still({ every = 1 }, { max_step = 1e-300 }), 1)
    assert.is_false(ok)
    has("max_step is so short that the run would take more than 1e18 steps", wrong)
  end)

  it("is not an error where the run has no end, or is as short", function()
    local sim = still({ every = 1e-3 }, { max_steps_per_call = 10 })
    for _, far in ipairs { math.huge, 1e300 } do
      assert.equal("reached_step_limit", sim:advance_to(far).reason)
    end
    sim = still({ every = 1e-300 }, { max_step = 1e-300 })
    assert.equal("reached_boundary_time", sim:advance_to(1e-298).reason)
  end)
end)

-- x = 1 - sqrt(1 - 2 t) ends at t = 1/2.
describe("a solution that ends at a singularity", function()
  for _, method in ipairs { "auto", "tsitouras5", "radau5", "rodas4", "implicit_euler" } do
    it("is an error that names its variable: " .. method, function()
      local sim = saltus.simulator(saltus.system { name = "pole", z = { "x", "y" },
        derivatives = function(ctx, dot) dot.x, dot.y = 1 / (1 - ctx.x), 1 end }, { integrator = method })
      local ok, message = pcall(sim.advance_to, sim, 2)
      assert.is_false(ok)
      assert.matches('"x" of "pole" needs steps below the minimum', message, 1, true)
      assert.near(0.5, tonumber(message:match "from t = (%S+)"), 1e-2)
    end)
  end
end)
