-- Runs, saves, loads and frees simulators from the closures of their own run.
local saltus = require "saltus"
local sim, log
local function play(ctx)
  pcall(sim.save, sim) pcall(sim.load, sim, "x") pcall(sim.advance_to, sim, 5) pcall(sim.initialize, sim) pcall(log.csv, log)
  pcall(function() sim.context.x = 5 end) pcall(sim.hash, sim) pcall(sim.clone, sim) pcall(sim.reset, sim) pcall(sim.sampled, sim)
  local t = setmetatable({}, { __gc = function() pcall(sim.advance_to, sim, 9) end }) t = nil
  for i = 1, 300 do local g = { i } end
end
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot) play(ctx) dot.x = 1 end,
  outputs = { y = function(ctx) play(ctx) return 1 end },
  events = { { name = "t", every = 0.1, publish = play, }, { name = "u", every = 0.1, unrestricted_update = function(ctx, next) play(ctx) next.x = 1 end },
    { name = "w", direction = "rising", witness = function(ctx) play(ctx) return ctx.x - 1.3 end, discrete_update = play } } }
sim = saltus.simulator(s) log = saltus.log(sim, { "x", "y", every = 0.05 })
for i = 1, 5 do pcall(sim.advance_to, sim, i / 5) end
return false
