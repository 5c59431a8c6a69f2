-- The files of `saltus new NAME`. NAME stands for the name, IDENT for it as a Lua identifier.
local templates = {}

templates.scenario = [[
-- A tank: a pump fills it until it is full, and starts again when it is low.
--
--   saltus run NAME.lua --animate NAME.html
local saltus = require "saltus"

local IDENT = saltus.system {
  name = "IDENT",
  z = { { "level", 0.2, unit = "m" } },
  discrete = { { "pump", "on", values = { "on", "off" } } },
  params = {
    { "inflow", 0.1, unit = "m/s", doc = "while the pump is on" },
    { "outflow", 0.05, unit = "1/s", doc = "share of the level that leaves in a second" },
    { "low", 0.5, unit = "m" }, { "high", 1, unit = "m" },
  },

  derivatives = function(ctx, dot)
    local inflow = ctx.pump == "on" and ctx.inflow or 0
    dot.level = inflow - ctx.outflow * ctx.level
  end,

  events = {
    { name = "full", direction = "rising",
      witness = function(ctx) return ctx.level - ctx.high end,
      discrete_update = function(_, next) next.pump = "off" end },
    { name = "empty", direction = "falling",
      witness = function(ctx) return ctx.level - ctx.low end,
      discrete_update = function(_, next) next.pump = "on" end },
  },

  draw = function(ctx, pen) -- in metres; the origin is the middle of the bottom
    pen:box(0, ctx.level / 2, 0.8, ctx.level, { colour = 1, fill = true })
    pen:line(-0.4, 0, 0.4, 0, { width = 4 })
    pen:line(-0.4, 0, -0.4, 1.2, { width = 4 })
    pen:line(0.4, 0, 0.4, 1.2, { width = 4 })
    pen:text(0.6, 1, "pump " .. ctx.pump)
  end,
}

return saltus.scenario {
  system = IDENT, duration = 60, log = { "level", "pump" },
  view = { left = -1.2, right = 1.6, bottom = -0.1, top = 1.3 },
}
]]

templates.spec = [[
-- Run in this folder: saltus test
require "saltus.busted"
local scenario = dofile "NAME.lua"

describe("IDENT", function()
  it("is full when the exact solution says so", function()
    local result = scenario:run { duration = 30, accuracy = 1e-6 }
    local ctx = result.context
    local limit = ctx.inflow / ctx.outflow -- the level with the pump on for ever
    local exact = math.log((limit - 0.2) / (limit - ctx.high)) / ctx.outflow
    assert.event_at(result, "full", exact, 1e-4)
    assert.event_order(result, { "full", "empty" })
  end)

  it("falls exponentially while the pump is off", function()
    local result = scenario:run { set = { level = 0.9, pump = "off" }, duration = 10, accuracy = 1e-6 }
    assert.near_trajectory(result, { level = function(t) return 0.9 * math.exp(-0.05 * t) end }, 1e-5)
  end)

  it("stays between its two levels once it was full", function()
    assert.holds(scenario, "always (full -> always (level > low - 1e-6 and level < high + 1e-6))")
  end)

  it("stops the pump when it is full", function()
    assert.holds(scenario, "always (level > high -> pump == 'off' within 0.01)")
  end)

  it("runs again to the same bits", function() assert.same_run(scenario:run(), scenario:run()) end)
end)
]]

templates.busted = [[
return { default = { lua = "lua5.4", ROOT = { "spec" } } }
]]

return templates
