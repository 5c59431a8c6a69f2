-- Saved runs that somebody changed, with the checksum put right: each is refused, and nothing has changed, or it is a
-- run that goes on. See also spec/stress/save_fuzz.c.
local saltus = require "saltus"
local cases = require "spec.support.cases"
local xxh64 = require "spec.support.xxh64"

local function falling(ctx) return ctx.mode == "falling" end

local ball = saltus.system {
  name = "ball",
  q = { { "height", 1 } }, v = { { "speed", 0 } },
  discrete = { { "mode", "falling", values = { "falling", "resting" } }, { "wake", 0.35 }, ticks = 0 },
  abstract = { { "bounces", { list = { 1, 2, "three", true }, [4] = { { {} } } } } },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, falling(ctx) and -9.81 or 0 end,
  events = {
    { name = "bounce", when = falling, direction = "falling", witness = function(ctx) return ctx.height end,
      unrestricted_update = function(ctx, next)
        next.height, next.speed = 0, -(0.78 + 0.02 * next.random()) * ctx.speed
        next.bounces[#next.bounces + 1] = ctx.time
      end,
      on_zeno = function(_, next) next.mode, next.height, next.speed = "resting", 0, 0 end },
    { name = "high", witness = function(ctx) return ctx.height - 0.3 end, publish = function() end },
    { name = "tick", every = 0.1, discrete_update = function(_, next) next.ticks = next.ticks + 1 end },
    { name = "nap", next_time = "wake", discrete_update = function(ctx, next) next.wake = ctx.time + 0.3 end },
    { name = "kick", at = "demand", unrestricted_update = function(_, next) next.speed = next.speed + 1 end },
  },
}

local delayed = saltus.system {
  name = "delayed", q = { { "x", 1 } }, v = { { "u", 0 } }, past = { x = 0.5 }, history = { x = 1 },
  derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.past.x(0.2 + 0.1 * math.sin(ctx.time)) end,
  events = { { name = "through", witness = function(ctx) return ctx.x end,
    unrestricted_update = function(_, next) next.u = 1.01 * next.u end } },
}

local hand = saltus.system { name = "hand", inputs = { { "x", 0 }, { "r", { 0, 0 } } }, z = { { "sum", 0 } },
  derivatives = function(ctx, dot) dot.sum = ctx.x + ctx.r[1] end }

local function run(system, options, t)
  options.max_steps_per_call = 50
  local sim = saltus.simulator(system, options)
  if system == ball then sim:schedule(1.5, "kick") end
  while sim.context.time < t do sim:advance_to(t) end
  return sim
end

-- Ends in an error or not, but ends.
local function try(sim, bytes)
  local before = sim:hash()
  if not pcall(sim.load, sim, bytes) then
    assert.equal(before, sim:hash())
    return false
  end
  for _ = 1, 2 do
    pcall(sim.advance_to, sim, sim.context.time + 0.2)
    pcall(function() return sim.context.bounces end)
  end
  return true
end

local extremes = {
  ("<i4"):pack(-1), ("<i4"):pack(2 ^ 31 - 1 | 0), ("<i4"):pack(1000), ("<i8"):pack(-1), ("<i8"):pack(math.maxinteger),
  ("<d"):pack(0 / 0), ("<d"):pack(math.huge), ("<d"):pack(-1e300), ("<d"):pack(1e-310), ("<d"):pack(0.25),
}

local runs = {
  function() return run(ball, {}, 0.4) end,
  function() return run(ball, {}, 0.4515236409857) end, -- about a bounce, whose handler waits
  function() return run(ball, { integrator = "radau5" }, 0.7) end,
  function() return run(delayed, {}, 1) end,
  function() return run(delayed, { integrator = "auto" }, 1) end,
  function()
    local sim = saltus.simulator(hand)
    sim:feed("r", 1, { 1, -1 })
    sim:feed("x", 2, 1)
    sim:advance_to(0.5)
    return sim
  end,
}

describe("a forged save", function()
  it("whose numbers are extreme is refused or runs on", function()
    local refused, ran = 0, 0
    for k, make in ipairs(runs) do
      local sim = make()
      local bytes = sim:save()
      for i = k, 500 do
        local at = 24 + (i * 7919) % (#bytes - 40)
        local field = extremes[i % #extremes + 1]
        local forged = xxh64.forge(bytes:sub(1, at) .. field .. bytes:sub(at + #field + 1))
        if try(sim, forged) then ran = ran + 1 else refused = refused + 1 end
        assert.is_true(try(sim, bytes))
      end
    end
    assert.is_true(refused > 300 and ran > 300)
  end)

  it("that was cut, lengthened, or put together from two, is refused or runs on", function()
    local sim, other = run(ball, {}, 0.4), run(ball, {}, 0.9)
    local a, b = sim:save(), other:save()
    for i = 1, 200 do
      local at, size = 24 + (i * 7919) % (#a - 40), i * 31 % 100
      try(sim, xxh64.forge(a:sub(1, at) .. a:sub(at + size)))
      try(sim, xxh64.forge(a:sub(1, at) .. ("\1"):rep(size) .. a:sub(at + 1)))
      try(sim, xxh64.forge(a:sub(1, at) .. b:sub(at + 1)))
    end
  end)

  it("may not contain a list longer than the simulator's", function()
    local sim = run(ball, {}, 0.2)
    local bytes = sim:save()
    for at = 24, #bytes - 12, 2 do
      local forged = bytes:sub(1, at) .. ("<i4"):pack(99) .. bytes:sub(at + 5, -9) .. ("A"):rep(99 * 8 + 8)
      assert.is_false(try(sim, xxh64.forge(forged)))
    end
  end)

  it("may hold no mode that there is not", function()
    local sim = run(ball, {}, 0.2)
    local bytes, mode = sim:save(), ("<ddd"):pack(1, sim.context.wake, sim.context.ticks)
    local at = assert(bytes:find(mode, 1, true))
    local function with(number)
      return xxh64.forge(bytes:sub(1, at - 1) .. ("<d"):pack(number) .. bytes:sub(at + 8))
    end
    assert.is_true(try(sim, with(2)))
    for _, wrong in ipairs { 0, 3, 1.5, -1, 1e300, 0 / 0, math.huge } do
      assert.error_matches(function() sim:load(with(wrong)) end, "it is damaged")
    end
  end)

  it("may say of a witness without a guard that it has no value", function() -- the guard was asked that there is not
    local d = saltus.diagram "d"
    d:add(ball, "ball")
    for _, kind in ipairs { "comparator", "saturation", "relay" } do
      d:add(saltus.blocks[kind](kind == "comparator" and {} or { lower = 0.2, upper = 0.6 }), kind)
      d:connect("ball.height", kind .. ".input")
    end
    for _, t in ipairs { 0.21, 0.37, 0.4515236409857 } do
      local sim = run(d, {}, t)
      local bytes = sim:save()
      for at = 24, #bytes - 16, #bytes // cases(#bytes) do
        try(sim, xxh64.forge(bytes:sub(1, at) .. ("<d"):pack(0 / 0) .. bytes:sub(at + 9)))
        sim:load(bytes)
      end
    end
  end)

  it("may not contain an invalid abstract value", function()
    local sim = run(ball, {}, 0.2)
    local bytes = sim:save()
    local at = assert(bytes:find("s\4\0\0\0list", 1, true))
    local function with(text) return xxh64.forge(bytes:sub(1, at - 1) .. text .. bytes:sub(at + #text)) end
    assert.is_true(try(sim, with "s\4\0\0\0lost"))
    for _, wrong in ipairs { "x\4\0\0\0list", "s\4\0\0\1list", "n", "t\4\0\0\0list", "s\5\0\0\0list" } do
      assert.error_matches(function() sim:load(with(wrong)) end, "it is damaged")
    end
  end)
end)

describe("a forged save of abstract state", function()
  -- A text in place of which tables in tables are put, as many bytes of them.
  local function nested(levels)
    local s = saltus.system { name = "s", abstract = { { "data", ("x"):rep(6 * levels - 4) } } }
    local sim = saltus.simulator(s)
    local bytes = sim:save()
    local text, tables = ("<c1s4"):pack("s", ("x"):rep(6 * levels - 4)), ("t\1\0\0\0001"):rep(levels) .. "n"
    local at = assert(bytes:find(text, 1, true))
    return sim, xxh64.forge(bytes:sub(1, at - 1) .. tables .. bytes:sub(at + #text))
  end

  it("nests no deeper than can be read", function()
    local sim, forged = nested(1000)
    sim:load(forged)
    local depth, inner = 0, sim.context.data
    while type(inner) == "table" do depth, inner = depth + 1, inner[true] end
    assert.equal(1000, depth)
    for _, levels in ipairs { 1001, 300000 } do
      sim, forged = nested(levels)
      local before = sim:hash()
      assert.error_matches(function() sim:load(forged) end, "was not saved by a simulator of \"s\", or it is damaged")
      assert.equal(before, sim:hash())
    end
  end)
end)
