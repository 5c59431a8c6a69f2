-- Files of models for specs of the command line, by their names: spec/support/command.lua writes them.
local models = {}

models["beside.lua"] = "return { gravity = 9.81 }\n"

models["ball.lua"] = [[
local saltus = require "saltus"
local function falling(ctx) return ctx.mode == "falling" end
local ball = saltus.system {
  name = "ball",
  q = { { "height", 1, unit = "m" } },
  v = { { "speed", 0, unit = "m/s" } },
  discrete = { { "mode", "falling", values = { "falling", "resting" } } },
  params = { gravity = require("beside").gravity, { "restitution", 0.8 } },
  derivatives = function(ctx, dot)
    dot.height = ctx.speed
    dot.speed = falling(ctx) and -ctx.gravity or 0
  end,
  events = {
    { name = "touch", when = falling, direction = "falling",
      witness = function(ctx) return ctx.height end,
      unrestricted_update = function(ctx, next) next.height, next.speed = 0, -ctx.restitution * ctx.speed end,
      on_zeno = function(_, next) next.mode, next.height, next.speed = "resting", 0, 0 end },
  },
}
return saltus.scenario { system = ball, duration = 1, log = { "height", "mode", every = 0.01 } }
]]

models["loop.lua"] = [[
local saltus = require "saltus"
local d = saltus.diagram "loop"
d:add(saltus.system { name = "plant", z = { { "x", 1, unit = "m" } }, inputs = { "u" },
  derivatives = function(ctx, dot) dot.x = ctx.u end })
d:add(saltus.system { name = "gain", inputs = { { "input", unit = "s" } }, outputs = {
  output = function(ctx) return -ctx.input end, spare = function() return 0 end, shown = function() return 1 end } })
d:connect("plant.x", "gain")
d:connect("gain.output", "plant")
return saltus.scenario { system = d, duration = 1, log = { "gain.shown" } }
]]

return models
