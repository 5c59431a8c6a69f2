-- Whatever closure fails, and whenever: going on until the run gets through ends where an undisturbed run ends. No
-- effect happens twice, is lost, or remains half done (docs/concepts.md, "Failures").
local saltus = require "saltus"

-- Two parts with every kind of closure; `raise()` is called in each, before, between and after what it writes.
local function machine(raise)
  local function after(value) raise() return value end
  local part = saltus.system { name = "part", z = { "x" }, inputs = { { "u", 0 } }, params = { p = 1 },
    discrete = { "n", "hits", { "alarm", 0.33 }, "drawn" }, abstract = { { "list", {} } },
    outputs = { y = function(ctx) return after(ctx.x + ctx.n) end },
    derivatives = function(ctx, dot) raise() dot.x = ctx.p + 0 * ctx.u end,
    events = {
      { name = "begin", at = "initialization",
        unrestricted_update = function(_, next) next.n = next.n + 1000 raise() end },
      { name = "hit", direction = "rising", witness = function(ctx) return after(ctx.x - 1) end,
        unrestricted_update = function(ctx, next)
          next.x, next.hits = ctx.x - 1, ctx.hits + 1
          raise()
          next.list[#next.list + 1] = ctx.hits
          raise()
        end },
      { name = "half", witness = function(ctx) return after(ctx.x - 0.5) end, publish = raise },
      { name = "tick", every = 0.1, discrete_update = function(ctx, next)
        raise()
        next.n, next.drawn = ctx.n + 1, next.drawn + next.random()
        raise()
      end },
      { name = "tock", every = 0.1,
        unrestricted_update = function(ctx, next) next.p = ctx.p == 1 and 1.5 or 1 raise() end },
      { name = "ring", next_time = "alarm", discrete_update = function(ctx, next)
        next.alarm, next.n = ctx.time + 0.33, next.n + 100
        raise()
      end },
      { name = "own", next_time = function(ctx) return after(math.floor(ctx.time / 0.7 + 1.001) * 0.7) end,
        discrete_update = function(_, next) next.n = next.n + 10000 raise() end },
      { name = "even", when = function(ctx) return after(ctx.n % 2 == 0) end, every = 0.2,
        discrete_update = function(_, next) next.hits = next.hits + 100 raise() end },
    } }
  local d = saltus.diagram "machine"
  d:add(part, "a")
  d:add(part, "b")
  d:connect("a.y", "b.u")
  return d
end

local function ending(sim, log)
  local out = {}
  for _, name in ipairs { "a", "b" } do
    local c = sim.context[name]
    out[name] = { n = c.n, hits = c.hits, alarm = c.alarm, drawn = c.drawn, list = #c.list, p = c.p,
      x = ("%.8f"):format(c.x) }
  end
  for _, event in ipairs { "a.begin", "a.hit", "a.tick", "a.ring", "a.own", "b.tock", "b.even" } do
    out[event] = #log:times(event)
  end
  return out
end

-- Every closure call fails with this probability; returns the ending and the number of failures.
local function run(options, seed, probability)
  local state, failures = seed, 0
  local function raise()
    state = (state * 1103515245 + 12345) % 2147483648
    if state / 2147483648 < probability then error("by chance", 0) end
  end
  local sim = saltus.simulator(machine(raise), options)
  local log = saltus.log(sim, { "a.n" })
  repeat
    local ok, message = pcall(sim.advance_to, sim, 3.05)
    if not ok then
      failures = failures + 1
      assert.matches("^by chance %(in .* at t = [%d.]+%)$", message)
    end
  until ok
  return ending(sim, log), failures
end

local settings = {
  ["error control"] = { seed = 5, max_step = 0.07 },
  ["no isolation"] = { seed = 5, max_step = 0.07, isolation = false },
  ["retaken events"] = { seed = 5, max_step = 0.07, event_state = "reintegrate" },
  ["fixed steps"] = { seed = 5, integrator = "runge_kutta3", fixed_step = true, max_step = 0.013,
    context_accuracy = 1e-7 },
}

describe("a run that fails and continues", function()
  local function check(name, options)
    it("ends as an undisturbed one, with " .. name, function()
      local undisturbed = run(options, 1, 0)
      local total = 0
      for seed = 1, 12 do
        local disturbed, failures = run(options, seed, 0.005 + 0.001 * seed)
        assert.same(undisturbed, disturbed)
        total = total + failures
      end
      assert.is_true(total > 100)
    end)
  end
  for name, options in pairs(settings) do check(name, options) end

  it("discards the writes of a first call that failed", function()
    local on = true
    local s = saltus.system { name = "s", discrete = { "n" }, abstract = { { "list", {} } }, events = {
      { every = 1, unrestricted_update = function(_, next)
        next.n = next.n + 1
        next.list[#next.list + 1] = 1
        if on then error "no" end
      end } } }
    local sim = saltus.simulator(s)
    for _ = 1, 3 do assert.has_error(function() sim:advance_to(0.5) end) end
    on = false
    sim:advance_to(0.5)
    assert.same({ 1, 1 }, { sim.context.n, #sim.context.list })
  end)
end)

describe("a step that fails only where it is integrated again, up to an event,", function()
  local function failure_of(derivative)
    local s = saltus.system { name = "s", z = { "x" },
      derivatives = function(ctx, dot) dot.x = math.abs(ctx.time - 1) < 1e-9 and derivative() or 1 end,
      events = { { name = "e", witness = function(ctx) return ctx.x - 1 end, publish = function() end } } }
    local sim = saltus.simulator(s, { event_state = "reintegrate" })
    local _, text = pcall(sim.advance_to, sim, 3)
    return sim.failure, text
  end

  it("is reported as any other", function()
    local failure, text = failure_of(function() return 0 / 0 end)
    assert.same({ "step_failed", "s" }, { failure.reason, failure.system })
    assert.matches('the derivative or value of "x" of "s" is NaN', text)
    failure, text = failure_of(function() error "boom" end)
    assert.equal("s", failure.system)
    assert.matches("boom", text)
  end)
end)
