-- Mirrors lua/saltus/closure/adapter.lua and its code generators: what closures may read and write in ctx, dot and
-- next, and what each mistake is reported. After a mistake the state is unchanged, and the run can continue.
local saltus = require "saltus"
local failing_ball = require "spec.support.failing_ball"

local ball, failure_of, failing = failing_ball.make, failing_ball.failure_of, failing_ball.run
local has, event = failing_ball.has, failing_ball.event

describe("derivatives", function()
  local function refused(text, fn)
    local message, sim = failing { derivatives = fn }
    has(text, message)
    assert.same({ 0, 1, 0 }, { sim.context.time, sim.context.height, sim.context.speed })
    assert.same({ nil, "ball", 0 }, { sim.failure.event, sim.failure.system, sim.failure.time })
  end

  it("must set every name", function()
    refused('derivatives of "ball" leaves "speed" unset; set dot.speed in every branch (in derivatives of ball at t = '
      .. "0)",
      function(_, dot) dot.height = 1 end)
  end)

  it("must set it in every branch, which is checked at intervals", function()
    local message, sim = failing({ derivatives = function(ctx, dot)
      dot.height = ctx.speed
      if ctx.time < 0.5 then dot.speed = -1 end
    end }, { max_step = 0.01 })
    has('leaves "speed" unset', message)
    assert.is_true(sim.context.time > 0.3 and sim.context.time < 0.8)
  end)

  it("is reported with the line where the function is defined", function()
    local here = debug.getinfo(1, "l").currentline
    local message = failing { derivatives = function(_, dot)
      dot.height = 1
    end }
    has(("spec/closure/access_spec.lua:%d: derivatives of \"ball\" leaves"):format(here + 1), message)
    message = failing { events = { { name = "odd", every = 1,
      unrestricted_update = function(_, next) next.mode = "flying" end } } }
    has(("spec/closure/access_spec.lua:%d: event \"odd\" of \"ball\" sets \"mode\" to \"flying\""):format(here + 6),
      message)
  end)

  it("may set known names only", function()
    refused('unknown derivative "sped" in derivatives of "ball"; did you mean "speed"?',
      function(_, dot) dot.sped = 1 end)
    refused("access_spec.lua:", function(_, dot) dot.sped = 1 end)
  end)

  it("must set numbers", function()
    refused('derivatives of "ball" sets "speed" to "1"; it must be a number',
      function(_, dot) dot.height, dot.speed = 1, "1" end)
    refused('derivatives of "ball" sets "height" to a table', function(_, dot) dot.height, dot.speed = {}, 1 end)
    local line = debug.getinfo(1, "l").currentline + 1
    local function unset(_, dot) dot.height, dot.speed = nil, 1 end
    refused(('access_spec.lua:%d: derivatives of "ball" sets "height" to nil'):format(line), unset)
    refused('derivatives of "ball" sets "height" to true', function(_, dot) dot.height, dot.speed = true, 1 end)
  end)

  it("must not return NaN, at the start or later", function()
    refused('the derivative or value of "height" of "ball" is NaN',
      function(_, dot) dot.height, dot.speed = 0 / 0, 1 end)
    local on = true
    local sim = saltus.simulator(ball { derivatives = function(ctx, dot)
      dot.height, dot.speed = on and ctx.time > 0.5 and 0 / 0 or 1, 1
    end })
    has("smaller steps", failure_of(sim))
    assert.same({ "step_failed", "ball" }, { sim.failure.reason, sim.failure.system })
    assert.near(0.5, sim.context.time, 1e-9)
    on = false
    sim:advance_to(1)
    assert.near(2, sim.context.height, 1e-9)
  end)

  it("finds a string that appears later", function()
    local message = failing { derivatives = function(ctx, dot)
      dot.height, dot.speed = 1, ctx.time < 0.3 and 1 or "fast"
    end }
    has('derivatives of "ball" sets "speed" to "fast"; it must be a number', message)
  end)
end)

describe("a witness", function()
  local function refused(text, fn, time)
    local message, sim = failing { events = { { name = "touch", witness = fn } } }
    has(text, message)
    assert.same({ "touch", "ball" }, { sim.failure.event, sim.failure.system })
    if time then assert.equal(time, sim.context.time) end
  end

  it("must return a number", function()
    for _, value in ipairs { "x", "1", true } do
      refused(('the witness of event "touch" of "ball" returned %s; it must return a number'):format(
        type(value) == "string" and '"' .. value .. '"' or "true"), function() return value end, 0)
    end
    refused("it must return a number; a condition belongs in `becomes`", function(ctx) return ctx.height < 0 end, 0)
    refused('the witness of event "touch" of "ball" returned nil', function() end, 0)
    refused('returned nil', function(ctx) if ctx.time < 0.3 then return 1 end end)
  end)

  it("must not return NaN", function()
    local here = debug.getinfo(1, "l").currentline
    refused(("the witness returned NaN; let its `when` be false where it has no value (in touch of ball, "
      .. "spec/closure/access_spec.lua:%d, at t = 0)"):format(here + 2), function() return 0 / 0 end, 0)
    refused("(in touch of ball, spec/closure/access_spec.lua:", function(ctx) return ctx.time < 0.3 and 1 or 0 / 0 end)
  end)
end)

describe("ctx", function()
  -- Every closure that reads, with a body that writes to ctx.
  local closures = {
    derivatives = function(body)
      return { derivatives = function(ctx, dot) dot.height, dot.speed = 1, 1 body(ctx) end }
    end,
    ['output "energy"'] = function(body)
      local changes = event { publish = function(ctx) return ctx.energy < 0 and saltus.did_nothing or nil end }
      changes.outputs = { energy = function(ctx) body(ctx) return 1 end }
      return changes
    end,
    ['the witness of event "tick"'] = function(body)
      return event { witness = function(ctx) body(ctx) return 1 end }
    end,
    ['`when` of event "tick"'] = function(body)
      return event { when = function(ctx) body(ctx) return true end, publish = function() end }
    end,
    ['next_time of event "tick"'] = function(body)
      return { events = { { name = "tick", next_time = function(ctx) body(ctx) return 5 end, publish = body } } }
    end,
    ['event "tick"'] = function(body) return event { publish = body } end,
  }

  local function check(label, build)
    it("cannot be written in " .. label, function()
      for _, name in ipairs { "height", "gravity", "mode", "time", "energy", "nothing" } do
        local message, sim = failing(build(function(ctx) ctx[name] = 3 end))
        has(('%s of "ball" writes ctx.%s, but ctx is read-only'):format(label, name), message)
        has("access_spec.lua:", message)
        assert.same({ 0, 1, "falling" }, { sim.context.time, sim.context.height, sim.context.mode })
      end
    end)

    if label:find "next_time" then return end
    it("cannot be written in " .. label .. " after it was read", function()
      for _, name in ipairs { "height", "gravity", "mode", "time" } do
        local message = failing(build(function(ctx)
          local was = ctx[name]
          if ctx.time > 0.2 then ctx[name] = was == "falling" and "resting" or 3 end
        end), { max_step = 0.01 })
        has(('%s of "ball" writes ctx.%s, but ctx is read-only'):format(label, name), message)
      end
    end)
  end

  for label, build in pairs(closures) do check(label, build) end

  it("says where the write belongs", function()
    has("; write dot.height", (failing { derivatives = function(ctx) ctx.height = 1 end }))
    has("; an update may write next.n", (failing(event { publish = function(ctx) ctx.n = 1 end })))
    has("; write next.n", (failing(event { discrete_update = function(ctx) ctx.n = 1 end })))
    has("; an unrestricted update may write next.height", (failing(event {
      discrete_update = function(ctx) ctx.height = 1 end })))
    has("; keep what is no state in a local", (failing(event { publish = function(ctx) ctx.m = 1 end })))
  end)

  it("has only its own names", function()
    has('unknown name "sped" in ctx of derivatives of "ball"; did you mean "speed"?',
      (failing { derivatives = function(ctx, dot) dot.height = ctx.sped end }))
    has("next.random()", (failing(event { publish = function(ctx) return ctx.random() end })))
  end)
end)

describe("next", function()
  local function refused(text, handler, kind)
    for _, spoilt in ipairs { "first", "later" } do
      local function late(ctx, next)
        next.n = ctx.n + 1
        if spoilt == "first" or ctx.time >= 0.5 then return handler(ctx, next) end
      end
      local message, sim = failing(event { [kind or "unrestricted_update"] = late })
      has(text, message)
      has("(in tick of ball at t = ", message)
      local time = spoilt == "first" and 0 or 0.5
      assert.same({ time, 2 * time, "falling" }, { sim.context.time, sim.context.n, sim.context.mode })
    end
  end

  it("takes a mode's values only", function()
    refused('event "tick" of "ball" sets "mode" to "fallin"; its values are "falling", "resting"',
      function(_, next) next.mode = "fallin" end)
    refused('sets "mode" to 3; its values are', function(_, next) next.mode = 3 end)
    refused('sets "mode" to 1; its values are', function(_, next) next.mode = 1 end, "discrete_update")
  end)

  it("takes numbers only, and finite ones where the state flows", function()
    refused('event "tick" of "ball" sets "n" to "3"; it must be a number', function(_, next) next.n = "3" end)
    refused('sets "height" to NaN; it must be a finite number', function(_, next) next.height = 0 / 0 end)
    refused('sets "height" to infinity; it must be a finite number', function(_, next) next.height = math.huge end)
    refused('sets "n" to NaN', function(_, next) next.n = 0 / 0 end)
    refused("sets next.n to nil", function(_, next) next.n = nil end)
    refused("sets next.mode to nil", function(_, next) next.mode = nil end)
  end)

  it("has only its own names, and checks who may write them", function()
    refused('unknown name "m" in next of event "tick" of "ball"', function(_, next) next.m = 1 end)
    refused('event "tick" of "ball" may write discrete names only, not "height"',
      function(_, next) next.height = 1 end, "discrete_update")
    refused('may write states and parameters only, not "energy"', function(_, next) next.energy = 1 end)
    refused("access_spec.lua:", function(_, next) next.energy = 1 end)
  end)

  it("returns outputs as ctx does", function()
    local seen
    local sim = saltus.simulator(ball(event { unrestricted_update = function(ctx, next)
      next.height = 5
      seen = { ctx.energy, next.energy, ctx.height, next.height }
    end }))
    sim:advance_to(0)
    assert.same({ 9.81, 9.81, 1, 5 }, seen)
  end)
end)
