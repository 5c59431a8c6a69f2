-- Mirrors lua/saltus/watch/compiled.lua: functions of watches that run as programs. The same run with compile = false
-- is the twin, to the bit.
local compiled = require "saltus.watch.compiled"
local saltus = require "saltus"

describe("the function of a watch", function()
  local function swing(part)
    return saltus.system { name = part or "swing", q = { { "x", 1 }, { "r", { 0, 1 } } }, v = { "u" },
      discrete = { { "n", 0 }, { "side", "left", values = { "left", "right" } } }, inputs = { { "push", 0.25 } },
      params = { limit = 0.3 }, outputs = { twice = function(ctx) return 2 * ctx.x end },
      derivatives = function(ctx, dot)
        dot.x, dot.u = ctx.u, ctx.push - ctx.x
        dot.r = { ctx.r[2], -ctx.r[1] }
      end,
      events = { { name = "tick", every = 0.7, discrete_update = function(ctx, next)
        next.n, next.side = ctx.n + 1, ctx.side == "left" and "right" or "left"
      end } } }
  end

  local level, scale = 0.1, { by = 1 }
  local function shifted(y) return y - level end
  local computes = {
    function(ctx) return ctx.x - 0.5 end,
    function(ctx) return shifted(ctx.twice) * scale.by end,
    function(ctx) return math.sin(ctx.time) - 0.9 + ctx.limit end,
    function(ctx) return ctx.side == "right" and ctx.r[1] or -1 end,
    function(ctx) return math.min(ctx.n - 3, ctx.push - ctx.x) end,
  }

  -- What happens while watches of these functions come and go, and values that they read change between calls.
  local function tell(options)
    level, scale.by = 0.1, 1
    local sim, list = saltus.simulator(swing(), options), {}
    for i = 1, 200 do
      level, scale.by = 0.1 + i % 7 * 0.1, i % 3 + 1
      local w, is_true = sim:watch(computes[i % #computes + 1])
      local status = sim:advance_to(sim.context.time + 0.9)
      list[i] = ("%s %s %q %s"):format(is_true, status.reason, status.time, sim:hash())
      if w then sim:unwatch(w) end
    end
    return list
  end

  it("runs as a program with the bits that it has in Lua", function()
    assert.same(tell { compile = false }, tell { compile = true })
    local sim = saltus.simulator(swing(), { compile = true })
    for i, fn in ipairs(computes) do assert.is_truthy(compiled.of(sim, fn), "function " .. i) end
  end)

  it("stays in Lua where it does more than compute, reads a part, or must not be compiled", function()
    local calls, sim = 0, saltus.simulator(swing(), { compile = true })
    local function counts(ctx)
      calls = calls + 1
      return ctx.x - 2
    end
    assert.is_nil(compiled.of(sim, counts))
    assert.is_nil(compiled.of(sim, function(ctx) return ctx.nothing end))
    assert.is_nil(compiled.of(saltus.simulator(swing(), { compile = false }), computes[1]))
    local diagram = saltus.diagram "two"
    diagram:add(swing(), "a")
    diagram:add(swing(), "b")
    assert.is_nil(compiled.of(saltus.simulator(diagram), function(ctx) return ctx.a.x - ctx.b.x end))
    sim:watch(counts)
    sim:advance_to(5)
    assert.is_true(calls > 5)
  end)

  it("is called itself where a program gives up: a value of another type", function()
    local sim = saltus.simulator(swing(), { compile = true })
    local limit = 0.5
    local w = sim:watch(function(ctx) return -limit - ctx.x end)
    assert.equal("reached_boundary_time", sim:advance_to(0.5).reason)
    limit = "0.25" -- Lua makes it a number
    assert.equal("reached_watch", sim:advance_to(10).reason)
    assert.near(-0.25, sim.context.x, 1e-9)
    assert.is_false(sim:unwatch(w))
  end)

  it("of the same code shares a program, whatever its upvalues are", function()
    local sim = saltus.simulator(swing(), { compile = true })
    local function above(y) return function(ctx) return ctx.x - y end end
    assert.equal(compiled.of(sim, above(1)), compiled.of(sim, above(2)))
    local low, high = sim:watch(above(-2)), sim:watch(above(1.9))
    assert.is_nil(low)
    assert.equal("reached_boundary_time", sim:advance_to(5).reason)
    assert.is_true(sim:unwatch(high))
  end)

  it("has a program of its own in a clone", function()
    local sim = saltus.simulator(swing(), { compile = true })
    sim:advance_to(0.3)
    sim:watch(function(ctx) return shifted(-ctx.x) end)
    local other = sim:clone()
    collectgarbage()
    local one, two = sim:advance_to(9), other:advance_to(9)
    assert.equal("reached_watch", one.reason)
    assert.equal(one.time, two.time)
    assert.equal(sim:hash(), other:hash())
  end)
end)
