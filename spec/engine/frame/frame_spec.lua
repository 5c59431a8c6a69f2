-- Mirrors src/engine/frame/: sim:advance_frame, its limits and its pace.
local saltus = require "saltus"

local falling = saltus.system { name = "s", q = { { "h", 10 } }, v = { "w" },
  derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -2 end }

describe("sim:advance_frame", function()
  local function clock()
    return saltus.system { name = "clock", z = { x = 0 }, derivatives = function(_, dot) dot.x = 1 end }
  end

  it("takes whole steps and returns the leftover fraction", function()
    local sim = saltus.simulator(clock(), { max_step = 0.01, fixed_step = true, integrator = "runge_kutta2" })
    assert.near(0.5, sim:advance_frame(0.025, 8), 1e-9)
    assert.near(0.02, sim.context.time, 1e-12)
    assert.near(0, sim:advance_frame(0.015, 8), 1e-9)
    assert.near(0.04, sim.context.time, 1e-12)
  end)

  it("drops steps that would overrun a frame", function()
    local sim = saltus.simulator(clock(), { max_step = 0.01 })
    assert.equal(0, sim:advance_frame(1, 3))
    assert.near(0.03, sim.context.time, 1e-12)
  end)

  it("needs max_step", function()
    local sim = saltus.simulator(clock())
    assert.error_matches(function() sim:advance_frame(0.1, 3) end,
      "advance_frame needs max_step, the size of its steps in s: saltus.simulator%(system, { max_step = 1 / 60 }%)")
    sim.integrator:set_maximum_step_size(0.1)
    assert.equal(0, sim:advance_frame(0.1, 3))
  end)

  it("has no step that is infinite, NaN or negative", function()
    for _, step in ipairs { 0 / 0, -1, 0 } do
      assert.has_error(function() saltus.simulator(clock(), { max_step = step }) end)
      local sim = saltus.simulator(clock(), { max_step = 0.5 })
      assert.has_error(function() sim.integrator:set_maximum_step_size(step) end)
      assert.equal(0.5, sim:advance_frame(0.25))
    end
    local sim = saltus.simulator(clock(), { max_step = math.huge })
    assert.error_matches(function() sim:advance_frame(1) end, "advance_frame needs max_step")
    assert.equal(0, sim.context.time)
  end)

  it("continues after a failure with the rest of the frame", function()
    local fails = true
    local sim = saltus.simulator(saltus.system { name = "clock", z = { x = 0 },
      derivatives = function(_, dot) dot.x = 1 end,
      events = { { every = 1, offset = 0.7, publish = function() if fails then error "not yet" end end } } },
      { max_step = 0.25 })
    assert.error_matches(function() sim:advance_frame(1.1) end, "not yet")
    assert.equal(0.7, sim.context.time)
    fails = false
    local share = sim:advance_frame(0)
    assert.near(1.1, sim.context.time + share * 0.25, 1e-12)
  end)
end)

describe("a frame with limits", function()
  local function new(options)
    local own = { integrator = "runge_kutta3", fixed_step = true, max_step = 0.25 }
    for name, value in pairs(options or {}) do own[name] = value end
    return saltus.simulator(falling, own)
  end

  it("ends at a step's end once the evaluations are used up, and loses nothing", function()
    local sim, again, due = new(), new(), 0
    local cut = 0
    for _ = 1, 12 do
      local alpha, left, dropped = sim:advance_frame(0.6, { max_evaluations = 4 })
      again:advance_frame(0.6, { max_evaluations = 4 })
      due = due + 0.6
      assert.near(due, sim.context.time + left + dropped, 1e-12)
      assert.equal(sim.context.time, again.context.time)
      due = due - dropped
      if sim.status.reason == "out_of_budget" then cut = cut + 1 else assert.near(left, alpha * 0.25, 1e-12) end
    end
    assert.is_true(cut > 3)
  end)

  it("refuses limits that are none", function()
    local sim = new()
    local function refused(limits, words)
      assert.error_matches(function() sim:advance_frame(1, limits) end, words, 1, true)
    end
    refused(0, "max_steps must be a whole number of at least 1")
    refused({ max_evaluations = 0.5 }, "max_evaluations must be a whole number")
    refused({ max_seconds = -1 }, "max_seconds must be a number of seconds")
    refused({ steps = 3 }, "limit \"steps\" of advance_frame")
    assert.equal(0, sim.context.time)
  end)

  it("is counted against the clock, with a target rate", function()
    local sim = new { target_realtime_rate = 1e9 } -- no machine keeps up
    sim:advance_to(2)
    local pacing = sim:pacing()
    assert.equal(8, pacing.steps)
    assert.equal(8, pacing.overruns)
    assert.is_true(pacing.worst_lag > 0 and pacing.lag > 0 and pacing.lag <= pacing.worst_lag)
    local free = new()
    free:advance_to(2)
    assert.same({ steps = 0, overruns = 0, lag = 0, worst_lag = 0 }, free:pacing())
  end)
end)
