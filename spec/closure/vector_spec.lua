-- Mirrors lua/saltus/closure/adapter.lua on vectors: lent where only read, copies elsewhere, wholes and elements.
local saltus = require "saltus"

local function rotor(size, changes)
  local start = {}
  for i = 1, size do start[i] = i end
  local def = { name = "rotor", z = { { "r", start }, "s" }, discrete = { { "d", { 1, 2, 3 } }, { "long", 0,
    size = 60 } },
    outputs = { { "twice", function(ctx)
      local out = {}
      for i = 1, size do out[i] = 2 * ctx.r[i] end
      return out
    end, size = size } },
    derivatives = function(ctx, dot)
      for i = 1, size do dot.r[i] = i + 0 * ctx.r[i] end
      dot.s = 1
    end }
  for k, v in pairs(changes or {}) do def[k] = v end
  return saltus.system(def)
end

local function fails(text, system, t)
  local sim = saltus.simulator(system)
  local ok, message = pcall(sim.advance_to, sim, t or 1)
  assert.is_false(ok)
  assert.is_truthy(tostring(message):find(text, 1, true), tostring(message))
  return sim
end

for _, size in ipairs { 2, 39, 41, 100, 200 } do
  describe(("a vector of %d"):format(size), function()
    it("flows by elements and whole", function()
      local whole = function(ctx, dot)
        local rate = {}
        for i = 1, size do rate[i] = i + 0 * ctx.r[i] end
        dot.r, dot.s = rate, 1
      end
      for _, derivatives in ipairs { false, whole } do
        local sim = saltus.simulator(rotor(size, { derivatives = derivatives or nil }))
        sim:advance_to(2)
        for i = 1, size do assert.near(3 * i, sim.context.r[i], 1e-9 * i) end
        assert.near(2 * 3 * size, sim.context.twice[size], 1e-6)
        assert.equal(sim.context.r[size], sim.context["r[" .. size .. "]"])
        assert.near(2, sim.context.s, 1e-9)
      end
    end)

    it("jumps by elements and whole", function()
      local sim = saltus.simulator(rotor(size, { events = {
        { every = 1, unrestricted_update = function(ctx, next)
          next.r[2] = 100 + ctx.time
          next.d = { ctx.d[3], ctx.d[1], ctx.d[2] }
          next.long[60] = next.long[60] + 1
        end },
        { every = 1, discrete_update = function(_, next) next.long[1] = next.long[1] + 1 end } } }))
      sim:advance_to(1.5)
      assert.near(102, sim.context.r[2], 1e-9)
      assert.near(2.5, sim.context.r[1], 1e-9)
      assert.same({ 2, 3, 1 }, sim.context.d)
      assert.same({ 2, 2, 0 }, { sim.context.long[1], sim.context.long[60], sim.context.long[2] })
    end)

    it("must be complete and finite, and have the right size", function()
      fails(('derivatives of "rotor" leaves "r[%d]" unset'):format(size), rotor(size, { derivatives = function(_, dot)
        for i = 1, size - 1 do dot.r[i] = 1 end
        dot.s = 1
      end }))
      fails('derivatives of "rotor" sets "r" to a list of ' .. size + 1, rotor(size, { derivatives = function(_, dot)
        local r = {}
        for i = 1, size + 1 do r[i] = 1 end
        dot.r, dot.s = r, 1
      end }))
      local here = ("spec/closure/vector_spec.lua:%d: "):format(debug.getinfo(1, "l").currentline + 1)
      fails(here .. 'derivatives of "rotor" sets "r" to 7', rotor(size, { derivatives = function(_, dot)
        dot.r, dot.s = 7, 1
      end }))
      fails("sets r[1] to nil", rotor(size, { derivatives = function(_, dot) dot.r, dot.s = {}, 1 end }))
      for _, key in ipairs { size + 1, size + 9, 0, 1.5, "x" } do
        local beyond = ('derivatives of "rotor" has r[1] to [%d], not [%s]'):format(size, key)
        for _, call in ipairs { 1, 30 } do -- the first one, and one of the quick ones between two that check
          local calls = 0
          local sim = fails(beyond, rotor(size, { derivatives = function(ctx, dot)
            calls = calls + 1
            for i = 1, size do dot.r[i] = ctx.r[i] end
            dot.s = 1
            if calls == call then dot.r[key] = 1 end
          end }), 30)
          assert.matches("^spec/closure/vector_spec.lua:%d+: ", sim.failure.error)
        end
        -- Lua finds the length of a list with a gap on either side of it.
        local behind = math.type(key) == "integer" and key > size
        local text = behind and "" or ("r[%s]; it has [1] to [%d]"):format(key, size)
        fails('event "period1" of "rotor" sets ' .. text, rotor(size, { events = { { every = 1,
          unrestricted_update = function(_, next) next.r[key] = 1 end } } }))
      end
      fails('sets "r" to 3', rotor(size, { derivatives = function(_, dot) dot.r, dot.s = 3, 1 end }))
      local backwards = {}
      for i = size, 1, -1 do backwards[i] = i end
      local sim = saltus.simulator(rotor(size, { events = { { at = "initialization",
        unrestricted_update = function(_, next) next.r = backwards end } } }))
      sim:initialize()
      assert.equal(size, sim.context.r[size])
      fails("r[2]", rotor(size, { derivatives = function(_, dot)
        for i = 1, size do dot.r[i] = 1 end
        dot.r[2], dot.s = "x", 1
      end }))
      local function jump(value)
        return rotor(size, { events = { { name = "e", every = 1, unrestricted_update = value } } })
      end
      fails('sets "r[2]" to NaN', jump(function(_, next) next.r[2] = 0 / 0 end))
      fails('sets "d[1]" to NaN', jump(function(_, next) next.s = 1 next.r[1] = 1 next.d[1] = 0 / 0 end))
      fails("sets r[2] to \"x\"", jump(function(_, next) next.r[2] = "x" end))
      fails("sets next.r to nil", jump(function(_, next) next.r[1] = 1 next.r = nil end))
    end)
  end)
end

describe("a vector read", function()
  it("is borrowed in derivatives, and a copy in handlers", function()
    local lent, kept, shown = {}, {}, {}
    local sim = saltus.simulator(rotor(2, {
      derivatives = function(ctx, dot) lent[ctx.r] = true dot.r, dot.s = { 1, 1 }, 1 end,
      events = { { every = 1, publish = function(ctx)
        local r = ctx.r
        kept[#kept + 1] = r
        shown[#shown + 1] = r[1]
        r[1] = -1
      end } } }), { max_step = 0.1 })
    sim:advance_to(3)
    local tables = 0
    for _ in pairs(lent) do tables = tables + 1 end
    assert.is_true(tables <= 3)
    assert.equal(4, #kept)
    for i, r in ipairs(kept) do
      assert.near(i, shown[i], 1e-9)
      assert.equal(-1, r[1])
    end
    assert.near(4, sim.context.r[1], 1e-9)
  end)

  it("that is borrowed cannot be written", function()
    for _, size in ipairs { 2, 60 } do
      fails("writes ctx.r, but ctx is read-only", rotor(size, { derivatives = function(ctx, dot)
        dot.s = 1
        for i = 1, size do dot.r[i] = ctx.r[i] end
        if ctx.time > 0 then ctx.r[1] = 3 end
      end }), 30)
    end
  end)

  it("between calls is a copy; it is written whole or by elements", function()
    local sim = saltus.simulator(rotor(3))
    local can_write = pcall(function() sim.context.r[1] = 50 end)
    assert.is_false(can_write)
    assert.equal(1, sim.context.r[1])
    sim.context["r[1]"] = 50
    sim.context.d = { 7, 8, 9 }
    sim.context.long = 5
    assert.same({ 50, 8, 5 }, { sim.context.r[1], sim.context.d[2], sim.context["long[60]"] })
    local ok, message = pcall(function() sim.context.d = { 1, 2 } end)
    assert.is_false(ok)
    assert.is_truthy(message:find('"d" must be a list of 3 numbers, got 2', 1, true), message)
  end)

  it("goes through inputs, and through outputs that read outputs", function()
    local sums = saltus.system { name = "sums", inputs = { { "u", { 0, 0, 0 } } },
      outputs = { total = function(ctx) return ctx.u[1] + ctx.u[2] + ctx.u[3] end } }
    local d = saltus.diagram "d"
    d:add(rotor(3))
    d:add(sums)
    d:connect("rotor.twice", "sums.u")
    local sim = saltus.simulator(d)
    sim:advance_to(1)
    assert.near(2 * (2 + 4 + 6), sim.context.sums.total, 1e-8)
  end)
end)
