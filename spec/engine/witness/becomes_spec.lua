-- Mirrors src/engine/witness/condition.c and event_iteration.c: events that fire where a condition turns true.
local saltus = require "saltus"
local recorder = require "spec.support.recorder"
local blocks = saltus.blocks

local function names_of(list)
  local names = {}
  for i, e in ipairs(list) do names[i] = e.name end
  return table.concat(names, " ")
end

describe("becomes, by a jump", function()
  local function tank(extra)
    local events = {
      { name = "recede", when = function(c) return c.mode == "over" end,
        becomes = function(c) return c.qin - 0.3 * math.sqrt(c.h) < 0 end,
        unrestricted_update = function(_, n) n.mode = "below" end },
      { name = "shut", every = 1000, offset = 20, unrestricted_update = function(_, n) n.qin = 0 end },
      extra,
    }
    return saltus.system { name = "tank", z = { { "h", 1 }, "spilt" }, params = { qin = 0.5 },
      discrete = { { "mode", "over", values = { "over", "below" } } },
      derivatives = function(c, dot)
        local net = c.qin - 0.3 * math.sqrt(math.max(c.h, 0))
        if c.mode == "over" then dot.h, dot.spilt = 0, net else dot.h, dot.spilt = net, 0 end
      end,
      events = events }
  end

  it("runs in the instant of the update that turned it true, which is one step", function()
    local monitored, stepped = 0, 0
    local sim = saltus.simulator(tank { name = "each", at = "step", publish = function(c)
      if c.time == 20 then stepped = stepped + 1 end
    end })
    local log = saltus.log(sim, { "h" })
    sim.monitor = function(c) if c.time == 20 then monitored = monitored + 1 end end
    sim:advance_to(22)
    assert.same({ 20 }, log:times "recede")
    assert.equal("below", sim.context.mode)
    assert.near(0.2 * 20, sim.context.spilt, 1e-9)
    assert.near((1 - 0.3 / 2 * 2) ^ 2, sim.context.h, 1e-5)
    assert.same({ 1, 1 }, { monitored, stepped })
  end)

  -- n parts behind a step, each of which hands on what it got.
  local function chain(n)
    local fired = {}
    local d = saltus.diagram "chain"
    d:add(blocks.step { time = 1, after = 1 }, "source")
    for k = 1, n do
      d:add(saltus.system { name = "link", inputs = { "u" }, discrete = { "out" },
        events = { { name = "pass", becomes = function(c) return c.u > 0.5 end,
          discrete_update = function(c, next)
            fired[#fired + 1] = ("%d at %g"):format(k, c.time)
            next.out = 1
          end } } }, "link" .. k)
      d:connect(k == 1 and "source" or ("link%d.out"):format(k - 1), ("link%d.u"):format(k))
    end
    local sim = saltus.simulator(d)
    sim:advance_to(3)
    return fired, sim.stats.steps
  end

  it("runs a chain at one instant, in order, with as many steps as one link", function()
    local fired, steps = chain(10)
    local _, alone = chain(1)
    local wanted = {}
    for k = 1, 10 do wanted[k] = ("%d at 1"):format(k) end
    assert.same(wanted, fired)
    assert.equal(alone, steps)
  end)

  it("does not fire when one round sets and clears it", function()
    local list, note = recorder()
    local s = saltus.system { name = "s", discrete = { "p" }, events = {
      { every = 1, unrestricted_update = function(_, next) next.p = 1 end },
      { every = 1, discrete_update = function(_, next) next.p = 0 end },
      { name = "seen", becomes = function(c) return c.p == 1 end, publish = note "seen" } } }
    local sim = saltus.simulator(s)
    sim:advance_to(3)
    assert.same({}, list)
  end)

  for _, kind in ipairs { "discrete_update", "unrestricted_update" } do
    it("runs all due events, independent of what others of the round write: " .. kind, function()
      local seen = {}
      local s = saltus.system { name = "s", discrete = { "p" }, events = {
        { every = 1, offset = 1, discrete_update = function(_, next) next.p = 1 end },
        { name = "D", becomes = function(c) return c.p == 1 end, [kind] = function(c, next)
          seen[#seen + 1] = "D" .. c.p
          next.p = 0
        end },
        { name = "C", becomes = function(c) return c.p == 1 end, discrete_update = function(c)
          seen[#seen + 1] = "C" .. c.p
        end } } }
      local sim = saltus.simulator(s)
      sim:advance_to(1.5)
      table.sort(seen)
      assert.same({ "C1.0", "D1.0" }, seen)
      sim:advance_to(2.5) -- cleared in between: it turns true again
      assert.equal(4, #seen)
    end)
  end

  it("orders a round by kind: publishes, unrestricted updates, discrete ones", function()
    local list, note = recorder()
    local p = function(c) return c.p == 1 end
    local s = saltus.system { name = "s", discrete = { "p" }, events = {
      { every = 1, offset = 1, discrete_update = function(_, next) next.p = 1 end },
      { name = "c", becomes = p, discrete_update = note "discrete" },
      { name = "b", becomes = p, unrestricted_update = note "unrestricted" },
      { name = "a", becomes = p, publish = note "publish" } } }
    saltus.simulator(s):advance_to(1.5)
    assert.equal("publish unrestricted discrete", names_of(list))
  end)

  it("refuses conditions that flip one another, by name, and undoes the instant", function()
    local rounds = 0
    local s = saltus.system { name = "s", discrete = { "p", "q" }, events = {
      { every = 10, offset = 1, discrete_update = function(_, next) next.q = 7 next.p = 1 end },
      { name = "up", becomes = function(c) return c.p == 1 end,
        discrete_update = function(_, next) rounds = rounds + 1 next.p = 2 end },
      { name = "down", becomes = function(c) return c.p == 2 end,
        discrete_update = function(_, next) rounds = rounds + 1 next.p = 1 end } } }
    local sim = saltus.simulator(s)
    local ok, message = pcall(sim.advance_to, sim, 5)
    assert.is_false(ok)
    assert.matches("up, down turn true again and again at one instant", message, nil, true)
    assert.equal(1000, rounds)
    assert.same({ 0, 0, 1 }, { sim.context.p, sim.context.q, sim.context.time })
  end)

  local function set(c) return c.p == 1 end

  it("does not fire for a condition that is true at the start, unless at_start is true", function()
    for _, at_start in ipairs { false, true } do
      local list, note = recorder()
      local s = saltus.system { name = "s", discrete = { { "p", 1 } }, events = {
        { name = "published", becomes = set, at_start = at_start, publish = note "published" },
        { name = "updated", becomes = set, at_start = at_start, discrete_update = note "updated" } } }
      saltus.simulator(s):advance_to(1)
      assert.equal(at_start and "published updated" or "", names_of(list))
      for _, e in ipairs(list) do assert.equal(0, e.time) end
    end
  end)

  it("fires when `when` turns true over a condition that holds", function()
    local list, note = recorder()
    local armed = { "armed", "no", values = { "no", "yes" } }
    local s = saltus.system { name = "s", discrete = { { "p", 1 }, armed }, events = {
      { every = 10, offset = 1, discrete_update = function(_, next) next.armed = "yes" end },
      { name = "seen", becomes = set, when = function(c) return c.armed == "yes" end,
        publish = note "seen" } } }
    saltus.simulator(s):advance_to(2)
    assert.same({ 1 }, { list[1].time, list[2] })
  end)

  it("fires after a write to sim.context, before the run continues", function()
    local list, note = recorder()
    local s = saltus.system { name = "s", z = { "x" }, discrete = { "p" },
      derivatives = function(_, dot) dot.x = 1 end, events = {
        { name = "ticks", at = "step", discrete_update = note "step" },
        { name = "shown", becomes = function(c) return c.p == 1 end, publish = note "shown" },
        { name = "seen", becomes = function(c) return c.p == 1 end, discrete_update = note "seen" } } }
    local sim = saltus.simulator(s)
    sim:advance_to(1)
    local before = #list
    sim.context.p = 1
    assert.equal(before, #list)
    sim:advance_to(2)
    assert.same({ "shown", "step", "seen" }, { list[before + 1].name, list[before + 2].name, list[before + 3].name })
    assert.same({ 1, 1, 1 }, { list[before + 1].time, list[before + 2].time, list[before + 3].time })
  end)

  it("fires after a write to the state where an update ended the run, and the updates do not run again", function()
    local list, note = recorder()
    local s = saltus.system { name = "s", z = { "x" }, discrete = { "p" },
      derivatives = function(_, dot) dot.x = 1 end, events = {
        { name = "stop", every = 10, offset = 1, discrete_update = function(c)
          note "stop" (c)
          return saltus.terminate "enough"
        end },
        { name = "seen", becomes = function(c) return c.p == 1 end, discrete_update = note "seen" } } }
    local sim = saltus.simulator(s)
    assert.equal("reached_termination", sim:advance_to(5).reason)
    sim.context.p = 1
    sim:advance_to(5)
    assert.equal("stop seen", names_of(list))
    assert.equal(1, list[2].time)
  end)

  it("undoes all rounds of an instant when a handler fails, keeps them due, and runs each once then", function()
    local failing, ran = true, {}
    local s = saltus.system { name = "s", discrete = { "p" }, abstract = { { "list", {} } }, params = { k = 1 },
      events = {
      { name = "first", every = 10, offset = 1, unrestricted_update = function(_, next)
        next.p = 1
        next.k = next.k + 1
        local list = next.list
        list[#list + 1] = "first"
        next.list = list
      end },
      { name = "second", becomes = function(c) return c.p == 1 end, unrestricted_update = function(_, next)
        ran[#ran + 1] = "second"
        next.p = 2
        local list = next.list
        list[#list + 1] = "second"
        next.list = list
      end },
      { name = "third", becomes = function(c) return c.p == 2 end, discrete_update = function(_, next)
        if failing then error "third fails" end
        ran[#ran + 1] = "third"
        next.p = 3
      end } } }
    local sim = saltus.simulator(s)
    local log = saltus.log(sim, { "p" })
    sim:advance_to(1)
    local before = sim:hash()
    assert.error_matches(function() sim:advance_to(2) end, "third fails %(in third of s at t = 1%)")
    assert.equal(before, sim:hash())
    assert.same({ 0, 1, 0 }, { sim.context.p, sim.context.k, #sim.context.list })
    failing, ran = false, {}
    sim:advance_to(2)
    assert.same({ "second", "third" }, ran)
    assert.same({ 3, 2, 2 }, { sim.context.p, sim.context.k, #sim.context.list })
    assert.same({ { 1 }, { 1 }, { 1 } }, { log:times "first", log:times "second", log:times "third" })
  end)

  it("fires at later instants after an instant whose updates were undone", function()
    local failing, times = true, {}
    local s = saltus.system { name = "s", discrete = { "level" }, events = {
      { name = "fill", every = 2, offset = 1, unrestricted_update = function(_, next) next.level = 1 end },
      { name = "check", every = 2, offset = 1, discrete_update = function()
        if failing then return saltus.fail "check fails" end
      end },
      { name = "drain", every = 2, offset = 2, unrestricted_update = function(_, next) next.level = 0 end },
      { name = "full", becomes = function(c) return c.level > 0.5 end, publish = function(c)
        times[#times + 1] = c.time
      end } } }
    local sim = saltus.simulator(s)
    assert.error_matches(function() sim:advance_to(6) end, "check fails")
    failing = false
    sim:advance_to(6)
    assert.same({ 1, 3, 5 }, times)
  end)

  it("continues from a save with the due events, as the uncut run does", function()
    local function make() return saltus.simulator(tank()) end
    local whole, cut = make(), make()
    whole:advance_to(30)
    cut:advance_to(20) -- shut is due, and waits
    local other = cut:clone()
    local third = make()
    third:load(cut:save())
    for _, sim in ipairs { cut, other, third } do
      sim:advance_to(30)
      assert.equal(whole:hash(), sim:hash())
      assert.equal("below", sim.context.mode)
    end
  end)

  it("includes in a save that it was true", function()
    local list, note = recorder()
    local s = saltus.system { name = "s", discrete = { "p" }, events = {
      { every = 1, offset = 1, discrete_update = function(_, next) next.p = 1 end },
      { name = "seen", becomes = function(c) return c.p == 1 end, publish = note "seen" } } }
    local sim = saltus.simulator(s)
    sim:advance_to(1.5)
    local other = saltus.simulator(s)
    other:load(sim:save())
    other:advance_to(4)
    assert.equal(1, #list)
  end)

  it("reaches counters after a step or a zero-order hold", function()
    local function count(feeding)
      local d = saltus.diagram "d"
      local u = feeding(d)
      d:add(saltus.system { name = "counter", inputs = { "u" }, discrete = { "n" }, events = {
        { becomes = function(c) return c.u > 0.5 end, discrete_update = function(c, next) next.n = c.n + 1 end } } },
        "count")
      d:connect(u, "count.u")
      local sim = saltus.simulator(d)
      local log = saltus.log(sim)
      sim:advance_to(5)
      return sim.context.count.n, log.events
    end
    assert.equal(1, (count(function(d)
      d:add(blocks.step { time = 1, after = 1 }, "step")
      return "step"
    end)))
    assert.equal(5, (count(function(d) -- samples of a pulse that is 1 in the first half of each second
      d:add(blocks.pulse { period = 1, width = 0.5 }, "pulse")
      d:add(blocks.zero_order_hold { period = 0.25 }, "hold")
      d:connect("pulse", "hold")
      return "hold"
    end)))
  end)
end)

describe("a witness that an update moves across zero", function()
  local function warned(witness, direction, update)
    local fired = 0
    local s = saltus.system { name = "s", z = { "h" }, discrete = { "cmd" },
      derivatives = function(_, dot) dot.h = 1 end,
      events = { { name = "kick", every = 1, offset = 1, [update] = function(c, next) next.cmd = 1 - c.cmd end },
        { name = "above", direction = direction, witness = witness, publish = function() fired = fired + 1 end } } }
    local sim = saltus.simulator(s)
    sim:advance_to(6.5)
    assert.equal(0, fired)
    return sim.warnings
  end
  local function commanded(c) return c.cmd - 0.5 end

  for _, update in ipairs { "discrete_update", "unrestricted_update" } do
    it("warns once, naming becomes: " .. update, function()
      local list = warned(commanded, "rising", update)
      assert.same({ 1, "jump", "above", "s", 1 }, { #list, list[1].kind, list[1].event, list[1].system, list[1].time })
      assert.matches("above of s has a witness that an update has moved to the other side", list[1].message, nil, true)
      assert.matches("`becomes` fires", list[1].message, nil, true)
    end)
  end

  it("ignores the other direction, and updates that do not change its side", function()
    assert.equal(0, #warned(function(c) return c.cmd + 0.5 end, "crossing", "discrete_update"))
    local list = warned(commanded, "falling", "discrete_update")
    assert.equal(2, list[1].time)
  end)

  it("ignores blocks, which detect jumps themselves, and bounces", function()
    local d = saltus.diagram "d"
    d:add(blocks.step { time = 1, after = 1 }, "step")
    d:add(blocks.counter { edge = "rising" }, "count")
    d:connect("step", "count")
    local sim = saltus.simulator(d)
    sim:advance_to(3)
    assert.same({ 1, 0 }, { sim.context.count.output, #sim.warnings })
    local ball = saltus.system { name = "ball", q = { { "h", 1 } }, v = { "v" },
      derivatives = function(c, dot) dot.h, dot.v = c.v, -9.81 end, events = { { direction = "falling",
        witness = function(c) return c.h end, unrestricted_update = function(c, next) next.h, next.v = 0, -c.v end } } }
    sim = saltus.simulator(ball)
    sim:advance_to(3)
    assert.equal(0, #sim.warnings)
  end)
end)

describe("becomes in a system that is added twice", function()
  it("fires in both parts at their own times", function()
    for _, compile in ipairs { true, false } do
      local kettle = saltus.system { name = "kettle", z = { { "water", 20 } }, params = { { "power", 10 } },
        discrete = { { "heat", 1 }, "at" }, derivatives = function(ctx, dot) dot.water = ctx.power * ctx.heat end,
        events = { { name = "hot", becomes = function(ctx) return ctx.water >= 100 end,
          discrete_update = function(ctx, next) next.heat, next.at = 0, ctx.time end } } }
      local d = saltus.diagram "kitchen"
      d:add(kettle, "a")
      d:add(kettle, "b")
      local sim = saltus.simulator(d, { compile = compile })
      sim.context["b.power"] = 20
      sim:advance_to(12)
      assert.near(8, sim.context["a.at"], 1e-12)
      assert.near(4, sim.context["b.at"], 1e-12)
    end
  end)
end)

describe("becomes, as it is declared", function()
  local function refused(event, message)
    assert.error_matches(function()
      saltus.system { name = "s", discrete = { "p" }, events = { event } }
    end, message)
  end
  local function yes() return true end

  it("is a function, and the only trigger besides its finders", function()
    refused({ becomes = 3 }, "becomes must be a function, got 3")
    refused({ becomes = yes, every = 1 }, "two triggers, every and becomes")
    refused({ becomes = yes, witness = 3 }, "must be a function or a list of functions, got 3")
    refused({ becomes = yes, witness = {} }, "must be a function or a list of functions, got a table")
    refused({ becomes = yes, direction = "rising" }, "direction belongs to an event with witness, this one has becomes")
    refused({ every = 1, at_start = true }, "at_start belongs to an event with becomes, this one has every")
    refused({ becomes = yes, at_start = 1 }, "at_start must be true or false, got 1")
  end)
end)
