-- Inputs that neither the time nor the continuous state moves change by other ways: the host, feeds, updates upstream,
-- edits of parameters, loads. Programs follow all of them, as their closures do.
local both_ways = require "spec.support.both_ways"
local random = require "spec.support.random"
local saltus = require "saltus"

local function rate(ctx, dot) dot.z = ctx.push * ctx.gain - 0.3 * ctx.z + ctx.held end -- two parts share it

local function plant(name)
  return saltus.system { name = name, z = { { "z", 0.5 } }, params = { gain = 2 }, inputs = { "push", "held" },
    outputs = { { "out", function(ctx) return ctx.z end } }, derivatives = rate }
end

-- The command of a sampled part holds one plant; the host pushes it; the second plant reads the first as it flows.
local function loop()
  local d = saltus.diagram "loop"
  d:add(saltus.system { name = "command", discrete = { { "n", 0 } }, params = { step = 0.25 },
    outputs = { { "out", function(ctx) return ctx.n * ctx.step end } },
    events = { { name = "tick", every = 0.1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } })
  d:add(plant "first")
  d:add(plant "second")
  d:connect("command.out", "first.held")
  d:connect("first.out", "second.push")
  d:connect("command.out", "second.held")
  return d
end

-- Each takes the simulator and three random numbers.
local deeds = {
  function(sim, a) sim.context.first.push = a end,
  function(sim, a, b) sim:feed("first.push", sim.context.time + 0.05 + a, b) end,
  function(sim, a) sim.context.first.gain = 1 + a end,
  function(sim, a) sim.context.second.gain = 1 - a end,
  function(sim, a) sim.context.command.step = a end,
  function(sim, _, b) sim.context.second.z = b end,
  function(sim) sim:load(sim:save()) end,
  function(sim, a)
    local saved = sim:save()
    sim:advance_to(sim.context.time + a)
    sim:load(saved)
  end,
}

local function act(sims, k, a, b)
  deeds[k](sims[1], a, b)
  assert(both_ways.in_lua(deeds[k], sims[2], a, b))
end

describe("a program that reads inputs", function()
  it("follows all that changes them", function()
    for seed = 1, 30 do
      local r = random.new(seed)
      local sims = { saltus.simulator(loop()), saltus.simulator(loop()) }
      for _, sim in ipairs(sims) do sim.context.first.push = 0 end
      local t = 0
      for _ = 1, 40 do
        t = t + 0.2 * r:real()
        sims[1]:advance_to(t)
        assert(both_ways.in_lua(sims[2].advance_to, sims[2], t))
        act(sims, r:integer(1, #deeds), r:real(), r:real())
        assert.equal(sims[1]:hash(), sims[2]:hash(), "seed " .. seed)
      end
      assert.truthy(both_ways.line_of(sims[1], "derivatives"))
    end
  end)
end)
