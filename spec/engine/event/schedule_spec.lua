-- Mirrors src/engine/event/event_calendar.c, seen through sim:schedule and sim:cancel.
local saltus = require "saltus"

local function counter(told)
  return saltus.simulator(saltus.system {
    name = "counter", discrete = { n = 0 },
    events = {
      { name = "count", at = "demand", discrete_update = function(_, next) next.n = next.n + 1 end },
      { name = "tell", at = "demand", publish = function(ctx) told[#told + 1] = ctx.time end },
      { name = "first", at = "demand", publish = function() told[#told + 1] = "first" end },
    },
  })
end

describe("sim:schedule", function()
  it("runs each of 40,000 once, in the order of their times", function() -- how fast: schedule_growth of spec/bench
    local told, wanted = {}, {}
    local sim = counter(told)
    for i = 1, 40000 do
      wanted[i] = (i * 7919 % 1000003) * 1e-6
      sim:schedule(wanted[i], "tell")
    end
    sim:advance_to(2)
    table.sort(wanted)
    assert.same(wanted, told)
  end)

  it("records an event without a handler, and ends a step there", function()
    local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end,
      events = { { name = "mark", at = "demand" } } })
    local log = saltus.log(sim, { "x" })
    sim:demand "mark"
    sim:schedule(0.75, "mark")
    sim:schedule(1, "mark")
    sim:advance_to(1)
    assert.same({ 0, 0.75, 1 }, log:times "mark")
    assert.near(0.75, log:at(0.75).x, 1e-12)
  end)

  it("keeps events of one instant in their usual order, whenever they were scheduled", function()
    local told = {}
    local sim = counter(told)
    sim:schedule(1, "first")
    sim:schedule(1, "tell")
    sim:schedule(0.5, "first")
    sim:schedule(1, "tell")
    sim:advance_to(1)
    assert.same({ "first", 1.0, 1.0, "first" }, { told[1], told[2], told[3], told[4] })
  end)
end)

describe("sim:cancel", function()
  it("cancels a future event, and reports when it is too late", function()
    local sim = counter {}
    local a, b, c = sim:schedule(1, "count"), sim:schedule(2, "count"), sim:schedule(3, "count")
    assert.is_true(sim:cancel(b))
    assert.is_false(sim:cancel(b))
    sim:advance_to(2.5)
    assert.equal(1, sim.context.n)
    assert.is_false(sim:cancel(a))
    assert.is_true(sim:cancel(c))
    sim:advance_to(4)
    assert.equal(1, sim.context.n)
  end)

  it("takes a handle only", function()
    local sim = counter {}
    sim:schedule(1, "count")
    for _, wrong in ipairs { 0, 2, -1, 1.5, "1", {}, math.maxinteger } do
      assert.error_matches(function() sim:cancel(wrong) end, "cancel takes what schedule returned, got ")
    end
    assert.error_matches(function() sim:cancel() end, "cancel takes what schedule returned, got nil")
  end)

  it("takes earlier handles in a run that was saved, loaded or cloned", function()
    local sim = counter {}
    local a, b = sim:schedule(1, "count"), sim:schedule(2, "count")
    sim:cancel(a)
    local saved, twin = sim:save(), sim:clone()
    assert.is_true(sim:cancel(b))
    assert.is_false(twin:cancel(a))
    assert.is_true(twin:cancel(b))
    sim:load(saved)
    assert.is_false(sim:cancel(a))
    local c = sim:schedule(3, "count")
    assert.equal(c, twin:schedule(3, "count")) -- a run that is replayed gives the same ones
    assert.is_true(sim:cancel(c))
    sim:advance_to(4)
    assert.equal(1, sim.context.n)
  end)
end)
