-- A block of three elements is three blocks of one, to the bit, events and all.
local saltus = require "saltus"
local random = require "spec.support.random"
local blocks = saltus.blocks

local cases = {
  { "gain", { gain = 1.5 } },
  { "saturation", { lower = -0.3, upper = 0.4 } }, { "dead_zone", { lower = -0.3, upper = 0.4 } },
  { "quantizer", { interval = 0.3 } }, { "wrap_to", { low = -0.4, high = 0.5 } },
  { "relay", { lower = -0.2, upper = 0.3 } }, { "comparator", { threshold = 0.1 } },
  { "lookup_table", { points = { -1, 0, 0.5 }, values = { 1, 0, 2 } } },
  { "rate_limit", { rising = 0.5, falling = 0.3 } },
  { "integral", {} }, { "integral", { lower = -0.2, upper = 0.1 } }, { "lag", { time_constant = 0.3 } },
  { "derivative", { time_constant = 0.1 } },
  { "mass", { mass = 1, static_friction = 0.5, kinetic_friction = 0.3 }, "speed" },
  { "zero_order_hold", { period = 0.1 } }, { "moving_average", { period = 0.1, samples = 3 } },
  { "discrete_time_delay", { period = 0.1, delay_steps = 3 } }, { "discrete_derivative", { period = 0.1 } },
  { "rate_limit", { rising = 0.5, falling = 0.3, period = 0.05 } },
}

describe("vectors", function()
  local rng = random.new(17)
  local function three(low, high)
    local out = {}
    for i = 1, 3 do out[i] = low + (high - low) * rng:real() end
    return out
  end

  for _, case in ipairs(cases) do
    local kind, options, output = case[1], case[2], case[3] or "output"
    local variant = options.period and " with period" or options.lower and " with limits" or ""
    it(kind .. variant, function()
      local d = saltus.diagram "d"
      d:add(blocks.sine { frequency = three(0.5, 4), phase = three(0, 6), amplitude = three(0.5, 1.5) }, "source")
      d:add(blocks.demux { sizes = { 1, 1, 1 } }, "split")
      d:add(blocks.integral {}, "clock") -- so that steps are those of a system that flows
      d:connect("source", "split")
      d:connect("split.output1", "clock")
      for i = 1, 3 do
        d:add(blocks[kind](options), "one" .. i)
        d:connect("split.output" .. i, "one" .. i .. ".input")
      end
      local all = { size = 3 }
      for name, value in pairs(options) do all[name] = value end
      d:add(blocks[kind](all), "three")
      d:connect("source", "three.input")
      local sim = saltus.simulator(d, { max_step = 0.1 })
      for k = 1, 60 do
        sim:advance_to(k * 0.13)
        local seen = sim.context.three[output]
        for i = 1, 3 do assert.equal(sim.context["one" .. i][output], seen[i]) end
      end
    end)
  end

  for _, period in ipairs { false, 0.05 } do
    it(("pid%s, with gains by element, and one target for all"):format(period and " with period" or ""), function()
      local d, kp, ki, kd = saltus.diagram "d", { 1, 2, 3 }, { 0.5, 0.2, 0.1 }, { 0.1, 0, 0.2 }
      d:add(blocks.sine { frequency = three(0.5, 4), phase = three(0, 6) }, "source")
      d:add(blocks.demux { sizes = { 1, 1, 1 } }, "split")
      d:add(blocks.constant { value = 0.3 }, "target")
      d:add(blocks.constant { value = 0.3, size = 3 }, "targets")
      d:connect("source", "split")
      local function add(name, size, k, target, measured)
        local function pick(list) return k and list[k] or list end
        d:add(blocks.pid { name = name, kp = pick(kp), ki = pick(ki), kd = pick(kd), upper = 0.9, size = size,
          period = period or nil })
        d:connect(target, name .. ".target")
        d:connect(measured, name .. ".measured")
      end
      for i = 1, 3 do add("one" .. i, 1, i, "target", "split.output" .. i) end
      add("three", 3, nil, "targets", "source")
      local sim = saltus.simulator(d, { max_step = 0.1 })
      for k = 1, 30 do
        sim:advance_to(k * 0.13)
        for i = 1, 3 do assert.equal(sim.context["one" .. i].output, sim.context.three.output[i]) end
      end
    end)
  end
end)
