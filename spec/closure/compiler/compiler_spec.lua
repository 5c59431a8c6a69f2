-- Mirrors lua/saltus/closure/compiler/: closures of arithmetic alone run without Lua, to the same bits.
local saltus = require "saltus"
local both_ways = require "spec.support.both_ways"

local steps, line_of = both_ways.steps, both_ways.line_of

local function states(sim)
  local found = {}
  for _, line in ipairs(sim:programs()) do found[line.closure:match "^%S+" ] = line.state end
  return found
end

local function flowing(...) return saltus.system(both_ways.definition(...)) end

local function becomes_program(derivatives, changes)
  local sim = both_ways.run(flowing(derivatives, changes))
  assert.equal("program", states(sim).derivatives, tostring(sim:programs()))
  return sim
end

local function stays(why, derivatives, changes)
  local sim = both_ways.run(flowing(derivatives, changes))
  local line = line_of(sim, "derivatives")
  assert.equal("lua", line.state)
  assert.is_truthy(line.why:find(why, 1, true), line.why)
end

describe("a closure that only computes numbers is compiled", function()
  it("of numbers, with the functions of math", function()
    becomes_program(function(ctx, dot)
      local u, v, w = ctx.u[1], ctx.u[2], ctx.w
      dot.u[1] = math.sin(v) - u ^ 3 / 7 + math.sqrt(math.abs(w)) % 0.3
      dot.u[2] = -u * ctx.k + math.max(w, u, -1) - math.min(v, 2) // 0.25
      dot.u[3] = math.exp(-w * w) * math.cos(ctx.time) - math.atan(u, v) + math.log(2 + w * w) - math.floor(u * 3.5)
      dot.w = math.fmod(u, 0.7) + math.ceil(v) - math.pi * math.tan(u / 9) + math.asin(0.5) * math.acos(w / 1e3)
        + math.rad(v) - math.deg(u)
    end)
  end)

  it("with branches, and modes by their names", function()
    becomes_program(function(ctx, dot)
      local u = ctx.u
      if ctx.mode == "on" and u[1] > 0 or u[2] >= 1 then
        dot.w = 1
      elseif not (u[1] < -1) then
        dot.w = -2.5
      else
        dot.w = 0
      end
      local up = u[2] > u[3]
      dot.u[1], dot.u[2] = up and 1 or -1, ctx.n == 3 and 0.5 or 2
      dot.u[3] = (u[3] ~= 2 and ctx.mode ~= "off") and -u[3] or 0
    end)
  end)

  it("with loops over vectors, counted up and down", function()
    becomes_program(function(ctx, dot)
      local sum = 0
      for i = 1, #ctx.u do sum = sum + ctx.u[i] * i end
      for i = #ctx.u, 1, -1 do dot.u[i] = ctx.m[1] * sum - ctx.u[i] end
      local k, x = 0, ctx.w
      while x * x > 0.01 and k < 20 do x, k = x / 2, k + 1 end
      dot.w = x - k
    end)
  end)

  it("with its own functions and lists", function()
    local function clamp(value, most) return math.max(-most, math.min(most, value)) end
    local function pair(a, b) return a - b, a + b end
    becomes_program(function(ctx, dot)
      local less, more = pair(ctx.w, ctx.u[1])
      dot.u = { clamp(-less, 0.5), clamp(more, 2), -ctx.u[3] }
      local list = { less, more }
      dot.w = list[2] - list[1] * clamp(ctx.u[2], ctx.k)
    end)
  end)

  it("that writes results through another function", function()
    local function damp(ctx, dot, by) dot.w = -by * ctx.w end
    becomes_program(function(ctx, dot)
      damp(ctx, dot, 3)
      dot.u[1], dot.u[2], dot.u[3] = 1, ctx.u[1], ctx.u[2]
    end)
  end)

  it("that reads the past of states", function()
    local def = { past = { w = 2 }, history = { w = function(t) return 0.75 - t end } }
    becomes_program(function(ctx, dot)
      local lag = 0.3 + 0.1 * math.sin(ctx.w)
      dot.u[1], dot.u[2] = ctx.past.w(lag), -ctx.past.w:at(ctx.time - 1)
      dot.u[3] = ctx.past_rate.w(0.5) + ctx.past_rate.w:at(ctx.time / 2)
      dot.w = -2 * ctx.past.w(lag)
    end, def)
    local sim = saltus.simulator(flowing(function(ctx, dot)
      dot.u[1], dot.u[2], dot.u[3] = 0, 0, 0
      dot.w = ctx.past.w(ctx.time * ctx.time)
    end, def), steps)
    local ok, message = pcall(sim.advance_to, sim, 3)
    assert.is_false(ok)
    assert.is_truthy(message:find("past.w cannot be read 2.0", 1, true), message)
    assert.near(math.sqrt(2), sim.context.time, 0.02)
  end)

  it("when it is an output, a witness, a guard, a time, an update or a constraint", function()
    local def = { name = "all", q = { { "x", 1 } }, v = { "y" },
      discrete = { "n", { "mode", "up", values = { "up", "down" } } },
      outputs = { energy = function(ctx) return ctx.x ^ 2 + ctx.y ^ 2 end,
        { "both", function(ctx) return { ctx.x, ctx.energy } end, size = 2 } },
      derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x * (ctx.mode == "up" and 1 or 1.5) end,
      events = {
        { name = "pass", witness = function(ctx) return ctx.x - 0.25 end,
          unrestricted_update = function(ctx, next)
            next.mode = next.x > 0 and "up" or "down"
            next.y = ctx.y * 0.999
          end },
        { name = "tick", every = 0.02, when = function(ctx) return ctx.n % 3 ~= 1 or ctx.time > 2 end,
          discrete_update = function(ctx, next) next.n = ctx.n + ctx.both[2] + 1 end },
        { name = "again", next_time = function(ctx) return ctx.n < 4e6 and ctx.time + 0.013 or nil end,
          discrete_update = function(ctx, next, event) next.n = ctx.n - event.count % 2 end },
      } }
    local sim = both_ways.run(saltus.system(def), 400)
    for _, line in ipairs(sim:programs()) do
      assert.equal("program", line.state, tostring(sim:programs()))
    end
    assert.equal(9, #sim:programs())
  end)
end)

describe("a program", function()
  it("sees upvalues, and numbers in tables, as they are at each call", function()
    local gain, knobs, on = 1, { offset = 0 }, true
    local sim = becomes_program(function(ctx, dot)
      dot.u[1], dot.u[2], dot.u[3] = 0, 0, 0
      dot.w = on and gain * ctx.k + knobs.offset or 0
    end)
    local function rate()
      local before = sim.context.w
      sim:advance_to(sim.context.time + 0.5)
      return (sim.context.w - before) / 0.5
    end
    assert.near(1.5, rate(), 1e-12)
    gain = 3
    assert.near(4.5, rate(), 1e-12)
    knobs.offset = 2.25
    assert.near(6.75, rate(), 1e-12)
    knobs = { offset = -1 }
    assert.near(3.5, rate(), 1e-12)
    on = false
    assert.near(0, rate(), 1e-12)
    assert.equal("program", states(sim).derivatives)
  end)

  it("calls the closure where an upvalue is another function or no number", function()
    local law, drag = function(v) return -v end, 0.5
    local sim = becomes_program(function(_, dot)
      dot.u[1], dot.u[2], dot.u[3] = 0, 0, 0
      dot.w = law(1) * drag
    end)
    local function rate()
      local before = sim.context.w
      sim:advance_to(sim.context.time + 0.1)
      return (sim.context.w - before) / 0.1
    end
    law = function(v) return 2 * v end
    assert.near(1, rate(), 1e-12)
    drag = "0.25" -- Lua calculates with what looks like a number
    assert.near(0.5, rate(), 1e-12)
    drag = nil
    local ok, message = pcall(sim.advance_to, sim, sim.context.time + 0.1)
    assert.is_false(ok)
    assert.is_truthy(message:find("attempt to perform arithmetic on a nil value (upvalue 'drag')", 1, true), message)
  end)

  it("that meets unexpected cases again and again is dropped", function()
    local steep = 1
    local sim = becomes_program(function(_, dot)
      dot.u[1], dot.u[2], dot.u[3], dot.w = 0, 0, 0, steep
    end)
    steep = setmetatable({}, { __unm = function() return 1 end })
    assert.has_error(function() sim:advance_to(sim.context.time + 1) end) -- once is not again and again
    steep = 2
    sim:advance_to(sim.context.time + 0.1)
    assert.equal("program", states(sim).derivatives)
    steep = 2 ^ 53 | 0
    sim:advance_to(sim.context.time + 1) -- integers are exact in doubles up to there
    assert.equal("its program often met values that it was not compiled for", line_of(sim, "derivatives").why)
  end)

  it("reports an unset name as the closure does", function()
    local sim = saltus.simulator(flowing(function(ctx, dot)
      dot.u[1], dot.u[2], dot.u[3] = 0, 0, 0
      if ctx.time < 0.8 then dot.w = 1 end
    end), steps)
    local ok, message = pcall(sim.advance_to, sim, 2)
    assert.is_false(ok)
    assert.is_truthy(message:find('derivatives of "s" leaves "w" unset', 1, true), message)
    assert.near(0.8, sim.context.time, 0.02)
  end)

  it("reports an element out of range as the closure does", function()
    local sim = saltus.simulator(flowing(function(ctx, dot)
      local n = math.floor(1 + ctx.time * 2)
      dot.u[1], dot.u[2], dot.u[3] = 0, 0, 0
      dot.w = ctx.u[n] * 2
    end), steps)
    local ok, message = pcall(sim.advance_to, sim, 2)
    assert.is_false(ok)
    assert.is_truthy(message:find("attempt to perform arithmetic on a nil value", 1, true), message)
    assert.near(1.5, sim.context.time, 0.02)
  end)

  it("rejects values that a state cannot have, as the closure does", function()
    local sim = saltus.simulator(saltus.system { name = "grower", discrete = { { "n", 1e300 } },
      events = { { name = "grow", every = 1, discrete_update = function(ctx, next)
        next.n = ctx.n * (ctx.time > 99.5 and 1e300 or 1) * (ctx.time > 100.5 and 0 or 1)
      end } } })
    local ok, message = pcall(sim.advance_to, sim, 200)
    assert.is_false(ok)
    assert.is_truthy(message:find('sets "n" to', 1, true), message)
    assert.near(101, sim.context.time, 1e-9)
  end)

  it("stops for a hook, so that Ctrl-C and debuggers reach a run", function()
    local sim = becomes_program(function(_, dot)
      dot.u[1], dot.u[2], dot.u[3], dot.w = 0, 0, 0, 1
    end)
    local seen = 0
    debug.sethook(function() seen = seen + 1 end, "l")
    sim:advance_to(sim.context.time + 0.1)
    debug.sethook()
    assert.is_true(seen >= 40, seen) -- ten steps of four stages
  end)

  it("stops, some calls later, for a hook that is set while it runs", function()
    local seen = 0
    local function rates(ctx, dot) dot.x = -ctx.x end
    local function see() seen = seen + (debug.getinfo(2, "f").func == rates and 1 or 0) end
    local function watch() debug.sethook(see, "l") end
    local sim = saltus.simulator(saltus.system { name = "watched", z = { { "x", 1 } }, derivatives = rates,
      events = { { name = "watch", every = 1, offset = 1, publish = watch } } },
      { integrator = "runge_kutta4", max_step = 0.01, fixed_step = true })
    sim:advance_to(0.95)
    assert.equal("program", sim:programs()[1].state)
    sim:advance_to(1.5)
    debug.sethook()
    assert.is_true(seen > 150 and seen < 250, seen) -- fifty steps of four stages, but for the first runs
  end)

  it("stops at once for a hook that a story sets", function()
    local main, seen = coroutine.running(), 0
    local function rates(ctx, dot) dot.x = -ctx.x end
    local function see() seen = seen + (debug.getinfo(2, "f").func == rates and 1 or 0) end
    local sim = saltus.simulator(saltus.system { name = "watched", z = { { "x", 1 } }, derivatives = rates },
      { integrator = "runge_kutta4", max_step = 0.01, fixed_step = true })
    saltus.stories(sim):spawn(function(s)
      s:wait(1)
      debug.sethook(main, see, "c")
      s:wait(0.1)
      debug.sethook(main)
    end)
    sim:advance_to(2)
    assert.equal(40, seen)
  end)

  it("serves the next run of the same model, and equal parts, at once", function()
    local function part(i)
      return saltus.system { name = "p" .. i, z = { { "x", i } }, params = { rate = i },
        derivatives = function(ctx, dot) dot.x = -ctx.rate * ctx.x end }
    end
    local function diagram()
      local d = saltus.diagram "many"
      for i = 1, 20 do d:add(part(i)) end
      return d
    end
    saltus.simulator(diagram(), steps):advance_to(1)
    local sim = saltus.simulator(diagram(), steps)
    sim:advance_to(0.05)
    for _, line in ipairs(sim:programs()) do assert.equal("program", line.state) end
    assert.equal(20, #sim:programs())
    for i = 1, 20 do assert.near(i * math.exp(-i * 0.05), sim.context["p" .. i].x, 1e-3) end
  end)
end)

describe("a closure remains in Lua", function()
  it("that does more than compute numbers, and sim:programs() gives the reason", function()
    local count = 0
    local function zero(dot) dot.u[1], dot.u[2], dot.u[3] = 0, 0, 0 end
    stays("SETUPVAL", function(_, dot)
      count = count + 1
      zero(dot)
      dot.w = 0
    end)
    assert.equal(2 * 400, count)
    stays("it calls a method that is not known", function(_, dot)
      zero(dot)
      dot.w = ("x"):rep(3) == "xxx" and 1 or 0
    end, {})
    stays("it calls math.random", function(_, dot)
      zero(dot)
      dot.w = math.random() * 0
    end)
    stays("it reads the past of u, which is not a single state", function(ctx, dot)
      zero(dot)
      dot.w = ctx.past.u(0.5)[1]
    end, { past = { u = 1 } })
  end)

  it("that was called only a few times", function()
    local sim = saltus.simulator(flowing(function(_, dot)
      dot.u[1], dot.u[2], dot.u[3], dot.w = 0, 0, 0, 7
    end), steps)
    sim:advance_to(0.02)
    assert.equal("it has been called a few times only", line_of(sim, "derivatives").why)
    assert.is_truthy(tostring(sim:programs()):find('derivatives of "s" +lua +it has been called a few times only'))
  end)
end)
