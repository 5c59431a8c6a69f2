-- cart_pole.lua SECONDS: a cart-pole with encoders held upright by two sampled PIDs at 1 kHz, as a diagram with a Lua
-- plant; prints microseconds of processor time a sample. The peer is `cart_pole` of pydrake_peer.py, with the same
-- method and steps.
local saltus = require "saltus"
local blocks = saltus.blocks

local plant = saltus.system {
  name = "plant",
  q = { "position", { "angle", 0.1 } },
  v = { "speed", "rate" },
  inputs = { "force" },
  params = { cart = 1, pole = 0.1, length = 0.5, gravity = 9.81 },
  derivatives = function(ctx, dot)
    local angle, rate = ctx.angle, ctx.rate
    local s, c = math.sin(angle), math.cos(angle)
    local m, l, g = ctx.pole, ctx.length, ctx.gravity
    local a = (ctx.force + m * s * (l * rate * rate - g * c)) / (ctx.cart + m * s * s)
    dot.position, dot.angle = ctx.speed, rate
    dot.speed, dot.rate = a, (g * s - a * c) / l
  end,
}

local function loop()
  local d = saltus.diagram "loop"
  d:add(plant)
  d:add(blocks.quantizer { interval = 0.001, watch = false }, "angle")
  d:add(blocks.quantizer { interval = 0.0001, watch = false }, "position")
  d:add(blocks.constant { value = 0 }, "upright")
  d:add(blocks.pid { kp = -60, ki = -20, kd = -12, period = 0.001 }, "balance")
  d:add(blocks.pid { kp = -2, ki = 0, kd = -4, period = 0.001 }, "centre")
  d:add(blocks.sum {}, "force")
  d:connect("upright", "balance.target")
  d:connect("upright", "centre.target")
  for _, name in ipairs { "angle", "position" } do d:connect("plant." .. name, name) end
  d:connect("angle", "balance.measured")
  d:connect("position", "centre.measured")
  d:connect("balance", "force.input1")
  d:connect("centre", "force.input2")
  d:connect("force", "plant.force")
  return d
end

local seconds = tonumber(arg[1] or 10)
local best = math.huge
for _ = 1, 8 do
  local sim = saltus.simulator(loop(), { integrator = "drake" })
  sim:initialize()
  local begin = os.clock()
  sim:advance_to(seconds)
  best = math.min(best, (os.clock() - begin) / (seconds * 1000) * 1e6)
  assert(math.abs(sim.context.plant.angle) < 0.02, "it fell")
end
print("us", best)
