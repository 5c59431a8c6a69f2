-- Mirrors lua/saltus/closure/adapter.lua and its code generators: events and their handlers, and what each mistake is
-- reported. access_spec.lua has what closures may read and write.
local saltus = require "saltus"
local failing_ball = require "spec.support.failing_ball"

local ball, failure_of, failing = failing_ball.make, failing_ball.failure_of, failing_ball.run
local has, event = failing_ball.has, failing_ball.event

describe("an adapter", function()
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
