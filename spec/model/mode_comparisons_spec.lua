-- Mirrors lua/saltus/model/mode_comparisons.lua: a mode compared with a word that is none of its values.
local saltus = require "saltus"
local fails = require "spec.support.fails"

-- A lamp with these closures.
local function lamp(more)
  local spec = { name = "lamp", discrete = { { "mode", "off", values = { "off", "on" } } }, params = { level = 1 },
    z = { { "heat", 0 } }, derivatives = function(_, dot) dot.heat = 1 end }
  for key, value in pairs(more) do spec[key] = value end
  return saltus.system(spec)
end

local none = 'compares "mode" with "onn", which is none of its values "off", "on"'

describe("a word that is no value of a mode", function()
  it("is refused where the code compares with it, before anything runs", function()
    local function is_on(ctx) return ctx.mode == "onn" end
    local function wrong(mode) return mode ~= "onn" end
    local event = { name = "e", every = 1, publish = function() end }
    local function with(field, value)
      local e = {}
      for k, v in pairs(event) do e[k] = v end
      e[field] = value
      if field ~= "when" then e.publish = nil end
      return { events = { e } }
    end
    for what, more in pairs {
      derivatives = { derivatives = function(ctx, dot) dot.heat = ctx.mode == "onn" and 1 or 0 end },
      ['output "y"'] = { outputs = { y = function(ctx)
        local mode = ctx.mode
        if mode == "off" then return 0 elseif mode == "onn" then return 1 end
        return 2
      end } },
      ['`when` of event "e"'] = with("when", is_on),
      ['event "e"'] = with("discrete_update", function(ctx, next)
        for _ = 1, 3 do if next.mode == "onn" then next.mode = "off" end end
        return ctx.level
      end),
      ['output "deep"'] = { outputs = { deep = function(ctx) return is_on(ctx) and 1 or 0 end } },
      ['output "handed"'] = { outputs = { handed = function(ctx) return wrong(ctx.mode) and 1 or 0 end } },
    } do
      fails(('%s of "lamp" %s; did you mean "on"?'):format(what, none), saltus.simulator, lamp(more))
      local ok, message = pcall(saltus.simulator, lamp(more))
      assert.is_false(ok)
      assert.matches("^spec/model/mode_comparisons_spec.lua:%d+: ", message)
    end
  end)

  it("is refused as a number or a boolean too", function()
    for value, fn in pairs {
      ["1"] = function(ctx, dot) dot.heat = ctx.mode == 1 and 1 or 0 end,
      ["2"] = function(ctx, dot) if 2.0 ~= ctx.mode then dot.heat = 1 else dot.heat = 0 end end,
      ["1.5"] = function(ctx, dot) dot.heat = ctx.mode == 1.5 and 1 or 0 end,
      ["1000"] = function(ctx, dot) local far = 1000 dot.heat = ctx.mode == far and 1 or 0 end,
      ["true"] = function(ctx, dot) dot.heat = ctx.mode == true and 1 or 0 end,
    } do
      fails(('derivatives of "lamp" compares "mode" with %s, which is none of its values "off", "on"'):format(value),
        saltus.simulator, lamp { derivatives = fn })
    end
  end)

  it("is rejected at the first call of a closure that remains in Lua", function()
    local word, words = "onn", { lit = "onn" }
    for _, fn in ipairs { function(ctx, dot) dot.heat = ctx.mode == word and 1 or 0 end,
      function(ctx, dot) dot.heat = ctx.mode == words.lit and 1 or 0 end } do
      local sim = saltus.simulator(lamp { derivatives = fn })
      fails(('derivatives of "lamp" %s'):format(none), sim.advance_to, sim, 1)
      word, words.lit = "on", "off"
      saltus.simulator(lamp { derivatives = fn }):advance_to(1)
      word, words.lit = "onn", "onn"
    end
  end)

  it("is not reported for values, other tables, other names and reused registers", function()
    local config, seen = { mode = "fast" }, 0
    local function label(mode, other) return mode == "on" and other == "onn" end
    local sim = saltus.simulator(lamp { abstract = { { "data", { mode = "fast" } } },
      params = { { "kind", "small", values = { "small", "large" } }, level = 1 },
      derivatives = function(ctx, dot)
        local mode = ctx.mode
        if ctx.level > 0 then mode = config.mode end
        if mode == "fast" and config.mode == "fast" and ctx.kind == "small" then dot.heat = 1 else dot.heat = 0 end
        for i = 1, 2 do mode = i == 1 and "fast" or ctx.mode end
        if mode == "fast" then dot.heat = 2 end
      end,
      events = { { name = "e", every = 0.5, discrete_update = function(ctx, next)
        if ctx.data.mode == "fast" and label(ctx.mode, "onn") == false then next.mode = "on" end
        local old = ctx.mode
        old = { old == "off" and "small" or "fast" }
        if seen ~= ctx.mode then seen = ctx.mode end
        for i = 1, 2 do old[2] = i == 1 and ctx.level == 1 and ctx.mode ~= nil end
        if old[1] == "small" and (ctx.mode == "on" or ctx.mode ~= "off") then next.mode = "off" end
      end } } })
    sim:advance_to(1)
    assert.equal("on", sim.context.mode)
  end)
end)

describe("a witness", function()
  it("returns one value: a second one is an error", function()
    local function crossing(witness)
      return saltus.simulator(lamp { events = { { name = "warm", witness = witness, publish = function() end } } })
    end
    local sim = crossing(function(ctx) return ctx.heat - 0.5, ctx.heat - 0.7 end)
    fails('the witness of event "warm" of "lamp" returns a second value, -0.7; a witness is one number', sim.advance_to,
      sim, 1)
    sim = crossing(function(ctx)
      if ctx.heat > 0.6 then return ctx.heat - 0.5, "late" end
      return ctx.heat - 0.5
    end)
    fails('returns a second value, "late"', sim.advance_to, sim, 1)
    crossing(function(ctx) return ctx.heat - 0.5, nil end):advance_to(1)
  end)
end)

describe("sim.context", function()
  it("rejects a write to a vector that it returned, with the right way", function()
    local sim = saltus.simulator(saltus.system { name = "arm", q = { { "r", { 1, 2, 3 } } },
      derivatives = function(ctx, dot) dot.r = ctx.r end })
    fails('sim.context.r returned a copy; write an element as sim.context["r[2]"] = value',
      function() sim.context.r[2] = 5 end)
    fails('sim.context["r[4]"]', function() table.insert(sim.context.r, 5) end)
    assert.same({ 1, 2, 3 }, { table.unpack(sim.context.r) })
    sim.context["r[2]"] = 5
    local r, sum = sim.context.r, 0
    for i, value in ipairs(r) do sum = sum + i * value end
    for _, value in pairs(r) do sum = sum + value end
    assert.equal(1 + 10 + 9 + 9, sum)
    assert.equal(3, #r)
    assert.equal("1.0 5.0 3.0", table.concat(r, " "))
    assert.is_true(r == sim.context.r)
    sim.context["r[3]"] = 4
    assert.is_false(r == sim.context.r)
    sim.context.r = r
    assert.same({ 1, 5, 3 }, sim.context.r)
    assert.same({ 1, 5, 3 }, { table.unpack(sim.system:with({ r = r }).q[1].default) })
  end)
end)
