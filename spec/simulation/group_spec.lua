-- Mirrors src/engine/group/, in lua/saltus/group: members go their own ways within a frame, and meet at its end.
local saltus = require "saltus"

local group -- of the running test

-- Pushed by a wind; throws at times of its own, and notes what hits it.
local thing = saltus.system {
  name = "thing",
  z = { { "x", 1 } },
  inputs = { { "wind", 0 }, { "other", 0 } },
  discrete = { { "throw_at", 0.25 }, { "target", 0 }, { "hits", 0 }, { "broken", 0 } },
  abstract = { { "notes", {} } },
  derivatives = function(ctx, dot) dot.x = ctx.wind - 0.1 * ctx.x + 0.01 * ctx.other end,
  events = {
    { name = "throw", next_time = "throw_at", unrestricted_update = function(ctx, next)
      if ctx.broken == 1 then error("it is broken", 0) end
      next.throw_at = ctx.time + 0.3 + 0.1 * next.random()
      if ctx.target > 0 then group:send(ctx.target, "hit", { strength = group:self() }) end
    end },
    { name = "hit", at = "demand", unrestricted_update = function(_, next)
      local m = group:message()
      next.hits = next.hits + 1
      next.notes[#next.notes + 1] = m.from
      assert(m.data.strength == m.from)
    end },
  },
}

local function new(options)
  group = saltus.group(thing, options)
  return group
end

describe("saltus.group", function()
  it("advances members as simulators of their own", function()
    local g, single = new { seed = 4 }, {}
    for i = 1, 3 do
      local member = g:add { x = i }
      single[i] = saltus.simulator(thing)
      single[i]:copy_from(member.sim)
    end
    for frame = 1, 30 do
      g:feed("wind", frame / 30 + 0.01, frame % 7 - 3)
      g:advance_to(frame / 30)
      for _, sim in ipairs(single) do
        sim:feed("wind", frame / 30 + 0.01, frame % 7 - 3)
        sim:advance_to(frame / 30)
      end
    end
    for i, sim in ipairs(single) do assert.equal(sim:hash(), g:check(i, "spec").sim:hash()) end
  end)

  it("advances members in the order of their ids, also after some have left and a load", function()
    local ran = {}
    local clock = saltus.system { name = "clock", params = { { "rate", 1 } }, events = { { every = 1, offset = 0.5,
      publish = function() ran[#ran + 1] = group:self() end } } }
    local g, members = saltus.group(clock), {}
    group = g
    local function order_of_a_frame()
      ran = {}
      g:advance_to(g.time + 1)
      assert.same(ran, g:ids())
      return ran
    end
    for i = 1, 12 do members[i] = g:add() end
    local saved = g:save()
    assert.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }, order_of_a_frame())
    for _, i in ipairs { 7, 1, 12, 4, 5 } do g:remove(members[i]) end
    assert.error_matches(function() g:add { speed = 1 } end, "speed")
    g:add()
    assert.same({ 2, 3, 6, 8, 9, 10, 11, 13 }, order_of_a_frame())
    g:load(saved)
    g:remove(members[2])
    g:add()
    assert.same({ 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 }, order_of_a_frame())
    assert.equal(12, g.count)
  end)

  it("lets members read shared inputs at their own times", function()
    local g = new()
    local early = g:add { x = 0 }
    g:feed("wind", 2, 6)
    g:advance_to(1)
    local late = g:add { x = 0 }
    g:advance_to(2)
    assert.near(60 - 300 + 300 * math.exp(-0.2), early.context.x, 1e-5) -- x' = 3 t - x / 10, from 0
    assert.near(60 - 300 + 270 * math.exp(-0.1), late.context.x, 1e-5) -- from 1
    g:set_input("wind", 0)
    g:advance_to(3)
    assert.near((60 - 300 + 300 * math.exp(-0.2)) * math.exp(-0.1), early.context.x, 1e-5)
  end)

  it("ends a line by the value that it has at present", function()
    local g = new {}
    local member = g:add { x = 0 }
    g:feed("wind", 2, 6)
    g:set_input("wind", 0)
    g:advance_to(2)
    assert.equal(0, member.context.wind)
    assert.near(0, member.context.x, 1e-9)
  end)

  it("delivers messages at the end of the frame, by time and then by member", function()
    local g = new()
    local target, from = g:add(), {}
    for i = 1, 4 do from[i] = g:add { target = target.id } end
    from[3].context.throw_at = 0.1
    g:advance_to(0.05)
    assert.equal(0, target.context.hits)
    g:advance_to(0.28)
    assert.equal(4, target.context.hits)
    local notes = {}
    for i, note in ipairs(target.context.notes) do notes[i] = note end
    assert.same({ from[3].id, from[1].id, from[2].id, from[4].id }, notes)
  end)

  it("carries links at the end of the frame", function()
    local g = new()
    local a, b = g:add { x = 10, throw_at = 99 }, g:add { x = 20, throw_at = 99 }
    g:link(b, "x", a, "other")
    a.context.other = 0
    g:advance_to(1)
    assert.near(10 * math.exp(-0.1), a.context.x, 1e-5)
    assert.equal(b.context.x, a.context.other)
    g:remove(b)
    local held = a.context.other
    g:advance_to(2)
    assert.equal(held, a.context.other)
  end)

  it("continues to the same hash after a load, also in another group", function()
    local g = new { seed = 2 }
    local last
    for i = 1, 5 do last = g:add { x = i, target = last and last.id } end
    g:feed("wind", 3, 3)
    g:link(last, "x", 1, "other")
    g:advance_to(0.7)
    g:remove(2)
    local saved, hash = g:save(), g:hash()
    local function go_on()
      for frame = 1, 12 do
        group:advance_to(0.7 + frame / 10)
        if frame == 5 then group:add { x = 5, target = 1 } end
      end
      return group:hash()
    end
    local end_hash = go_on()
    assert.not_equal(hash, end_hash)
    g:load(saved)
    assert.equal(hash, g:hash())
    assert.equal(end_hash, go_on())
    new { seed = 2 }:load(saved)
    assert.equal(end_hash, go_on())
    assert.error_matches(function() group:load(saved:sub(2)) end, "not saved by a group of \"thing\"", 1, true)
    local sines = saltus.group(saltus.blocks.sine {})
    assert.error_matches(function() sines:load(saved) end, "not saved by a group", 1, true)
    assert.equal(end_hash, group:hash())
  end)

  it("loads into the simulators of its members, so that contexts, logs and settings remain", function()
    local g = new()
    local a, b = g:add { x = 1 }, g:add { x = 2 }
    local sim, ctx, log = a.sim, a.context, saltus.log(a.sim, { "x", every = 0.5 })
    sim:configuration { max_step = 0.05 }
    g:advance_to(1)
    local saved, x = g:save(), ctx.x
    g:advance_to(2)
    g:remove(b)
    g:add()
    g:load(saved)
    assert.same({ 1, x, 0.05, 3 }, { ctx.time, ctx.x, sim:configuration().max_step, #log.time })
    assert.is_true(sim == a.sim and ctx == a.context)
    assert.is_nil(b.sim)
    assert.same({ 1, 2 }, g:ids())
    g:advance_to(2)
    assert.same({ 0, 0.5, 1, 1.5, 2 }, { table.unpack(log.time, 1, #log.time) })
    assert.equal(ctx.x, log.x[5])
  end)

  it("changes nothing, also no log, if one member of a save does not fit", function()
    local g = new()
    local a, b = g:add(), g:add()
    local log = saltus.log(a.sim, { "x", every = 0.5 })
    local watch = b.sim:watch(function(ctx) return ctx.x - 9 end)
    local saved = g:save()
    g:load(saved)
    g:advance_to(1)
    b.sim:unwatch(watch)
    local hash = g:hash()
    assert.error_matches(function() g:load(saved) end, "not saved by a group .*has an armed watch")
    assert.same({ 3, hash }, { #log.time, g:hash() })
  end)

  it("lets the others arrive if a member fails, and continues it in the next frame", function()
    local g = new()
    local a, b = g:add { throw_at = 99 }, g:add()
    b.context.broken, b.context.target = 1, a.id
    local c = g:add { target = b.id }
    assert.error_matches(function() g:advance_to(0.6) end, "it is broken", 1, true)
    assert.same({ 0.6, 0.25, 0.6 }, { a.context.time, b.context.time, c.context.time })
    assert.equal(0, b.context.hits)
    b.context.broken = 0
    assert.same({}, g:advance_to(0.6))
    assert.same({ 0.6, 1, 1 }, { b.context.time, a.context.hits, b.context.hits > 0 and 1 })
  end)

  -- Sends in a publish, an update or a start, and fails where its host says so.
  local sender = saltus.system { name = "sender", z = { "x" },
    discrete = { "target", "hits", "sum", { "sends_in", "none", values = { "none", "start", "shout", "shoot", "hit" } },
      { "fails_in", "none", values = { "none", "start", "shout", "shoot", "hit", "flow" } } },
    derivatives = function(ctx, dot)
      if ctx.fails_in == "flow" and ctx.time > 0.5 then error "it is broken" end
      dot.x = 1
    end,
    events = (function()
      local function acts(name)
        return function(ctx, next)
          if ctx.sends_in == name then group:send(ctx.target, "hit", 7) end
          if name == "hit" then next.hits, next.sum = next.hits + 1, next.sum + group:message().data end
          if ctx.fails_in == name then error "it is broken" end
        end
      end
      return {
        { name = "start", at = "initialization", discrete_update = acts "start" },
        { name = "shout", every = 100, offset = 0.5, publish = acts "shout" },
        { name = "shoot", every = 100, offset = 0.5, discrete_update = acts "shoot" },
        { name = "hit", at = "demand", discrete_update = acts "hit" },
      }
    end)() }

  for _, case in ipairs { { "shoot", "shoot", 0 }, { "shout", "shoot", 1 }, { "shout", "shout", 1 },
    { "shoot", "flow", 1 }, { "start", "start", 0 }, { "start", "shoot", 1 } } do
    it(("delivers once what is sent in %s, if the sender fails in %s"):format(case[1], case[2]), function()
      group = saltus.group(sender)
      local target = group:add()
      local from = group:add { target = target.id, sends_in = case[1], fails_in = case[2] }
      assert.error_matches(function() group:advance_to(1) end, "it is broken", 1, true)
      assert.equal(case[3], target.context.hits)
      from.context.fails_in = "none"
      for t = 2, 3 do
        group:advance_to(t)
        assert.equal(1, target.context.hits)
      end
    end)
  end

  it("delivers a message again whose handler failed, and counts its member once", function()
    group = saltus.group(sender)
    local a, b, c = group:add(), group:add(), group:add()
    for _, from in ipairs { a, c } do from.context.target, from.context.sends_in = b.id, "shoot" end
    b.context.target, b.context.sends_in, b.context.fails_in = a.id, "hit", "hit"
    for t = 1, 2 do
      assert.error_matches(function() group:advance_to(t) end, "it is broken", 1, true)
      assert.equal(0, b.context.hits)
    end
    b.context.fails_in = "none"
    for t = 3, 4 do
      assert.same({}, group:advance_to(t))
      assert.same({ 2, 14 }, { b.context.hits, b.context.sum })
    end
    assert.same({ 2, 14 }, { a.context.hits, a.context.sum })
  end)

  it("refuses what is wrong with words", function()
    local g = new()
    local member = g:add()
    g:remove(member)
    local function refused(fn, words) assert.error_matches(fn, words, 1, true) end
    refused(function() g:remove(member) end, "remove takes a member of the group")
    refused(function() g:add { nothing = 1 } end, "nothing")
    assert.equal(0, g.count)
    refused(function() g:advance_to(-1) end, "not in the past")
    refused(function() g:send(1, "hit") end, "only a handler of a member can send")
    refused(function() g:feed("x", 1, 1) end, "\"x\" is not an input")
    refused(function() g:feed("wind", 0, 1) end, "later than now")
    refused(function() saltus.group(thing, { start_time = "now" }) end, "start_time must be a number")
    refused(function() saltus.group(thing, { no = 1 }) end, "no")
  end)
end)
