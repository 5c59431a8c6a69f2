-- Mirrors lua/saltus/simulation/context.lua on abstract ports: a Lua value that goes from part to part.
local saltus = require "saltus"
local fails = require "spec.support.fails"

-- Plans a new course at each sample: abstract state; `course` and `length` are outputs of it.
local planner = saltus.system { name = "planner", abstract = { plan = { 1, 2 } },
  discrete = { "n" }, outputs = {
    { "course", function(ctx) return { first = ctx.plan[1], at = ctx.time } end, abstract = true },
    { "nothing", function() return nil end, abstract = true } },
  events = { { name = "replan", every = 1, offset = 1, unrestricted_update = function(ctx, next)
    next.plan = { ctx.plan[1] + 10, ctx.time }
  end } } }

local function follower(fields)
  local def = { name = "follower", inputs = { { "course", { first = -1 }, abstract = true } },
    outputs = { goal = function(ctx) return ctx.course.first end } }
  for k, v in pairs(fields or {}) do def[k] = v end
  return saltus.system(def)
end

local function wired(from, part)
  local d = saltus.diagram "d"
  d:add(planner)
  d:add(part or follower())
  d:connect(from, "follower.course")
  return saltus.simulator(d)
end

describe("an abstract port", function()
  it("passes on the value that an output returns, computed again for every state of the context", function()
    local calls = 0
    local counted = follower { outputs = { goal = function(ctx) return ctx.course.first + 0 * ctx.course.at end,
      time_seen = function(ctx) calls = calls + 1 return ctx.course.at end } }
    local sim = wired("planner.course", counted)
    assert.equal(1, sim.context.follower.goal)
    sim:advance_to(1.5)
    assert.equal(11, sim.context.follower.goal)
    assert.equal(1.5, sim.context.follower.time_seen)
    local before = calls
    assert.equal(1.5, sim.context.follower.time_seen + 0 * sim.context.follower.goal)
    assert.equal(before, calls)
    assert.equal(1.25, sim:state_at(1.25).follower.time_seen)
    assert.equal(1.5, sim.context.follower.time_seen) -- each context has its own
  end)

  it("carries abstract state too", function()
    local reader = saltus.system { name = "reader", inputs = { { "plan", abstract = true } },
      outputs = { second = function(ctx) return ctx.plan[2] end } }
    local d = saltus.diagram "d"
    d:add(planner)
    d:add(reader)
    d:connect("planner.plan", "reader.plan")
    local sim = saltus.simulator(d)
    sim:advance_to(2.5)
    assert.equal(2, sim.context.reader.second)
    assert.equal(21, sim.context.reader.plan[1])
  end)

  it("that is not connected stays at its value, which is part of the context", function()
    local sim = saltus.simulator(follower())
    assert.equal(-1, sim.context.goal)
    sim.context.course = { first = 7 }
    assert.equal(7, sim.context.goal)
    assert.equal(7, sim:clone().context.course.first)
    local other = saltus.simulator(follower():with { course = { first = 3 } })
    other:load(sim:save())
    assert.equal(7, other.context.goal)
  end)

  it("may carry functions and objects, which no context stores", function()
    local hill = saltus.system { name = "planner", outputs = {
      { "course", function(ctx)
        local slope = ctx.time
        return { first = function(x) return slope * x end }
      end, abstract = true } } }
    local d = saltus.diagram "d"
    d:add(hill)
    d:add(saltus.system { name = "follower", inputs = { { "course", abstract = true } }, z = { "x" },
      derivatives = function(ctx, dot) dot.x = ctx.course.first(2) end })
    d:connect("planner", "follower")
    local sim = saltus.simulator(d)
    sim:advance_to(3)
    assert.near(9, sim.context.follower.x, 1e-9)
  end)

  it("is read-only, and the error says so", function()
    local sim = wired("planner.course", follower { outputs = { goal = function(ctx) ctx.course.first = 3 end } })
    fails("course is read-only here", function() return sim.context.follower.goal end)
  end)

  it("needs a value: the error names an input without one", function()
    local bare = follower { inputs = { { "course", abstract = true } } }
    fails('the input "course" is read, but it is not connected',
      function() return saltus.simulator(bare).context.goal end)
    local moving = follower { inputs = { { "course", abstract = true } }, z = { "x" },
      derivatives = function(ctx, dot) dot.x = ctx.course.first end }
    local sim = saltus.simulator(moving)
    fails('"follower" cannot start: an input is needed', sim.initialize, sim)
    sim.context.course = { first = 2 }
    sim:advance_to(1)
    assert.near(2, sim.context.x, 1e-9)
  end)

  it("connects to no port with numbers", function()
    local d = saltus.diagram "d"
    d:add(planner)
    d:add(follower())
    d:add(saltus.system { name = "numbers", inputs = { "u" }, outputs = { y = function() return 1 end } })
    fails('"planner.course" is abstract, a Lua value, and "numbers.u" is numbers (connecting "planner.course" to '
      .. '"numbers.u")', d.connect, d, "planner.course", "numbers.u")
    fails('"follower.course" is abstract, a Lua value, and "numbers" is numbers', d.connect, d, "numbers",
      "follower.course")
    fails("what is abstract has no size and no values", saltus.system,
      { name = "s", inputs = { { "u", abstract = true, size = 2 } } })
    fails("abstract must be true", saltus.system, { name = "s", inputs = { { "u", abstract = 1 } } })
  end)

  it("is not in logs of all states and outputs", function()
    local sim = wired "planner.course"
    local log = saltus.log(sim)
    sim:advance_to(1.5)
    assert.equal(11, log["follower.goal"][#log.time])
    fails('"planner.course" is abstract', saltus.log, sim, { "planner.course" })
  end)
end)
