-- Two tanks, one above the other. A pump fills the upper tank, which drains into the lower one, which drains into a
-- ditch (Torricelli: the flow is proportional to the root of the level). The lower level switches the pump: on below
-- 0.45 m, off above 0.55 m.
--
--   saltus run examples/12-two-tanks.lua --set pump.off=0.003 --plot tanks.html
local saltus = require "saltus"
local blocks = saltus.blocks

local tanks = saltus.system {
  name    = "tanks",
  z       = { { "upper", 0.5, unit = "m" }, { "lower", 0.5, unit = "m" } },
  inputs  = { { "inflow", unit = "m^3/s" } },
  params  = {
    { "area", 0.1, unit = "m^2", doc = "of each tank" },
    { "upper_hole", 6e-4, unit = "m^2" }, { "lower_hole", 5e-4, unit = "m^2" },
    { "gravity", 9.81, unit = "m/s^2" },
  },
  outputs = {
    { "between", function(ctx) return ctx.upper_hole * math.sqrt(2 * ctx.gravity * ctx.upper) end, unit = "m^3/s",
      needs = { "upper", "upper_hole", "gravity" } },
    { "outflow", function(ctx) return ctx.lower_hole * math.sqrt(2 * ctx.gravity * ctx.lower) end, unit = "m^3/s",
      needs = { "lower", "lower_hole", "gravity" } },
  },

  derivatives = function(ctx, dot)
    dot.upper = (ctx.inflow - ctx.between) / ctx.area
    dot.lower = (ctx.between - ctx.outflow) / ctx.area
  end,

  -- The root has no derivative at 0. A model that runs dry should fail with a message instead of a division by 0.
  events = {
    { name = "dry", direction = "falling", witness = function(ctx) return math.min(ctx.upper, ctx.lower) - 0.001 end,
      publish = saltus.terminate "a tank ran dry" },
  },
}

local plant = saltus.diagram "plant"
plant:add(tanks, "tanks")
plant:add(blocks.relay { lower = 0.45, upper = 0.55, on = 0, off = 0.0025, unit = "m^3/s" }, "pump")
plant:add(blocks.integral { unit = "m^3" }, "pumped")
plant:add(blocks.integral { unit = "m^3" }, "drained")
plant:connect("tanks.lower", "pump")
plant:connect("pump", "tanks.inflow")
plant:connect("pump", "pumped")
plant:connect("tanks.outflow", "drained")

return saltus.scenario { system = plant, duration = 600,
  log = { "tanks.upper", "tanks.lower", "pump.output", "pumped.output", "drained.output", every = 1 } }
