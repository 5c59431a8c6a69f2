-- Mirrors lua/saltus/output/picture_points.lua and src/engine/recorder/jump_rows.c: jumps are vertical in pictures,
-- with `every` or without.
local saltus = require "saltus"
local log_columns = require "saltus.output.log_columns"
local panels = require "saltus.output.plot.panels"
local picture_points = require "saltus.output.picture_points"

local G, E = 9.81, 0.5

local ball = saltus.system {
  name = "ball", q = { { "height", 1 } }, v = { { "speed", 0 } }, z = { { "pair", { 0, 0 } } },
  discrete = { { "side", "even", values = { "even", "odd" } }, "hits" },
  derivatives = function(ctx, dot) dot.height, dot.speed, dot.pair = ctx.speed, -G, { 0, 0 } end,
  events = { { name = "bounce", witness = function(ctx) return ctx.height end, direction = "falling",
    unrestricted_update = function(ctx, next)
      next.height, next.speed, next.hits = 0, -E * ctx.speed, ctx.hits + 1
      next.pair = { ctx.speed, 7 }
      next.side = ctx.side == "even" and "odd" or "even"
    end } },
}
local hit = math.sqrt(2 / G) -- seconds
local every = { "height", "speed", "pair", "side", twice = function(ctx) return 2 * ctx.speed end, every = 0.1 }

local function run(stop, spec, system)
  local sim = saltus.simulator(system or ball, { accuracy = 1e-10 })
  local log = saltus.log(sim, spec or every)
  sim:advance_to(stop)
  return log, sim
end

-- { time, before, after } of each pair of points with the same time at which the column differs.
local function jumps_of(log, name)
  local points = picture_points.of(log, 4000)
  local values, out = points:values(log_columns.column(log, name)), {}
  for i = 2, #points.time do
    assert.is_true(points.time[i] >= points.time[i - 1])
    local a, b = values[i - 1], values[i]
    if points.time[i] == points.time[i - 1] and a ~= b and a == a and b == b then -- NaN: a gap
      out[#out + 1] = { points.time[i], a, b }
    end
  end
  return out
end

describe("after a load, a log with rows at an interval has the jumps of the run:", function()
  local broken = false
  local clock = saltus.system { name = "clock", z = { "x" }, discrete = { "n" },
    derivatives = function(_, dot) dot.x = 1 end,
    outputs = { y = function(ctx) return broken and error "broken" or ctx.n end },
    events = { { name = "tick", every = 1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }

  local function reached(time)
    local sim = saltus.simulator(clock)
    local log = saltus.log(sim, { "x", "y", more = function(ctx) return ctx.y + 1 end, every = 0.75 })
    sim:advance_to(time)
    return sim, log
  end

  for time, what in pairs { [2] = "those of updates that are due", [2.3] = "and of what the host writes" } do
    it(what, function()
      local sim, log = reached(time)
      local saved = sim:save()
      for _, written in ipairs { false, 7, 8 } do
        if written then sim.context.x = written end
        sim:advance_to(3.5)
        assert.same({ { 0, 0, 1 }, { 1, 1, 2 }, { 2, 2, 3 }, { 3, 3, 4 } }, jumps_of(log, "y"))
        assert.same({ { 0, 1, 2 }, { 1, 2, 3 }, { 2, 3, 4 }, { 3, 4, 5 } }, jumps_of(log, "more"))
        local jump = jumps_of(log, "x")[1]
        assert.same(written and { time, written } or {}, jump and { jump[1], jump[3] } or {})
        sim:load(saved)
      end
    end)
  end

  it("and an error of an output comes in the run, not in the load", function()
    local sim = reached(2)
    local saved = sim:save()
    broken = true
    finally(function() broken = false end)
    sim:load(saved)
    assert.error_matches(function() sim:advance_to(3) end, "broken %(in output \"y\" of clock")
    broken = false
    sim:load(saved)
    sim:advance_to(3)
  end)
end)

it("a window of a picture has the points of the whole in it", function()
  local function count_inside(points, from, to)
    local count = 0
    for i, t in ipairs(points.time) do
      if t >= from and t <= to and points.share[i] == 0 then count = count + 1 end
    end
    return count
  end
  for _, spec in ipairs { every, { "height", "speed" } } do
    local log = run(1.2, spec)
    local whole = picture_points.of(log, 1) -- the rows and the jumps
    for _, window in ipairs { { 0, 1.2 }, { 0.3, 0.6 }, { hit, hit }, { log:times("bounce")[1], 0.9 }, { 1.1, 9 } } do
      local points = picture_points.of(log, 1, { from = window[1], to = window[2] })
      assert.equal(count_inside(whole, window[1], window[2]), count_inside(points, window[1], window[2]))
      for i = 2, #points.time do assert.is_true(points.time[i] >= points.time[i - 1]) end
      if not spec.every then
        assert.equal(math.max(window[1], log.time[1]), points.time[1])
        assert.near(math.min(window[2], log.time[#log.time]), points.time[#points.time], 1e-15)
      end
    end
  end
end)

describe("a jump in a picture", function()
  local function clock(period, change)
    return saltus.system { name = "clock", discrete = { "n" }, z = { "x" },
      derivatives = function(_, dot) dot.x = 1 end,
      events = { { name = "tick", every = period,
        discrete_update = function(ctx, next) next.n = ctx.n + change end } } }
  end

  it("stands twice at one time, before and after, between the rows of every", function()
    local log = run(0.8)
    local jumps = jumps_of(log, "speed")
    assert.equal(1, #jumps)
    assert.equal(log:times("bounce")[1], jumps[1][1])
    assert.near(hit, jumps[1][1], 1e-9)
    assert.near(-G * hit, jumps[1][2], 1e-8)
    assert.near(E * G * hit, jumps[1][3], 1e-8)
    assert.same({ { jumps[1][1], 2 * jumps[1][2], 2 * jumps[1][3] } }, jumps_of(log, "twice"))
    assert.same({ { jumps[1][1], "even", "odd" } }, jumps_of(log, "side"))
    assert.same({ { jumps[1][1], 0, 7 } }, jumps_of(log, "pair[2]"))
  end)

  it("is there where a story writes, with an update at its instant or without", function()
    local told = saltus.scenario { system = clock(0.5, 1), duration = 2.2, log = { "n", "x", every = 0.4 },
      story = function(s, told)
        told.n = 10
        s:wait(0.7)
        told.n = 20
        s:wait(0.3)
        told.n, told.x = 30, -1
        s:wait(0.1)
        s:emit "nothing that jumps"
      end }
    local log = told:run().log
    assert.equal(6, #log.time)
    assert.same({ { 0, 0, 10 }, { 0, 10, 11 }, { 0.5, 11, 12 }, { 0.7, 12, 20 }, { 1, 20, 30 }, { 1, 30, 31 },
      { 1.5, 31, 32 }, { 2, 32, 33 } }, jumps_of(log, "n"))
    local jumps = jumps_of(log, "x")
    assert.same({ 1, 1, -1 }, { #jumps, jumps[1][1], jumps[1][3] })
    assert.near(1, jumps[1][2], 1e-12)
  end)

  it("is the same without every", function()
    assert.near(jumps_of(run(1), "speed")[1][3], jumps_of(run(1, { "speed" }), "speed")[1][3], 0)
  end)

  it("leaves the rows of the log as they are", function()
    local log = run(1)
    assert.equal(11, #log.time)
    for k = 0, 10 do assert.equal(k * 0.1, log.time[k + 1]) end
    assert.same({ 11, 11 }, { #log.speed, #log.pair })
  end)

  it("replaces the row at its time, so that no point is there three times", function()
    local log = run(1, { "n", "x", every = 0.1 }, clock(0.1, 1))
    local points = picture_points.of(log, 4000)
    for i = 3, #points.time do assert.is_true(points.time[i] > points.time[i - 2]) end
    local jumps = jumps_of(log, "n")
    assert.equal(10, #jumps) -- at 0, 0.1 ... 0.9; that at 1 belongs to the next call
    for k, jump in ipairs(jumps) do
      assert.near((k - 1) * 0.1, jump[1], 1e-15)
      assert.same({ k - 1, k }, { jump[2], jump[3] })
    end
  end)

  it("is not recorded for an update that changes no signal", function()
    local log = run(1, { "n", every = 0.25 }, clock(0.1, 0))
    assert.equal(0, #log_columns.inner_of(log).rec.jumps.time)
  end)

  it("takes memory in proportion to the rows, however many updates there are", function()
    local log = run(1, { "n", every = 0.5 }, clock(1e-4, 1))
    assert.equal(4096 + 16 * #log.time - 16, #log_columns.inner_of(log).rec.jumps.time)
    local bounded = run(1, { "n", every = 0.5, most_rows = 16 }, clock(0.01, 1))
    local times = log_columns.inner_of(bounded).rec.jumps.time
    assert.is_true(#times <= 16 and #times >= 8)
    assert.near(0.99, times[#times], 1e-12)
  end)

  it("goes with the run: loaded, cloned, stopped", function()
    local log, sim = run(0.3)
    local saved = sim:save()
    sim:advance_to(0.8)
    assert.equal(1, #jumps_of(log, "speed"))
    local other = sim:clone()
    local copy = log:clone(other)
    assert.same(jumps_of(log, "speed"), jumps_of(copy, "speed"))
    sim:load(saved)
    assert.equal(0, #jumps_of(log, "speed"))
    sim:advance_to(0.8)
    assert.same(jumps_of(copy, "speed"), jumps_of(log, "speed"))
    sim:load(saved)
    log:stop()
    sim:advance_to(0.5)
    log:start()
    sim:advance_to(0.8)
    assert.equal(0, #jumps_of(log, "speed"))
  end)

  it("is kept where a long run is thinned", function()
    local log = run(1, { "height", "speed", every = 1e-4 })
    local group = panels.of(log, { { "speed" } }).groups[1]
    assert.is_true(#group.time < #log.time)
    local times, at = {}, log:times("bounce")[1]
    for i, t in ipairs(group.time) do
      if t == at then times[#times + 1] = i end
    end
    assert.equal(2, #times)
    assert.near(-G * hit, group.signals[1].values[times[1]], 1e-8)
    assert.near(E * G * hit, group.signals[1].values[times[2]], 1e-8)
  end)
end)

describe("the points of a very long run", function()
  it("are the extremes of each stretch, its ends and its gaps", function()
    local wave = saltus.system { name = "wave", z = { { "x", 1 }, "y" }, discrete = { { "spike", 0 } },
      derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x end,
      events = { { name = "up", every = 100, offset = 3.3335, discrete_update = function(_, next) next.spike = 9 end },
        { name = "down", every = 100, offset = 3.3345, discrete_update = function(_, next) next.spike = 0 end } } }
    local sim = saltus.simulator(wave)
    local log = saltus.log(sim, { "x", "spike", every = 1e-3 })
    sim:advance_to(5)
    log:stop()
    sim:advance_to(6)
    log:start()
    sim:advance_to(10)
    local all, few = picture_points.of(log, 9000), picture_points.of(log, 20)
    assert.is_true(#all.time > 9000 and #few.time < 2 * 2 * 20 * 5 + 20, #few.time)
    assert.same({ 0, 10 }, { few.time[1], few.time[#few.time] })
    for _, name in ipairs { "x", "spike" } do
      local c, low, high, gaps = log_columns.column(log, name), math.huge, -math.huge, 0
      for _, value in ipairs(few:values(c)) do
        low, high, gaps = math.min(low, value), math.max(high, value), gaps + (value == value and 0 or 1)
      end
      local lowest, highest = math.huge, -math.huge
      for _, value in ipairs(log[name]) do lowest, highest = math.min(lowest, value), math.max(highest, value) end
      assert.same({ lowest, highest, 1 }, { low, high, gaps })
    end
  end)
end)

describe("the first footfall of the compass gait", function()
  it("stands twice in the page's data, at one double", function()
    local scenario = (function() return dofile "examples/07-compass-gait.lua" end)()
    local result = scenario:run { duration = 1 }
    local points = picture_points.of(result.log, 4000)
    local at = result.log:times("footfall")[1]
    assert.near(0.4172273, at, 1e-5)
    local jumps = jumps_of(result.log, "stance")
    assert.equal(at, jumps[1][1])
    assert.is_true(jumps[1][2] > 0.3 and jumps[1][3] < -0.2)
    assert.is_true(#points.time > #result.log.time)
  end)
end)
