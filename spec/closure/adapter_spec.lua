-- Mirrors lua/saltus/closure/adapter.lua and adapter_codegen.lua, seen through closures: what they may read and write,
-- and what each mistake is reported. After a mistake the state is unchanged, and the run can continue.
local saltus = require "saltus"

local function ball(changes)
  local def = {
    name = "ball",
    q = { { "height", 1 } },
    v = { "speed" },
    discrete = { { "mode", "falling", values = { "falling", "resting" } }, "n" },
    params = { gravity = 9.81 },
    outputs = { energy = function(ctx) return ctx.gravity * ctx.height + ctx.speed ^ 2 / 2 end },
    derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -ctx.gravity end,
  }
  for key, value in pairs(changes) do def[key] = value end
  return saltus.system(def)
end

local function failure_of(sim, t)
  local ok, message = pcall(sim.advance_to, sim, t or 1)
  assert.is_false(ok)
  return message
end

-- Advances a changed ball until it fails; returns the message and the simulator.
local function failing(changes, options)
  local sim = saltus.simulator(ball(changes), options)
  return failure_of(sim), sim
end

local function has(text, message) assert.is_truthy(message:find(text, 1, true), message) end

local function event(e)
  e.name = e.name or "tick"
  if not e.witness then e.every = e.every or 0.5 end
  return { events = { e } }
end

describe("a shim", function()
  it("names the size of an output of several numbers", function()
    local sim = saltus.simulator(ball { outputs = { r = function() return { 1, 2 } end } })
    local _, message = pcall(function() return sim.context.r end)
    has('returned a table; it must return a number, or declare its size: { "r", function(ctx) ... end, size = 2 }',
      message)
  end)

  it("reports a write to the event, which a publish may take for `next`", function()
    local message = failing(event { publish = function(_, next) next.n = 2 end })
    assert.matches('^spec/closure/adapter_spec.lua:%d+: event "tick" of "ball" writes n of its event, which is '
      .. 'read%-only; a publish%(ctx, event%) writes nothing: make it an update%(ctx, next, event%)', message)
    has('event "tick" of "ball" writes seen of its event, which is read-only (in',
      failing(event { discrete_update = function(_, _, e) e.seen = true end }))
  end)

  it("reports conditions that are neither true nor false", function()
    local wrong = {
      { "0", function(ctx) return ctx.k end }, { "nil", function(ctx) local _ = ctx.height > 0 end },
      { "1", function(ctx) if ctx.height > 0.5 then return 1 end return false end },
      { "nil", function(ctx) if ctx.height < 0.5 then return true end end },
      { '"falling"', function(ctx) return ctx.mode end }, { "a table", function() return {} end } }
    local events = {
      ["`becomes` of"] = function(fn) return { becomes = fn } end,
      ["`when` of"] = function(fn) return { every = 0.5, when = fn } end,
      ["`when`  of"] = function(fn) return { witness = function(ctx) return ctx.height - 0.9 end, when = fn } end,
      ["`when`   of"] = function(fn) return { becomes = function(ctx) return ctx.height < 0.9 end, when = fn } end,
      ["`when`    of"] = function(fn) return { at = "step", when = fn, publish = function() end } end,
    }
    for what, make in pairs(events) do
      for _, case in ipairs(wrong) do
        for _, compile in ipairs { true, false } do
          local e = make(case[2])
          e.name = "odd"
          local message = failing({ events = { e }, discrete = { { "mode", "falling", values = { "falling" } }, "k" },
            compile = compile })
          assert.matches("^spec/closure/adapter_spec.lua:%d+: ", message)
          has(('%s event "odd" of "ball" returned %s; it must return true or false'):format(what:gsub(" +", " "),
            case[1]), message)
        end
      end
    end
  end)

  it("reports a condition that turns wrong after many calls", function()
    for _, value in ipairs { 0, "yes" } do
      local answer = true
      local sim = saltus.simulator(ball { events = { { name = "odd", every = 0.01, when = function(ctx)
        if ctx.time < 0.5 then return ctx.height < 2 end
        return answer
      end } } })
      answer = value
      has('`when` of event "odd" of "ball" returned', failure_of(sim))
    end
  end)

  it("reports elements that an update writes where it may not", function()
    local tried = {
      list = { function(_, next) next.r[1] = 5 end, function(_, next) table.insert(next.r, 5) end,
        function(_, next) next.p[2] = 5 end, function(_, next) next.box.deep[1] = 5 end,
        function(_, next) next.box.new = 5 end },
      names = { "r", "r", "p", "box", "box" } }
    for i, update in ipairs(tried.list) do
      for _, compile in ipairs { true, false } do
        local sim = saltus.simulator(saltus.system { name = "s", params = { p = { 1, 2 } }, z = { { "r", { 3, 4 } } },
          abstract = { { "box", { deep = {} } } }, discrete = { "seen" }, compile = compile,
          derivatives = function(_, dot) dot.r = { 0, 0 } end,
          events = { { name = "weak", every = 1, discrete_update = update } } })
        local message = failure_of(sim)
        has(('event "weak" of "s" may write discrete names only, not %q; an unrestricted_update may'):format(
          tried.names[i]), message)
        assert.matches("^spec/closure/adapter_spec.lua:%d+: ", message)
      end
    end
  end)

  it("lets an update read what it may not write", function()
    local seen
    local sim = saltus.simulator(saltus.system { name = "s", z = { { "r", { 3, 4 } } },
      discrete = { { "m", { 0, 0 } } },
      abstract = { { "box", { 5, deep = { 6 } } } }, derivatives = function(_, dot) dot.r = { 0, 0 } end,
      events = { { at = "initialization", discrete_update = function(_, next)
        next.m = next.r
        seen = { #next.r, table.concat(next.r, " "), table.unpack(next.box) }
        for i, value in ipairs(next.r) do seen[#seen + 1] = i * value end
        seen[#seen + 1] = next.box.deep[1]
      end } } })
    sim:initialize()
    assert.same({ 2, "3.0 4.0", 5, 3, 8, 6 }, seen)
    assert.same({ 3, 4 }, { table.unpack(sim.context.m) })
  end)

  it("reports unknown names, and names that belong to the other kind of update", function()
    local system = saltus.system { name = "s", abstract = { { "list", {} } }, events = {
      { name = "wrong", at = "demand", unrestricted_update = function(_, next) next.list.deep = { print } end },
      { name = "weak", at = "demand", discrete_update = function(_, next) next.list = {} end } } }
    for name, text in pairs {
      wrong = 'event "wrong" of "s" sets "list": abstract state holds plain data only (numbers, strings, booleans, tab'
        .. "les), found a function",
      weak = 'event "weak" of "s" may write discrete names only, not "list"; an unrestricted_update may' } do
      local sim = saltus.simulator(system)
      sim:demand(name)
      local message = failure_of(sim)
      has(text, message)
      assert.matches("^spec/closure/adapter_spec.lua:%d+: ", message)
    end
  end)

  it("has the fields of an event, and limits the life of event.before", function()
    has('unknown field "cuont" of the event in event "tick" of "ball"; did you mean "count"?',
      (failing(event { publish = function(_, e) return e.cuont and nil end })))
    local kept
    local sim = saltus.simulator(ball(event { witness = function(ctx) return ctx.height - 0.5 end,
      publish = function(_, e)
        assert(e.limit ~= e.limit and e.count)
        kept = e.before
        assert(kept.height > 0.5)
      end }))
    sim:advance_to(1)
    local _, message = pcall(function() return kept.height end)
    has("event.before is available only while its handler runs; copy what you need there", message)
    assert.matches("^spec/closure/adapter_spec.lua:", message)
  end)
end)

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
    has(("spec/closure/adapter_spec.lua:%d: derivatives of \"ball\" leaves"):format(here + 1), message)
    message = failing { events = { { name = "odd", every = 1,
      unrestricted_update = function(_, next) next.mode = "flying" end } } }
    has(("spec/closure/adapter_spec.lua:%d: event \"odd\" of \"ball\" sets \"mode\" to \"flying\""):format(here + 6),
      message)
  end)

  it("may set known names only", function()
    refused('unknown derivative "sped" in derivatives of "ball"; did you mean "speed"?',
      function(_, dot) dot.sped = 1 end)
    refused("adapter_spec.lua:", function(_, dot) dot.sped = 1 end)
  end)

  it("must set numbers", function()
    refused('derivatives of "ball" sets "speed" to "1"; it must be a number',
      function(_, dot) dot.height, dot.speed = 1, "1" end)
    refused('derivatives of "ball" sets "height" to a table', function(_, dot) dot.height, dot.speed = {}, 1 end)
    refused('derivatives of "ball" sets "height" to nil', function(_, dot) dot.height, dot.speed = nil, 1 end)
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
    refused('the witness of event "touch" of "ball" returned nil', function() end, 0)
    refused('returned nil', function(ctx) if ctx.time < 0.3 then return 1 end end)
  end)

  it("must not return NaN", function()
    refused("the witness returned NaN; let its `when` be false where it has no value (in touch of ball at t = 0)",
      function() return 0 / 0 end, 0)
    refused("(in touch of ball at t = ", function(ctx) return ctx.time < 0.3 and 1 or 0 / 0 end)
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
        has("adapter_spec.lua:", message)
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
    refused("adapter_spec.lua:", function(_, next) next.energy = 1 end)
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

describe("a handler", function()
  it("must return the outcome that it makes", function()
    for _, kind in ipairs { "publish", "discrete_update", "unrestricted_update" } do
      local message, sim = failing(event { [kind] = function() saltus.terminate "enough" end })
      has('event "tick" of "ball" made saltus.terminate("enough") and did not return it; write `return '
        .. "saltus.terminate(...)` (in tick of ball at t = 0)", message)
      assert.same({ 0, 0 }, { sim.context.time, sim.context.n })
    end
  end)

  it("must return nothing else", function()
    has('event "tick" of "ball" returned 3; return nothing, saltus.did_nothing, saltus.terminate(why) or '
      .. "saltus.fail(why)",
      (failing(event { publish = function() return 3 end })))
  end)

  it("may return an outcome made long before", function()
    local stop = saltus.terminate "enough"
    local sim = saltus.simulator(ball(event { publish = function() return stop end }))
    assert.equal("enough", sim:advance_to(1).message)
  end)
end)

describe("handlers of one shape", function()
  local function clocks(handlers)
    local d = saltus.diagram "clocks"
    for i, handler in ipairs(handlers) do
      d:add(saltus.system { name = "clock" .. i, discrete = { n = 0, r = { 0, 0 } },
        events = { { name = "tick", every = 1, discrete_update = handler } } })
    end
    return saltus.simulator(d)
  end

  it("are each called with their own context, event and upvalues", function()
    local list, heard = {}, {}
    for i = 1, 5 do
      list[i] = function(ctx, next, e)
        next.n = ctx.n + i
        next.r[2] = ctx.r[2] - i
        heard[#heard + 1] = ("%d %s %d"):format(i, e.name, e.count)
      end
    end
    local sim = clocks(list)
    sim:advance_to(3.5)
    for i = 1, 5 do
      assert.same({ 4 * i, 0, -4 * i }, { sim.context["clock" .. i .. ".n"], sim.context["clock" .. i].r[1],
        sim.context["clock" .. i].r[2] })
    end
    assert.same({ 20, "1 tick 0", "5 tick 0", "5 tick 3" }, { #heard, heard[1], heard[5], heard[20] })
  end)

  it("are named for their own errors", function()
    local function good(ctx, next) next.n = ctx.n + 1 end
    local function bad(ctx, next)
      next.n = ctx.n + 1
      if ctx.n == 2 then next.r = { 1, "two" } end
    end
    local function returns(ctx, next)
      next.n = ctx.n + 1
      if ctx.n == 2 then return 7 end
    end
    local function writes(ctx, next)
      next.n = ctx.n + 1
      if ctx.n == 2 then ctx.n = 5 end
    end
    local wrongs = { [bad] = 'event "tick" of "clock3" sets r[2] to "two"',
      [returns] = 'event "tick" of "clock3" returned 7', [writes] = 'event "tick" of "clock3" writes ctx.n' }
    for wrong, text in pairs(wrongs) do
      local sim = clocks { good, good, wrong, good }
      has(text, failure_of(sim, 3))
      assert.same({ 2, 2, 2, 2 }, { sim.context.clock1.n, sim.context.clock2.n, sim.context.clock3.n,
        sim.context.clock4.n })
    end
  end)

  it("receive the event in every form of access", function()
    local counts = {}
    local sim = clocks { function(...)
      local _, next, e = ...
      next.n = e.count
      counts[#counts + 1] = select("#", ...)
    end, function(_, next) next.n = 9 end }
    sim:advance_to(2)
    sim:advance_pending_events()
    assert.same({ 2, 9, { 3, 3, 3 } }, { sim.context.clock1.n, sim.context.clock2.n, counts })
  end)
end)
