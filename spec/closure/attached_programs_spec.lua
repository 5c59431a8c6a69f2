-- Programs attached to new simulators of a known system, by the identity of their functions: see
-- lua/saltus/closure/programs.lua. In every case the results are those of the closures in Lua.
local saltus = require "saltus"
local both_ways = require "spec.support.both_ways"

local steps, line_of = both_ways.steps, both_ways.line_of

local function ran(system, options, stop)
  local sim = saltus.simulator(system, options or steps)
  sim:advance_to(stop or 1)
  return sim
end

-- A system with one state and these derivatives, which one run has made known.
local function known(derivatives, more)
  local def = { name = "s", z = { { "x", 0.5 } }, params = { rate = 1 },
    derivatives = function(ctx, dot) dot.x = derivatives(ctx) end }
  for key, value in pairs(more or {}) do def[key] = value end
  local system = saltus.system(def)
  ran(system)
  return system
end

-- The hash of a new simulator's run equals that of one whose closures stay in Lua.
local function agrees(system)
  assert.equal(ran(system, { integrator = "runge_kutta4", max_step = 0.01, fixed_step = true, compile = false }):hash(),
    ran(system):hash())
end

-- Whether a new simulator runs the derivatives as a program from the first call on.
local function is_attached(system, options)
  local sim = saltus.simulator(system, options or steps)
  sim:advance_to(0.01)
  return line_of(sim, "derivatives").state == "program"
end

describe("a new simulator of a known system", function()
  it("runs programs from the first call on, to the same bits", function()
    local system = known(function(ctx) return -ctx.rate * ctx.x end)
    assert.is_true(is_attached(system))
    agrees(system)
  end)

  it("attaches them for other defaults too, and in a diagram", function()
    local system = known(function(ctx) return -ctx.rate * ctx.x end)
    local other = system:with { rate = 3, x = 2 }
    assert.is_true(is_attached(other))
    agrees(other)
    local d = saltus.diagram "two"
    d:add(system, "a")
    d:add(other, "b")
    assert.is_true(is_attached(d))
    agrees(d)
  end)

  it("leaves the finders of a condition that stays in Lua to each simulator", function()
    local function opaque(value) return tostring(value) == "true" end
    local system = saltus.system { name = "s", z = { "y" }, discrete = { "n" }, params = { { "level", 0.5 } },
      derivatives = function(_, dot) dot.y = 1 end, events = { { name = "above", witness = function(ctx)
        return ctx.y - ctx.level end, becomes = function(ctx) return opaque(ctx.y >= ctx.level) end,
        discrete_update = function(ctx, next) next.n = ctx.time end } } }
    for _ = 1, 6 do
      assert.near(0.5, ran(system).context.n, 1e-6)
      assert.near(0.75, ran(system:with { level = 0.75 }).context.n, 1e-6)
      assert.near(0.5, ran(system):clone().context.n, 1e-6)
    end
  end)

  it("attaches none with compile = false", function()
    local system = known(function(ctx) return -ctx.rate * ctx.x end)
    assert.is_false(is_attached(system, { compile = false, max_step = 0.01 }))
  end)

  it("lists only the closures that it has called", function()
    local sim = saltus.simulator(known(function(ctx) return -ctx.rate * ctx.x end), steps)
    assert.equal(0, #sim:programs())
  end)

  it("gets its programs after some runs that are too short to compile one", function()
    if debug.gethook() then return pending "a hook is set, so closures run in Lua" end
    local calls = 0
    local system = saltus.system { name = "s", z = { { "x", 1 } }, discrete = { n = 0 },
      derivatives = function(ctx, dot) dot.x = -ctx.x end,
      events = { { name = "tick", every = 1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }
    repeat
      local sim = ran(system, { integrator = "runge_kutta4", max_step = 0.5, fixed_step = true })
      calls = calls + 1
      local all = line_of(sim, "derivatives").state == "program" and line_of(sim, "tick").state == "program"
    until all or calls > 20
    assert.is_true(calls <= 10, calls)
    assert.equal(1, ran(system, { max_step = 0.5 }).context.n)
  end)

  it("keeps a closure in Lua that cannot be compiled", function()
    local seen = {}
    local system = known(function(ctx) seen[#seen + 1] = ctx.time return 1 end)
    local count = #seen
    ran(system)
    assert.equal(count, #seen - count)
  end)
end)

describe("closures with the same code", function()
  it("and other upvalues keep their own", function()
    local function make(a) return known(function(ctx) return -a * ctx.x end) end
    local one, two = make(1), make(2)
    agrees(one)
    agrees(two)
    assert.is_true(is_attached(one) and is_attached(two))
    assert.not_equal(ran(one):hash(), ran(two):hash())
  end)

  it("and other functions among their upvalues keep their own", function()
    local function make(f) return known(function(ctx) return f(ctx.x) end) end
    local one, two = make(function(x) return -x end), make(function(x) return -2 * x end)
    agrees(one)
    agrees(two)
    assert.not_equal(ran(one):hash(), ran(two):hash())
  end)
end)

describe("an upvalue that changed between two simulators", function()
  local a, f, t, mode
  before_each(function() a, f, t, mode = 1, function(x) return -x end, { k = 1 }, "on" end)

  local function changed(derivatives, change, more)
    local system = known(derivatives, more)
    local before = ran(system):hash()
    change(system)
    agrees(system)
    assert.not_equal(before, ran(system):hash())
  end

  it("is read anew: a number, a field, a function", function()
    changed(function(ctx) return -a * ctx.x end, function() a = 2 end)
    changed(function(ctx) return -t.k * ctx.x end, function() t.k = 2 end)
    changed(function(ctx) return -t.k * ctx.x end, function() t = { k = 3 } end)
    changed(function(ctx) return f(ctx.x) end, function() f = function(x) return -3 * x end end)
    changed(function(ctx) return f(ctx.x) end, function() f = math.sin end)
  end)

  it("is read anew when debug.setupvalue and upvaluejoin changed it", function()
    local function set(system)
      local _, inner = debug.getupvalue(system.derivatives, 1)
      debug.setupvalue(inner, 1, 5)
    end
    changed(function(ctx) return -a * ctx.x end, set)
    local b = 7
    local function other() return b end
    changed(function(ctx) return -a * ctx.x end, function(system)
      local _, inner = debug.getupvalue(system.derivatives, 1)
      debug.upvaluejoin(inner, 1, other, 1)
    end)
  end)

  it("is read anew: a mode's word", function()
    changed(function(ctx) return ctx.mode == mode and 1 or -1 end, function() mode = "off" end,
      { discrete = { { "mode", "on", values = { "on", "off" } } } })
  end)

  it("raises the closure's own error when it no longer fits", function()
    local system = known(function(ctx) return -a * ctx.x end)
    a = {}
    local line = debug.getinfo(1, "l").currentline - 2
    local ok, wrong = pcall(ran, system)
    assert.is_false(ok)
    assert.matches((":%d: attempt to perform arithmetic on a table value"):format(line), wrong)
  end)
end)

describe("the number of constraints", function()
  it("may depend on the defaults", function()
    local system = saltus.system { name = "s", q = { { "x", 1 }, { "y", 1 } }, params = { both = 0 },
      derivatives = function(_, dot) dot.x, dot.y = 1, 1 end,
      constraints = function(ctx, residual)
        residual[1] = ctx.x - ctx.y
        if ctx.both == 1 then residual[2] = 2 * (ctx.x - ctx.y) end
      end }
    ran(system)
    for _, both in ipairs { 1, 0, 1 } do agrees(system:with { both = both }) end
  end)
end)
