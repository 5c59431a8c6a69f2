-- Mirrors src/binding/story/frame.c: runs with stories that a host advances frame by frame.
local saltus = require "saltus"
local fails = require "spec.support.fails"

local STEP = 0.125

-- x is the integral of u, which a story sets; each event "full" counts.
local function tank()
  return saltus.system { name = "tank", inputs = { { "u", 0 } }, z = { { "x", 0 } }, discrete = { { "n", 0 } },
    derivatives = function(ctx, dot) dot.x = ctx.u end,
    events = {
      { name = "full", direction = "rising", witness = function(ctx) return ctx.x - 1 end,
        discrete_update = function(ctx, next) next.n = ctx.n + 1 end },
      { name = "ring", at = "demand", discrete_update = function(ctx, next) next.n = ctx.n + 10 end } } }
end

local function filling(s, run)
  while true do
    s:wait(0.3)
    run.u = 1
    s:wait_event "full"
    s:wait_until "x > 1.2"
    run.u, run.x = 0, 0
    s:emit "ring"
  end
end

local function new(story, options)
  local own = { max_step = STEP }
  for name, value in pairs(options or {}) do own[name] = value end
  local sim = saltus.simulator(tank(), own)
  saltus.stories(sim):spawn("filling", story or filling)
  return sim
end

describe("a frame of a run with stories", function()
  it("is the same as advances to the ends of its steps", function()
    local sim, twin = new(), new()
    for frame = 1, 13 do
      assert.same({ 0, 0, 0 }, { sim:advance_frame(2 * STEP) })
      for step = 1, 2 do twin:advance_to((2 * (frame - 1) + step) * STEP) end
      assert.equal("reached_boundary_time", sim.status.reason)
      assert.equal(twin:hash(), sim:hash())
    end
    assert.equal(22, sim.context.n) -- full at 1.3 and 2.8, rung at 1.5 and 3.0
    assert.equal(twin.stats.wakes, sim.stats.wakes)
  end)

  it("begins stories in a frame of no length", function()
    local sim = new(function(_, run) run.u = 3 end)
    sim:advance_frame(0)
    assert.same({ 0, 0 }, { sim.context.u, sim.context.time }) -- nothing is due
    sim:advance_frame(STEP)
    assert.equal(3, sim.context.u)
    assert.near(3 * STEP, sim.context.x, 1e-12)
  end)

  it("keeps the fraction of a step for the next one", function()
    local sim = new()
    local due = 0
    for _ = 1, 40 do
      local alpha, left = sim:advance_frame(0.09)
      due = due + 0.09
      assert.near(due, sim.context.time + left, 1e-12)
      assert.near(left, alpha * STEP, 1e-12)
    end
    assert.equal(22, sim.context.n)
  end)

  it("ends when its budget is used up, at the same place each time, and loses nothing", function()
    local sim, again, due, cut = new(), new(), 0, 0
    for _ = 1, 30 do
      local _, left, dropped = sim:advance_frame(0.6, { max_evaluations = 4 })
      again:advance_frame(0.6, { max_evaluations = 4 })
      due = due + 0.6 - dropped
      assert.near(due, sim.context.time + left, 1e-12)
      assert.equal(sim:hash(), again:hash())
      if sim.status.reason == "out_of_budget" then cut = cut + 1 end
    end
    assert.is_true(cut > 3)
  end)

  it("ends where a story stops the run, and goes on after it", function()
    local sim = new(function(s)
      s:wait(0.3)
      s:stop "enough"
    end)
    local _, left = sim:advance_frame(0.5)
    assert.same({ "reached_termination", "enough", 0.3 }, { sim.status.reason, sim.status.message, sim.context.time })
    assert.near(0.2, left, 1e-12)
    sim:advance_frame(0)
    assert.is_true(sim.context.time > 0.4)
  end)

  it("ends between its steps if it is interrupted", function()
    local sim = new()
    sim:interrupt()
    sim:advance_frame(0.5)
    assert.same({ "interrupted", 0 }, { sim.status.reason, sim.context.time })
    sim:advance_frame(0)
    assert.equal(0.5, sim.context.time)
  end)

  it("fails with the story, and the next one goes on", function()
    local sim = new(function(s)
      s:wait(0.3)
      error "broken"
    end)
    fails('broken (in story "filling" at t = 0.3)', sim.advance_frame, sim, 0.5, { max_evaluations = 1000 })
    local _, left = sim:advance_frame(0)
    assert.near(0.5, sim.context.time + left, 1e-12)
    sim:advance_to(20)
    assert.equal("reached_boundary_time", sim.status.reason) -- no budget was left behind
  end)

  it("cannot begin in a story", function()
    local sim
    sim = new(function() sim:advance_frame(1) end)
    fails("", sim.advance_frame, sim, 1)
  end)

  it("is saved and loaded between two frames", function()
    local sim, other = new(), new()
    for _ = 1, 15 do sim:advance_frame(0.1) end
    other:load(sim:save())
    for _ = 1, 20 do
      sim:advance_frame(0.1)
      other:advance_frame(0.1)
    end
    assert.equal(sim:hash(), other:hash())
  end)

  it("waits for the clock, as an advance does", function()
    local sim = new(nil, { target_realtime_rate = 1000 })
    for _ = 1, 10 do sim:advance_frame(STEP) end
    assert.is_true(sim:pacing().steps >= 10)
  end)
end)

describe("the updates that are pending", function()
  it("run with the stories that they wake", function()
    local sim = new(function(s, run)
      s:wait_event "full"
      run.u = 5
    end)
    sim.context.u = 1
    sim:advance_to(0.5)
    sim:watch "x >= 1" -- it is found before the event runs
    sim:advance_to(2)
    assert.near(1, sim.context.time, 1e-12)
    sim:advance_pending_events()
    assert.same({ "reached_boundary_time", 1, 5 }, { sim.status.reason, sim.context.n, sim.context.u })
  end)
end)
