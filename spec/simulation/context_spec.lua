-- Mirrors lua/saltus/simulation/context.lua and src/model/context.c: reading and writing by path between calls, outputs
-- computed at most once per state, parameters that updates write.
local saltus = require "saltus"
local fails = require "spec.support.fails"

local arm = saltus.system { name = "arm", q = { { "angle", 0.5 } }, z = { { "r", { 1, 2, 3 } } }, inputs = {
  { "torque", 2 } },
  discrete = { { "mode", "off", values = { "off", "on" } } }, params = { mass = 2 },
  outputs = { power = function(ctx) return ctx.torque * ctx.angle end },
  derivatives = function(ctx, dot) dot.angle = ctx.torque / ctx.mass dot.r = { 0, 0, 0 } end }

local function pair()
  local d = saltus.diagram "d"
  d:add(arm, "left")
  d:add(arm, "right")
  d:connect("left.power", "right.torque")
  return saltus.simulator(d)
end

describe("a context", function()
  it("is read by paths, whole or step by step", function()
    local c = pair().context
    assert.same({ 0.5, 0.5, 2, 0, "off" },
      { c.left.angle, c["left.angle"], c["right.r[2]"], c.time, c.right.mode })
    assert.equal(1, c.left.power)
    assert.equal(1, c.right.torque)
    assert.equal(0.5, c.right.power)
  end)

  it("is written by paths, and the run continues from there", function()
    local sim = pair()
    local c = sim.context
    c.left.torque, c["right.angle"], c.left.mode, c["left.r[3]"] = 4, 1, "on", 7
    assert.same({ 4, 1, "on", 7, 2 }, { c.left.torque, c.right.angle, c.left.mode, c.left.r[3], c.left.power })
    sim:advance_to(1)
    assert.near(2.5, c.left.angle, 1e-9)
    c.left.torque = 0
    sim:advance_to(2)
    assert.near(2.5, c.left.angle, 1e-9)
  end)

  it("preserves writes before initialization", function()
    local sim = pair()
    sim.context.left.mass = 8
    sim.context.time = 3
    sim:advance_to(4)
    assert.near(0.75, sim.context.left.angle, 1e-9)
  end)

  it("has names, values and sizes", function()
    local c = pair().context
    fails('unknown name "left.angel" in "d"; did you mean "left.angle"?', function() return c.left.angel end)
    fails('"left.mode" cannot be "onn"; its values are "off", "on"; did you mean "on"?',
      function() c.left.mode = "onn" end)
    fails('"left.mode" cannot be 2', function() c.left.mode = 2 end)
    fails('"left.power" is an output: it is computed, not set', function() c.left.power = 3 end)
    fails('"left.angle" must be a number, got "x"', function() c.left.angle = "x" end)
    fails('"left.angle" must be a number, got NaN', function() c.left.angle = 0 / 0 end)
    fails('"left.angle" must be finite', function() c.left.angle = math.huge end)
    fails('"left.r" has elements 1 to 3, not [4]', function() return c["left.r[4]"] end)
    fails("time must be a number", function() c.time = "now" end)
    fails("context_spec.lua:", function() c.left.mode = "onn" end)
    assert.same({ "off", 0.5 }, { c.left.mode, c.left.angle })
  end)

  it("refuses inputs that are fed", function()
    local text = '"right.torque" is fed by "left.power"; it cannot be written'
    local sim = pair()
    fails(text, function() sim.context["right.torque"] = 5 end)
    fails(text, function() sim.context.right.torque = 5 end)
    fails("context_spec.lua:", function() sim.context.right.torque = 5 end)
    fails(text, function() sim.model:with { ["right.torque"] = 5 } end)
    fails(text, function() sim.model:with { ["left.mass"] = 3 }:with { ["right.torque"] = 5 } end)
    local s = saltus.scenario { system = sim.model, duration = 1 }
    fails(text, function() s:run { set = { ["right.torque"] = 5 } } end)
    sim.context.left.torque = 5
    assert.equal(5, sim.context.left.torque)
  end)

  it("prints itself", function()
    local text = tostring(pair().context)
    for _, line in ipairs { "time = 0", "left.angle = 0.5", "right.r = { 1.0, 2.0, 3.0 }", "left.mode = off" } do
      assert.is_truthy(text:find(line, 1, true), text)
    end
    assert.equal("time = 0\nangle = 0.5\nr = { 1.0, 2.0, 3.0 }\nmode = off\nmass = 2.0\ntorque = 1.0",
      tostring(pair().context.right))
  end)
end)

describe("pairs of a context", function()
  local function listed(c)
    local list, at = {}, {}
    for name, value in pairs(c) do
      list[#list + 1] = name
      at[name] = value
    end
    return list, at
  end

  it("are names and values: the time, then those of the model in its order", function()
    local c = pair().context
    local list, at = listed(c)
    assert.same({ "time", "left.angle", "left.r", "left.mode", "left.mass", "left.torque", "left.power", "right.angle",
      "right.r", "right.mode", "right.mass", "right.torque", "right.power" }, list)
    for name, value in pairs(at) do assert.same(c[name], value) end
    assert.same({ 1, { 1, 2, 3 }, "off" }, { at["left.power"], at["right.r"], at["left.mode"] })
  end)

  it("of a part are its own", function()
    local list, at = listed(pair().context.right)
    assert.same({ "time", "angle", "r", "mode", "mass", "torque", "power" }, list)
    assert.equal(1, at.torque)
  end)

  it("omit inputs without a value, and have exported names", function()
    local s = saltus.system { name = "s", inputs = { { "u", size = 2 } }, params = { k = 3 } }
    local d = saltus.diagram "d"
    d:add(s)
    d:export_input("load", "s.u")
    local sim = saltus.simulator(d)
    assert.same({ "time", "s.k" }, (listed(sim.context)))
    assert.is_truthy(tostring(sim.context):find("s.u = (no value)", 1, true))
    sim.context["load[1]"] = 5
    assert.same({ "time", "s.k" }, (listed(sim.context)))
    sim.context["load[2]"] = 7
    local list, at = listed(sim.context)
    assert.same({ "time", "s.k", "s.u", "load" }, list)
    assert.same({ 5, 7 }, at.load)
  end)
end)

describe("outputs", function()
  it("are computed at most once per state, for any number of readers", function()
    local n = 0
    local s = saltus.system { name = "s", z = { "x" }, discrete = { "a" },
      outputs = { y = function(ctx) n = n + 1 return ctx.x + ctx.a end, z = function(ctx) return ctx.y + ctx.y end },
      derivatives = function(_, dot) dot.x = 1 end,
      events = { { every = 1, publish = function(ctx) return ctx.y + ctx.z < 0 and 1 or nil end },
        { every = 1, publish = function(ctx) return ctx.z < 0 and 1 or nil end },
        { every = 1, discrete_update = function(ctx, next) next.a = ctx.y end } } }
    local sim = saltus.simulator(s)
    sim:initialize()
    assert.equal(1, n)
    sim:advance_pending_events()
    assert.equal(1, n)
    local _ = sim.context.y + sim.context.z + sim.context.y
    assert.equal(2, n)
    sim.context.a = 5
    assert.equal(10, sim.context.z)
    assert.equal(3, n)
  end)

  it("follow the state of a step's stages", function()
    local s = saltus.system { name = "s", z = { { "x", 1 } }, outputs = { rate = function(ctx) return -ctx.x end },
      derivatives = function(ctx, dot) dot.x = ctx.rate end }
    local sim = saltus.simulator(s)
    sim:advance_to(2)
    assert.near(math.exp(-2), sim.context.x, 1e-5)
  end)

  it("that read each other in a circle are an error", function()
    local s = saltus.system { name = "s", outputs = { a = function(ctx) return ctx.b end,
      b = function(ctx) return ctx.a end } }
    fails("an algebraic loop", function() return saltus.simulator(s).context.a end)
  end)
end)

describe("parameters and modes", function()
  it("written by unrestricted updates hold at once", function()
    local s = saltus.system { name = "s", z = { "x" }, params = { { "rate", 1 }, { "kind", "slow", values = { "slow",
      "fast" } } },
      discrete = { { "mode", "up", values = { "up", "down" } } },
      derivatives = function(ctx, dot)
        dot.x = (ctx.mode == "up" and 1 or -1) * ctx.rate * (ctx.kind == "fast" and 10 or 1)
      end,
      events = { { next_time = function(ctx) return ctx.time < 1 and 1 or nil end,
        unrestricted_update = function(_, next) next.rate, next.kind = 2, "fast" end },
      { every = 2, offset = 2, discrete_update = function(_, next) next.mode = "down" end } } }
    local sim = saltus.simulator(s)
    sim:advance_to(1)
    sim:advance_to(2)
    assert.near(21, sim.context.x, 1e-9)
    sim:advance_to(3)
    assert.near(1, sim.context.x, 1e-9)
    assert.same({ 2, "fast", "down" }, { sim.context.rate, sim.context.kind, sim.context.mode })
  end)
end)
