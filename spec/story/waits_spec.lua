-- Mirrors lua/saltus/story/verbs.lua and src/binding/story/: when stories go on, and what they see then.
local saltus = require "saltus"

-- A counter that ticks each second; `seen` is what its publish found.
local function clock(seen)
  return saltus.system {
    name = "clock",
    discrete = { { "n", 0 }, { "m", 0 } },
    inputs = { { "u", 0 } },
    z = { { "x", 0 } },
    derivatives = function(ctx, dot) dot.x = ctx.u end,
    events = {
      { name = "tick", every = 1, discrete_update = function(ctx, next) next.n = ctx.n + 1 + 100 * ctx.m end },
      { name = "look", every = 1, publish = function(ctx) if seen then seen[#seen + 1] = ctx.n end end },
      { name = "ring", at = "demand", discrete_update = function(_, next) next.m = 0 end },
    },
  }
end

-- Tells stories on a new clock up to `stop`; returns the simulator and its stories.
local function told(stop, ...)
  local sim = saltus.simulator(clock())
  local stories = saltus.stories(sim)
  for _, fn in ipairs { ... } do stories:spawn(fn) end
  sim:advance_to(stop)
  return sim, stories
end

-- What a story notes by calling note(...): one list for each call.
local function notes(stop, fn)
  local list = {}
  told(stop, function(s, run) fn(s, run, function(...) list[#list + 1] = { ... } end) end)
  return list
end

describe("a story", function()
  it("names the verb that a wrong word may mean, or the list of verbs", function()
    for verb, hint in pairs { wait_untl = 'did you mean "wait_until"?', hold = "see saltus help stories" } do
      assert.error_matches(function() told(1, function(s) s[verb](s, 1) end) end,
        ('unknown verb "%s" of a story; %s'):format(verb, hint), 1, true)
    end
  end)

  it("waits for seconds, at the start of the run and after", function()
    assert.same({ { 0 }, { 2 }, { 2.5 } }, notes(10, function(s, _, note)
      note(s.time)
      s:wait(2)
      note(s.time)
      s:wait(0.5)
      note(s.time)
    end))
  end)

  it("reads and writes the run by path; a write at an instant is seen by its updates", function()
    assert.same({ { 1 }, { 102 } }, notes(3, function(s, run, note)
      s:wait(1) -- x-: the tick at 0 has run, that at 1 has not
      note(run.n)
      run.m = 1
      s:wait_event "tick" -- the one at 1
      run.m = 0
      note(run.n)
    end))
  end)

  it("that is due sees x-, after the publishes; one that an event woke sees x+", function()
    local seen, found = {}, {}
    local sim = saltus.simulator(clock(seen))
    local stories = saltus.stories(sim)
    stories:spawn(function(s, run) s:wait(2) found.due, found.published = run.n, #seen end)
    stories:spawn(function(s, run) s:wait(1.5) s:wait_event "tick" found.woken, found.time = run.n, s.time end)
    sim:advance_to(4)
    assert.same({ due = 2, published = 3, woken = 3, time = 2 }, found)
  end)

  it("runs in the order of spawning at one instant, in whatever order they were spawned", function()
    local function order_of(names)
      local order = {}
      local stories = {}
      for i, name in ipairs(names) do
        stories[i] = function(s) s:wait(1) order[#order + 1] = name s:wait(1) order[#order + 1] = name end
      end
      told(3, table.unpack(stories))
      return table.concat(order, " ")
    end
    assert.equal("a b a b", order_of { "a", "b" })
    assert.equal("b a b a", order_of { "b", "a" })
  end)

  it("that emits wakes the others before time passes, in the order in which they began to wait", function()
    local order = {}
    local function waiter(name)
      return function(s)
        local data = s:wait_event "go"
        order[#order + 1] = name .. data .. s.time
      end
    end
    told(5, waiter "a", waiter "b", function(s) s:wait(2) s:emit("go", "!") order[#order + 1] = "emitted" end)
    assert.same({ "emitted", "a!2.0", "b!2.0" }, order)
  end)

  it("demands an event of the model, which runs in the updates of that instant", function()
    assert.same({ { 5 }, { 0, 1.5 } }, notes(3, function(s, run, note)
      s:wait(1.5)
      run.m = 5
      note(run.m)
      s:emit "ring"
      s:wait_event("ring", { within = 0 })
      note(run.m, s.time)
    end))
  end)

  it("waits for the first of several, or for all", function()
    assert.same({ { 2, 1 }, { 1, 2, "data" }, { 5 } }, notes(10, function(s, _, note)
      note(s:wait_any { s:event "abort", 1 }, s.time)
      s:spawn(function(t) t:wait(1) t:emit("abort", "data") end)
      local which, data = s:wait_any { s:event "abort", 30 }
      note(which, s.time, data)
      s:wait_all { 3, 1, 2 }
      note(s.time)
    end))
  end)

  it("takes the lowest of the conditions that are met at one instant", function()
    assert.same({ { 1, "late" } }, notes(3, function(s, _, note)
      s:spawn(function(t) t:wait(1) t:emit "second" t:emit("first", "late") end)
      note(s:wait_any { s:event "first", s:event "second" })
    end))
  end)

  it("waits for the end of another one, with its arguments", function()
    assert.same({ { 7, "x" }, { 2 }, { "ended" } }, notes(5, function(s, _, note)
      local other = s:spawn("worker", function(t, _, a, b) note(a, b) t:wait(2) end, 7, "x")
      s:wait_until(other)
      note(s.time)
      s:wait_until(other)
      note(other:state())
    end))
  end)

  it("cancels another one, whose variables are closed", function()
    local closed = 0
    local list = notes(5, function(s, _, note)
      local other = s:spawn(function(t)
        local guard <close> = setmetatable({}, { __close = function() closed = closed + 1 end })
        t:wait(3)
        note("never", guard)
      end)
      s:wait(1)
      note(s:cancel(other), s:cancel(other), other:state())
    end)
    assert.same({ { true, false, "ended" } }, list)
    assert.equal(1, closed)
  end)

  it("moves an input on a straight line, and goes on when it is there", function()
    local sim = told(10, function(s) s:wait(1) s:ramp("u", 4, { over = 2 }) s:expect(s.time == 3) end)
    assert.near(4 + 4 * 7, sim.context.x, 1e-9)
  end)

  it("waits for a time and for each multiple of a period, without a running sum", function()
    local last
    notes(1000, function(s)
      s:at(3)
      for t, k in s:every(0.1) do
        if k == 3000 then last = t break end
      end
    end)
    assert.equal(3 + 3000 * 0.1, last)
  end)

  it("ends the run with its message; the next advance goes on after it", function()
    local sim = saltus.simulator(clock())
    local after
    saltus.stories(sim):spawn(function(s) s:wait(2) s:stop "told" after = s.time end)
    local status = sim:advance_to(10)
    assert.same({ "reached_termination", 2.0, "told" }, { status.reason, status.time, status.message })
    assert.equal(status, sim.status)
    assert.equal("reached_boundary_time", sim:advance_to(3).reason)
    assert.equal(2.0, after)
  end)

  it("does not change the events of the run", function()
    local function hash(fn)
      local sim = saltus.simulator(clock())
      if fn then saltus.stories(sim):spawn(fn) end
      sim:advance_to(20)
      return sim:hash()
    end
    assert.equal(hash(), hash(function(s) while true do s:wait(0.3) end end))
  end)

  it("is told the same by steps", function()
    local order = {}
    local sim = saltus.simulator(clock())
    saltus.stories(sim):spawn(function(s) for i = 1, 3 do s:wait(0.7) order[i] = s.time end end)
    for _ in sim:steps(2) do end
    assert.same({ 0.7, 1.4 }, order)
    assert.equal(2.0, sim.context.time)
  end)
end)

describe("a log of a run with stories", function()
  it("has rows for both sides of what a story writes, and the events that it emits", function()
    local scenario = saltus.scenario { system = clock(), duration = 4, log = { "n", "m" }, story = function(s, run)
      s:wait(1.5)
      run.m = 7
      s:emit "parry"
      s:wait(1)
      s:emit "thrust"
      s:emit "parry"
    end }
    local result = scenario:run()
    assert.same({ 1.5, 2.5 }, result.log:times "parry")
    assert.same({ 2.5 }, result.log:times "thrust")
    local before, after
    for row, t in ipairs(result.log.time) do
      if t == 1.5 then before, after = before or result.log.m[row], result.log.m[row] end
    end
    assert.same({ 0, 7 }, { before, after })
    assert.error_matches(function() return result.log:times "pary" end,
      'unknown event "pary" in "clock"; did you mean "parry"')
  end)

  it("is loaded with its run", function()
    local scenario = saltus.scenario { system = clock(), duration = 4, log = { "n" }, story = function(s)
      while true do s:wait(1) s:emit("beat " .. s.time // 1 % 2) end
    end }
    local run = scenario:prepare()
    run.sim:advance_to(2.5)
    local clone = run.sim:clone()
    local log = run.log:clone(clone)
    clone:advance_to(4)
    run.sim:advance_to(4)
    assert.same({ 1, 3 }, log:times "beat 1.0")
    assert.same(run.log:times "beat 0.0", log:times "beat 0.0")
  end)
end)

describe("the timeline of stories", function()
  it("has a line each time that a story goes on: when, which, after what, and by whom", function()
    local lines = {}
    local sim = saltus.simulator(clock())
    local stories = saltus.stories(sim)
    stories:trace(function(line) lines[#lines + 1] = line end)
    stories:spawn("main", function(s)
      s:spawn("bell", function(t) t:wait_event "go" end)
      s:wait(2)
      s:emit "go"
    end)
    sim:advance_to(5)
    assert.equal(4, #lines)
    for i, pattern in ipairs { "^ +0 s  main +begins$", "^ +0 s  bell +begins by main$",
      "^ +2 s  main +after a time  %(.*waits_spec.lua:%d+%)$",
      "^ +2 s  bell +after event \"go\" by main  %(.*waits_spec.lua:%d+%)$" } do
      assert.matches(pattern, lines[i])
    end
  end)
end)

describe("an error in a story", function()
  local function failure(fn, stop)
    local sim = saltus.simulator(clock())
    saltus.stories(sim):spawn("main", fn)
    local ok, message = pcall(sim.advance_to, sim, stop or 5)
    assert.is_false(ok)
    return message, sim
  end

  local function line() return debug.getinfo(2, "l").currentline end

  it("names the line, the story and the time", function()
    local here = line()
    local message, sim = failure(function(s, run) s:wait(1.5) run.m = run.nothing end)
    assert.matches(("waits_spec.lua:%d: .*\"nothing\".* %%(in story \"main\" at t = 1.5%%)"):format(here + 1), message)
    assert.same({ "story_failed", "main", 1.5 }, { sim.failure.reason, sim.failure.story, sim.failure.time })
  end)

  it("of a wait that is not met in time says for what it waited", function()
    local here = line()
    local message = failure(function(s) s:wait(1) s:wait_event("never", { within = 0.25 }) end)
    assert.matches(("waits_spec.lua:%d: waited 0.25 s in vain for event \"never\" %%(in story \"main\" at t = 1.25%%)")
      :format(here + 1), message)
  end)

  it("is no error if the event comes at the last instant", function()
    assert.same({ { 2 } }, notes(4, function(s, _, note)
      s:wait(1.5)
      s:wait_event("tick", { within = 0.5 })
      note(s.time)
    end))
  end)

  it("keeps the user's own error object", function()
    local object = { "own" }
    assert.equal(object, (failure(function() error(object) end)))
  end)

  it("lets the others go on in the next advance", function()
    local sim = saltus.simulator(clock())
    local stories, late = saltus.stories(sim), nil
    stories:spawn(function(s) s:wait(1) error "first" end)
    stories:spawn(function(s) s:wait(1) s:wait(1) late = s.time end)
    assert.is_false((pcall(sim.advance_to, sim, 5)))
    sim:advance_to(5)
    assert.equal(2.0, late)
  end)

  it("is raised for zero waits without end, also of a chain of stories", function()
    assert.matches("waits_spec.lua:%d+: .*resumed 1000 times without time passing.* %(in story \"main\" at t = 1%)",
      (failure(function(s) s:wait(1) while true do s:wait(0) end end)))
    assert.matches("waits_spec.lua:%d+: .*resumed 1000 times", (failure(function(s)
      local function again(t) t:spawn(again) end
      s:spawn(again)
    end)))
    assert.matches("1000 waits that took no time", (failure(function(s)
      local box = s:store()
      while true do box:put(1) end
    end)))
  end)

  it("is not raised for many stories at one instant", function()
    local n = 0
    told(1, function(s) for _ = 1, 5000 do s:spawn(function() n = n + 1 end) end end)
    assert.equal(5000, n)
  end)

  it("is raised for waits where none can be", function()
    assert.matches("cannot wait within a coroutine", (failure(function(s)
      coroutine.wrap(function() s:wait(1) end)()
    end)))
    assert.matches("cannot wait within a function that C code calls", (failure(function(s)
      table.sort({ 1, 2 }, function() s:wait(1) end)
    end)))
    assert.matches("waits_spec.lua:%d+: a story waits with .* not with coroutine.yield", (failure(function()
      coroutine.yield()
    end)))
    assert.matches("a story cannot advance the run", (failure(function(s) s.stories.sim:advance_to(9) end)))
    assert.matches("waits_spec.lua:%d+: write s:wait%(...%), with a colon", (failure(function(s) s.wait(1) end)))
    assert.matches("waits_spec.lua:%d+: write s:ramp%(...%), with a colon", (failure(function(s) s.ramp("x", 1) end)))
    for _, wrong in ipairs { function(s) s:resource({}).take() end, function(s) s:store({}).put(1) end,
      function(s) s:tank({}).get(1) end } do
      assert.matches("waits_spec.lua:%d+: write %a+:%a+%(...%), with a colon", (failure(wrong)))
    end
    assert.matches("ramp: over must be a number of seconds greater than 0, .* got 1",
      (failure(function(s) s:ramp("u", 4, 1) end)))
    assert.matches("waits_spec.lua:%d+: saltus.terminate is for handlers and the monitor; a story writes s:stop%(why%)",
      (failure(function(s)
        s:wait(1)
        local ended = saltus.terminate "done"
        return ended
      end)))
    assert.matches("saltus.fail is for handlers and the monitor; a story writes error%(why%)",
      (failure(function() saltus.fail "why" end)))
    assert.matches("must not be negative or NaN", (failure(function(s) s:wait(-1) end)))
    assert.matches("a condition is words.* got nil", (failure(function(s) s:wait_any { nil, 3 } end)))
    assert.matches("cannot cancel itself", (failure(function(s) s:cancel(s) end)))
    assert.matches("cannot set the time", (failure(function(_, run) run.time = 3 end)))
    local foreign = saltus.stories(saltus.simulator(clock())):spawn(function() end)
    assert.matches("of its own run only", (failure(function(s) s:wait_until(foreign) end)))
    assert.matches("a story of another run", (failure(function(s) s:cancel(foreign) end)))
    assert.matches("must not be negative or NaN, got NaN", (failure(function(s) s:wait(0 / 0) end)))
    assert.matches("wait_any takes a list of conditions, got an empty one", (failure(function(s) s:wait_any {} end)))
    for _, fn in ipairs { function(s) s.stories.sim:advance_to(9) end,
      function(s) table.sort({ 1, 2 }, function() s:wait_until "n > 1" end) end } do
      assert.matches("^[^\n]*waits_spec.lua:%d+: a story cannot", (failure(fn)))
    end
    assert.matches("did you mean \"wait_until\"", (failure(function(s) s:waituntil(3) end)))
    local sim = told(1, function() end)
    local outside
    saltus.stories(sim):spawn(function(s) outside = s s:wait(5) end)
    sim:advance_to(2)
    assert.error_matches(function() outside:wait(1) end, "only a story can wait")
  end)
end)

describe("the list of the parked", function()
  it("has name, line and what each waits for", function()
    local _, stories = told(5, function(s)
      s:spawn("bell", function(t) t:wait_event "bell" end)
      s:wait_any { s:event "a", 100 }
    end)
    local list = stories:parked()
    assert.same({ "story 1", "any of event \"a\", 100 s" }, { list[1].name, list[1].waits_for })
    assert.same({ "bell", "event \"bell\"" }, { list[2].name, list[2].waits_for })
    assert.matches("waits_spec.lua:%d+", list[1].line)
    assert.matches("bell, .*waits_spec.lua:%d+: waits for event \"bell\"", tostring(list))
  end)
end)
