-- Mirrors src/engine/watch and lua/saltus/watch: conditions that end an advance where they become
-- true. Times are judged by closed forms, and runs by the same run without watches.
local saltus = require "saltus"

describe("a watch", function()
  local GRAVITY, HEIGHT = 9.81, 10

  local function new_ball(options)
    return saltus.simulator(saltus.system {
      name = "ball",
      q = { { "height", HEIGHT } }, v = { "speed" }, discrete = { { "touches", 0 } }, inputs = { { "wind", 0 } },
      derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, ctx.wind - GRAVITY end,
      events = {
        { name = "touch", direction = "falling", witness = function(ctx) return ctx.height end,
          unrestricted_update = function(ctx, next)
            next.height, next.speed, next.touches = 0, -0.8 * ctx.speed, ctx.touches + 1
          end },
        { name = "wake", at = "demand", publish = function() end },
        { name = "flag", at = "demand", discrete_update = function(_, next) next.touches = -1 end },
      },
    }, options)
  end

  local function falls_to(height) return math.sqrt(2 * (HEIGHT - height) / GRAVITY) end
  local LANDS = falls_to(0)

  local function below(height) return function(ctx) return height - ctx.height end end
  local function touched(ctx) return ctx.touches - 1 end

  it("ends the advance in the flow where its margin reaches zero, at x-", function()
    local sim = new_ball()
    local w = sim:watch(below(5))
    local status = sim:advance_to(10)
    assert.equal("reached_watch", status.reason)
    assert.same({ w }, status.watches)
    assert.near(falls_to(5), status.time, 1e-12)
    assert.is_true(5 - sim.context.height >= 0)
    assert.equal(10, status.boundary_time)
  end)

  it("fires once, and the next call continues the run", function()
    local sim = new_ball()
    sim:watch(below(5))
    sim:advance_to(LANDS + 1)
    local status = sim:advance_to(LANDS + 1)
    assert.equal("reached_boundary_time", status.reason)
    assert.is_nil(status.watches)
    assert.equal(1, sim.context.touches)
  end)

  it("ends the advance at x+ if an update makes it true", function()
    local sim = new_ball()
    local w = sim:watch(touched)
    local status = sim:advance_to(10)
    assert.same({ "reached_watch", { w } }, { status.reason, status.watches })
    assert.near(LANDS, status.time, 1e-12)
    assert.near(0.8 * GRAVITY * LANDS, sim.context.speed, 1e-10) -- after the update
  end)

  it("ends the next advance at x+, without a step, if the host makes it true", function()
    local sim = new_ball()
    sim:advance_to(1)
    local w = sim:watch(touched)
    sim.context.touches = 3
    local steps = sim.stats.steps
    local status = sim:advance_to(2)
    assert.same({ "reached_watch", 1, { w } }, { status.reason, status.time, status.watches })
    assert.equal(steps, sim.stats.steps)
    assert.equal("reached_boundary_time", sim:advance_to(2).reason)
  end)

  it("ends the first advance at x+ if the start makes it true", function()
    local sim = saltus.simulator(saltus.system { name = "count", discrete = { { "n", 0 } },
      events = { { name = "begin", at = "initialization", discrete_update = function(_, next) next.n = 1 end } } })
    local w = sim:watch(function(ctx) return ctx.n - 1 end)
    assert.same({ w }, sim:advance_to(1).watches)
    assert.equal(0, sim.status.time)
  end)

  it("finds where a fed input crosses", function()
    local sim = new_ball()
    sim:advance_to(0)
    sim:feed("wind", 2, 8)
    sim:watch(function(ctx) return ctx.wind - 3 end)
    assert.near(0.75, sim:advance_to(2).time, 1e-12)
    assert.is_true(sim.context.wind >= 3)
  end)

  it("says that it is true already, and is not added", function()
    local sim = new_ball()
    local w, is_true = sim:watch(below(HEIGHT))
    assert.is_nil(w)
    assert.is_true(is_true)
    assert.equal("reached_boundary_time", sim:advance_to(1).reason)
  end)

  it("is found in a pulse within a step", function()
    local sim = saltus.simulator(saltus.system { name = "arc", q = { "x" },
      derivatives = function(ctx, dot) dot.x = 1 - 2 * ctx.time end }) -- x = t - t^2, at most 0.25
    sim:watch(function(ctx) return ctx.x - 0.2499 end)
    assert.near(0.5 - math.sqrt(1e-4), sim:advance_to(1).time, 1e-9)
  end)

  it("is removed by unwatch, which says whether it was armed", function()
    local sim = new_ball()
    local fired, removed = sim:watch(below(9)), sim:watch(below(5))
    sim:advance_to(10)
    assert.is_false(sim:unwatch(fired))
    assert.is_true(sim:unwatch(removed))
    assert.equal("reached_boundary_time", sim:advance_to(1.2).reason)
    assert.error_matches(function() sim:unwatch(removed) end, "unwatch takes what watch returned")
  end)

  it("fires with others at the same instant, and before those that cross later", function()
    local sim = new_ball()
    local later, first, same = sim:watch(below(4)), sim:watch(below(5)), sim:watch(below(5))
    assert.same({ first, same }, sim:advance_to(10).watches)
    assert.same({ later }, sim:advance_to(10).watches)
    assert.near(falls_to(4), sim.status.time, 1e-12)
  end)

  it("that never fires leaves a run as it is, to the bit", function()
    local plain, watched = new_ball(), new_ball()
    watched:watch(below(-1))
    plain:advance_to(8)
    watched:advance_to(8)
    assert.equal(plain:hash(), watched:hash())
    assert.equal(plain.stats.steps, watched.stats.steps)
  end)

  it("reports the error of its function, which changes nothing", function()
    local sim = new_ball()
    local w = sim:watch(function(ctx)
      if ctx.time > 1 then error("no margin here", 0) end
      return -1
    end)
    assert.error_matches(function() sim:advance_to(3) end, "^no margin here %(in a watch at t = ")
    sim:unwatch(w)
    local plain = new_ball()
    plain:advance_to(3)
    sim:advance_to(3)
    assert.near(plain.context.height, sim.context.height, 1e-9)
  end)

  it("refuses what is no margin, and no condition", function()
    local sim = new_ball()
    assert.error_matches(function() sim:watch(function() return true end) end,
      "a watch must return a number, its margin, which is negative until .* is true; it returned boolean")
    assert.error_matches(function() sim:watch(function() return 0 / 0 end) end, "watch: the margin is NaN at t = 0$")
    assert.error_matches(function() sim:watch(3) end, "watch takes a condition in words, or a function")
    sim:watch(function(ctx) return ctx.time < 0.5 and -1 or 0 / 0 end)
    assert.error_matches(function() sim:advance_to(1) end,
      "a watch returned NaN; let it return a negative number where it has no value %(at t = ")
  end)

  it("cannot be added by a closure", function()
    local sim
    sim = saltus.simulator(saltus.system { name = "self", events = { { name = "add", every = 1,
      publish = function() sim:watch(function() return -1 end) end } } })
    assert.error_matches(function() sim:advance_to(1) end, "a closure cannot add or remove a watch")
  end)

  it("is copied by clone, which continues to the same bits", function()
    local sim = new_ball()
    sim:watch(below(9))
    local w = sim:watch(below(5))
    sim:advance_to(10)
    local other = sim:clone()
    for _ = 1, 3 do
      sim:advance_to(4)
      other:advance_to(4)
      assert.same(sim.status.watches, other.status.watches)
      assert.equal(sim:hash(), other:hash())
      assert.equal(sim:save(), other:save())
    end
    assert.is_false(other:unwatch(w))
  end)

  it("is armed again by load, as it was", function()
    local sim = new_ball()
    local w = sim:watch(below(5))
    sim:advance_to(0.3)
    local saved = sim:save()
    local time = sim:advance_to(10).time
    sim:load(saved)
    assert.same({ w }, sim:advance_to(10).watches)
    assert.equal(time, sim.status.time)
    sim:unwatch(w)
    assert.error_matches(function() sim:load(saved) end, "load: the saved run has an armed watch that this "
      .. "simulator does not have; add the same watches in the same order before you load, or continue a clone")
    assert.equal("reached_boundary_time", sim:advance_to(time + 1).reason)
  end)

  describe("of a signal that is faster than the steps", function()
    local HZ = 10

    -- The clock moves at a steady rate, so nothing makes the steps short.
    local function new_clock()
      return saltus.simulator(saltus.system {
        name = "clock", z = { "phase", { "decay", 1 } },
        derivatives = function(ctx, dot) dot.phase, dot.decay = HZ, -ctx.decay end,
      })
    end

    local function above(ctx) return math.sin(2 * math.pi * ctx.phase) - 0.5 end
    local function beneath(ctx) return -0.5 - math.sin(2 * math.pi * ctx.phase) end

    -- The times at which it goes above 0.5 and beneath -0.5, in turn; each watch is added where the last one fired.
    local function turns(sim, stop)
      local times, wanted = {}, above
      local handle = sim:watch(wanted)
      while sim:advance_to(stop).reason == "reached_watch" do
        times[#times + 1] = sim.context.time
        wanted = wanted == above and beneath or above
        handle = sim:watch(wanted)
      end
      sim:unwatch(handle)
      return times, sim
    end

    it("is found at each crossing, though each watch is a new one", function()
      local times = turns(new_clock(), 10)
      assert.equal(2 * 10 * HZ, #times)
      for k, t in ipairs(times) do assert.near((1 / 12 + (k - 1) / 2) / HZ, t, 1e-9) end
    end)

    -- How often the watches are read in the next 4 s.
    local function reads(sim)
      local before = sim.stats.witness_evaluations
      turns(sim, sim.context.time + 4)
      return sim.stats.witness_evaluations - before
    end

    it("is searched for as before by copies, and after loads", function()
      local _, sim = turns(new_clock(), 4)
      local saved, clone, copy = sim:save(), sim:clone(), new_clock()
      copy:copy_from(sim)
      local expected = reads(sim)
      assert.equal(expected, reads(clone))
      assert.equal(expected, reads(copy))
      sim:initialize() -- forgets what the search has learned
      sim:load(saved)
      assert.equal(expected, reads(sim))
    end)

    it("is searched for as in a new run after initialize", function()
      local _, sim = turns(new_clock(), 4)
      sim.context.time, sim.context.phase, sim.context.decay = 0, 0, 1
      sim:initialize()
      assert.equal(reads(new_clock()), reads(sim))
    end)
  end)

  describe("halt", function()
    it("ends the advance at x+, and the next one continues", function()
      local sim
      sim = saltus.simulator(saltus.system { name = "two", discrete = { { "n", 0 } }, events = {
        { name = "tell", every = 1, publish = function(ctx) if ctx.time == 1 then sim:halt() end end },
        { name = "count", every = 1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end },
      } })
      local status = sim:advance_to(3)
      assert.same({ "halted", 1, 2 }, { status.reason, status.time, sim.context.n }) -- counts at 0 and at 1
      assert.equal("reached_boundary_time", sim:advance_to(3).reason)
      assert.equal(3, sim.context.n)
    end)

    it("at a boundary ends the next advance, also of a run that was saved", function()
      local sim
      sim = saltus.simulator(saltus.system { name = "two", discrete = { { "n", 0 } }, events = {
        { name = "tell", every = 1, offset = 1, publish = function() sim:halt() end },
        { name = "count", every = 1, offset = 1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end },
      } })
      assert.same({ "reached_boundary_time", 0 }, { sim:advance_to(1).reason, sim.context.n })
      local other = sim:clone()
      for _, each in ipairs { sim, other } do
        assert.same({ "halted", 1, 1 }, { each:advance_to(2).reason, each.context.time, each.context.n })
      end
    end)
  end)

  describe("next_time", function()
    it("is that of the next timed or scheduled event", function()
      local sim = new_ball()
      assert.equal(0, sim:next_time()) -- the start
      sim:advance_to(0.1)
      assert.equal(math.huge, sim:next_time())
      sim:schedule(0.7, "wake")
      sim:schedule(0.5, "flag")
      assert.equal(0.5, sim:next_time())
      sim:advance_to(0.5)
      assert.equal(0.5, sim:next_time()) -- its update is due
      sim:advance_to(0.6)
      assert.equal(0.7, sim:next_time())
      sim:advance_to(0.8)
      assert.equal(math.huge, sim:next_time())
    end)
  end)
end)
