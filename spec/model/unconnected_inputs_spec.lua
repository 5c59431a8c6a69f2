-- Mirrors lua/saltus/model/unconnected_inputs.lua: inputs that nothing feeds.
local saltus = require "saltus"
local fails = require "spec.support.fails"

-- x' = gain * u, an output that adds `extra`, and an event that reads `late`.
local function plant(inputs)
  return saltus.system { name = "plant", z = { "x" }, inputs = inputs or { "u", "extra", "late" },
    params = { gain = 2 },
    outputs = { sum = function(ctx) return ctx.x + ctx.extra end },
    derivatives = function(ctx, dot) dot.x = ctx.gain * ctx.u end,
    events = { { name = "tick", every = 1, offset = 1, publish = function(ctx) return ctx.late and nil end } } }
end

describe("an input without default", function()
  it("that is needed and not connected is an error at the start, with its name", function()
    local d = saltus.diagram "d"
    d:add(plant(), "a")
    d:add(plant(), "b")
    d:connect("a.sum", "b.u")
    local sim = saltus.simulator(d)
    for _, start in ipairs { sim.initialize, function(s) s:advance_to(1) end, function(s) s:steps(1) end } do
      fails('"d" cannot start: 2 inputs are needed that are not connected and have no value\n'
        .. "  a.u  (added at spec/model/unconnected_inputs_spec.lua:17)", start, sim)
      fails("\n  a.extra  (added at spec/model/unconnected_inputs_spec.lua:17)\nconnect it", start, sim)
    end
  end)

  it("may be set, given a default, or exported and set", function()
    local sim = saltus.simulator(plant { "u", { "extra", 0 }, { "late", 0 } })
    fails('"plant" cannot start: an input is needed that is not connected and has no value\n  u  (made at ',
      sim.initialize, sim)
    sim.context.u = 3
    sim:advance_to(1)
    assert.near(6, sim.context.x, 1e-9)
    sim = saltus.simulator(plant():with { u = 1, extra = 0, late = 0 })
    sim:advance_to(1)
    assert.near(2, sim.context.x, 1e-9)
    local d = saltus.diagram "d"
    d:add(plant { "u", { "extra", 0 }, { "late", 0 } })
    d:export_input("force", "plant.u")
    sim = saltus.simulator(d)
    sim.context.force = 2
    sim:advance_to(1)
    assert.near(4, sim.context.plant.x, 1e-9)
  end)

  it("that is not needed is no error until it is read", function()
    local sim = saltus.simulator(plant { { "u", 0 }, "extra", "late" })
    sim:advance_to(0.5)
    fails('the input "extra" is read, but it is not connected and has no value; connect it, give it a default, or set '
      .. "sim.context.extra before the run", function() return sim.context.sum end)
    fails('the input "late" is read, but it is not connected', sim.advance_to, sim, 2)
    assert.equal(1, sim.context.time)
    sim.context.late = 1
    sim:advance_to(2)
    assert.equal(2, sim.context.time)
  end)

  it("of a vector needs all of its elements", function()
    local s = saltus.system { name = "s", z = { "x" }, inputs = { { "u", size = 2 } },
      derivatives = function(ctx, dot) dot.x = ctx.u[1] + ctx.u[2] end }
    local sim = saltus.simulator(s)
    sim.context["u[1]"] = 1
    fails('"s" cannot start', sim.initialize, sim)
    sim.context["u[2]"] = 1
    sim:advance_to(1)
    assert.near(2, sim.context.x, 1e-9)
  end)

  it("has no value in a clone and after a load", function()
    local sim = saltus.simulator(plant())
    fails('"plant" cannot start', sim:clone().initialize, sim:clone())
    assert.matches("u +%(to be connected%)", tostring(plant()))
  end)
end)

describe("a fixed input", function()
  it("is changed between calls, as parameters are", function()
    local sim = saltus.simulator(plant { { "u", 1 }, { "extra", 5 }, { "late", 0 } })
    sim:advance_to(1)
    sim.context.u, sim.context.extra, sim.context.gain = 2, 7, 3
    sim:advance_to(2)
    assert.near(2 + 6, sim.context.x, 1e-9)
    assert.near(8 + 7, sim.context.sum, 1e-9)
  end)
end)
