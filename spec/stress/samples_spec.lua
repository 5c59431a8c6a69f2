-- Periodic events against the clock: no sample is lost or doubled, whatever the period, the start and the pieces that
-- a run is cut into. 5,000 samples of each; `make stress` takes 50,000, BENCH=long 1e6.
local saltus = require "saltus"
local cases = require "spec.support.cases"
local random = require "spec.support.random"

local periods = { 0.1, 0.015, 1 / 30, 1e-3, math.pi / 100 }
local starts = { 0, 0.3, 1e6, 123456.789 }
local samples = cases(os.getenv "BENCH" == "long" and 1000000 or os.getenv "STRESS" and 50000 or 5000)
local pieces = cases(1000)

local function bits(t) return (string.unpack("<i8", string.pack("<d", t))) end

-- The sample's time in one product and one sum, or the 4 ulp around it that belong to the instant.
local function is_sample(t, k, period)
  local due = 0.0 + k * period
  if t == due then return true end
  local ulp = string.unpack("<d", string.pack("<i8", bits(math.max(math.abs(t), due)) + 1)) - math.max(math.abs(t), due)
  return math.abs(t - due) <= 4 * ulp
end

-- A handler that follows the counts: `seen` gathers what is wrong and a checksum over the times.
local function follow(seen, period)
  return function(ctx, _, event)
    event = event or _
    if seen.k and event.count ~= seen.k + 1 then
      seen.wrong = seen.wrong or ("%d after %d"):format(event.count, seen.k)
    end
    if not is_sample(ctx.time, event.count, period) then
      seen.wrong = seen.wrong or ("sample %d at %.17g"):format(event.count, ctx.time)
    end
    seen.k, seen.first = event.count, seen.first or event.count
    seen.sum = (seen.sum or 0) * 6364136223846793005 + bits(ctx.time)
  end
end

local function clock(period, flowing)
  local updates, publishes = {}, {}
  local count = follow(updates, period)
  local system = { name = "clock", discrete = { { "n", 0 } },
    events = {
      { name = "tick", every = period, discrete_update = function(ctx, next, event)
        count(ctx, next, event)
        next.n = ctx.n + 1
      end },
      { name = "tock", every = period, publish = follow(publishes, period) },
    } }
  if flowing then
    system.z = { { "x", 0 } }
    system.derivatives = function(ctx, dot) dot.x = ctx.n % 3 - ctx.x end
  end
  return saltus.system(system), updates, publishes
end

-- Runs to the last sample, in pieces whose ends are samples or anything; then what is pending.
local function run(period, start, cuts, flowing)
  local system, updates, publishes = clock(period, flowing)
  local sim = saltus.simulator(system, { start_time = start, accuracy = 1e-6 })
  local first = math.ceil(start / period - 1e-9)
  local last = first + (flowing and 500 or samples)
  local r = random.new(7)
  local ends = {}
  for i = 1, cuts do
    local k = r:integer(first + 1, last - 1)
    ends[i] = r:chance(0.5) and k * period or (k + r:real()) * period
  end
  table.sort(ends)
  for _, t in ipairs(ends) do
    if t >= start then sim:advance_to(t) end
  end
  sim:advance_to(last * period)
  local n_before = updates.k
  sim:advance_pending_events()
  return { sim = sim, updates = updates, publishes = publishes, first = first, last = last, n_before = n_before }
end

local function check(r, expected_n)
  assert.is_nil(r.updates.wrong)
  assert.is_nil(r.publishes.wrong)
  assert.equal(r.first, r.updates.first)
  assert.equal(r.first, r.publishes.first)
  assert.equal(r.last - 1, r.n_before) -- the update of the boundary's sample was pending
  assert.equal(r.last, r.updates.k)
  assert.equal(r.last, r.publishes.k)
  assert.equal(expected_n, r.sim.context.n)
end

describe("samples", function()
  for _, period in ipairs(periods) do
    for _, start in ipairs(starts) do
      it(("of period %.5g from %.9g run once each, in one call and in many"):format(period, start), function()
        local whole, cut = run(period, start, 0), run(period, start, pieces)
        local n = whole.last - whole.first + 1
        check(whole, n)
        check(cut, n)
        assert.equal(whole.updates.sum, cut.updates.sum)
        assert.equal(whole.publishes.sum, cut.publishes.sum)
        assert.equal(whole.sim.context.time, cut.sim.context.time)
      end)
    end
  end

  it("are the same with continuous state, whose values agree within 10 times the accuracy", function()
    for _, start in ipairs(starts) do
      local whole, cut = run(1 / 30, start, 0, true), run(1 / 30, start, 100, true)
      check(whole, whole.last - whole.first + 1)
      assert.equal(whole.updates.sum, cut.updates.sum)
      assert.near(whole.sim.context.x, cut.sim.context.x, 1e-5)
    end
  end)

  it("below 16 ulp of the time are rejected, because they would be lost", function()
    local system = clock(1e-12)
    assert.error_matches(function() saltus.simulator(system, { start_time = 1e6 }):initialize() end,
      "its period is below 16 ulp of the time")
  end)
end)
