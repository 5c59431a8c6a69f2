-- Mirrors src/binding/abstract_state.c and the value rules of abstract state: plain data, copied deep, read-only
-- through ctx, undone with the rest.
local saltus = require "saltus"
local fails = require "spec.support.fails"

local function keeper(handler, kind, more)
  local def = { name = "s", abstract = { { "queue", {} }, { "label", "none" } }, discrete = { "n" },
    events = { { name = "e", every = 1, [kind or "unrestricted_update"] = handler } } }
  for k, v in pairs(more or {}) do def[k] = v end
  return saltus.simulator(saltus.system(def))
end

local function list(frozen)
  local out = {}
  for i, v in ipairs(frozen) do out[i] = v end
  return out
end

describe("abstract state", function()
  it("is written whole or by elements through next, and persists between updates", function()
    local sim = keeper(function(ctx, next)
      next.queue[#next.queue + 1] = ctx.time
      next.label = "n" .. #next.queue
    end)
    sim:advance_to(2.5)
    assert.same({ { 0, 1, 2 }, "n3" }, { list(sim.context.queue), sim.context.label })
  end)

  it("is read-only through ctx, and a copy of what was assigned", function()
    local mine = { 1, { 2 } }
    local sim = keeper(function(ctx, next)
      next.queue = mine
      if ctx.time == 1 then ctx.queue[1] = 7 end
    end)
    fails("abstract_spec.lua:", sim.advance_to, sim, 3)
    fails("queue is read-only here; in an update, write to next.queue (in e of s at t = 1)", sim.advance_to, sim, 3)
    mine[2][1] = 99
    assert.equal(2, sim.context.queue[2][1])
    fails("queue is read-only here", function() sim.context.queue[1] = 3 end)
  end)

  it("is a copy when next is read, so that earlier copies do not change", function()
    local before
    local sim = keeper(function(_, next)
      before = next.queue
      next.queue = { 1 }
    end)
    sim:advance_to(1.5)
    assert.same({ 1 }, before)
    before[1] = 5
    assert.same({ 1 }, list(sim.context.queue))
  end)

  it("can be copied from ctx to next", function()
    local sim = keeper(function(ctx, next) next.queue = { ctx.queue, ctx.time } end)
    sim:advance_to(1.5)
    assert.same({ 1, 0 }, { sim.context.queue[2], sim.context.queue[1][2] })
  end)

  it("takes no function, userdata, or table with cycles; the update is undone", function()
    for _, value in ipairs { print, io.stdout, { deep = { print } } } do
      local on = true
      local sim = keeper(function(_, next) next.n = 5 next.label = "written" next.queue = on and value or {} end)
      fails("(in e of s at t = 0)", sim.advance_to, sim, 1)
      assert.same({ 0, "none" }, { sim.context.n, sim.context.label })
      on = false
      sim:advance_to(0.5)
      assert.same({ 5, "written" }, { sim.context.n, sim.context.label })
    end
    fails("must be plain data, found a function", saltus.system, { name = "s", abstract = { { "x", { print } } } })
    local sim = keeper(function() end)
    fails("plain data", function() sim.context.queue = { print } end)
  end)

  it("is undone with an instant that fails later", function()
    local on = true
    local sim = keeper(function(_, next) next.queue[#next.queue + 1] = 1 end, nil, { events = {
      { every = 1, unrestricted_update = function(_, next) next.queue[#next.queue + 1] = 1 end },
      { every = 1, unrestricted_update = function(_, next) next.queue[#next.queue + 1] = 2 end },
      { name = "bad", every = 1, discrete_update = function(ctx) if on
        and ctx.time == 1 then return saltus.fail "no" end end },
    } })
    for _ = 1, 3 do
      fails("no", sim.advance_to, sim, 3)
      assert.same({ 1, 2 }, list(sim.context.queue))
    end
    on = false
    sim:advance_to(1.5)
    assert.same({ 1, 2, 1, 2 }, list(sim.context.queue))
  end)

  it("discards the writes of a handler that did nothing, and not those of others", function()
    local sim = keeper(nil, nil, { events = {
      { every = 1, unrestricted_update = function(_, next) next.queue = { 1 } end },
      { every = 1, unrestricted_update = function(_, next) next.queue = { 9 } return saltus.did_nothing end },
      { every = 1, unrestricted_update = function(_, next) next.queue[#next.queue + 1] = 2 end } } })
    sim:advance_to(2.5)
    assert.same({ 1, 2 }, list(sim.context.queue))
  end)

  it("cannot be written by a discrete update", function()
    local sim = keeper(function(_, next) next.label = "x" end, "discrete_update")
    fails('may write discrete names only, not "label"', sim.advance_to, sim, 1)
  end)

  it("is restored when initialization fails, and can be written between calls", function()
    local sim = keeper(nil, nil, { events = {
      { at = "initialization", unrestricted_update = function(_, next) next.queue[1] = 7 end },
      { at = "initialization", publish = function() return saltus.fail "no" end } } })
    sim.context.queue = { 3 }
    fails("no", sim.advance_to, sim, 1)
    assert.same({ 3 }, list(sim.context.queue))
  end)

  it("is seen by witnesses, outputs, guards and the past of an event", function()
    local seen = {}
    local s = saltus.system { name = "s", z = { "x" }, abstract = { { "goal", { at = 0.5 } } },
      derivatives = function(_, dot) dot.x = 1 end,
      outputs = { gap = function(ctx) return ctx.goal.at - ctx.x end },
      events = { { when = function(ctx) return ctx.goal.at < 2 end, witness = function(ctx) return ctx.gap end,
        unrestricted_update = function(ctx, next, event)
          seen[#seen + 1] = { ctx.time, event.before.goal.at }
          next.goal.at = next.goal.at + 0.7
        end } } }
    saltus.simulator(s):advance_to(5)
    assert.equal(3, #seen)
    for i, t in ipairs { 0.5, 1.2, 1.9 } do
      assert.near(t, seen[i][1], 1e-7)
      assert.near(t, seen[i][2], 1e-12)
    end
  end)
end)
