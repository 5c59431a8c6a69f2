-- Sources against their formulas.
local saltus = require "saltus"
local bench = require "spec.support.bench"
local blocks = saltus.blocks
local integrated, fails = bench.integrated, bench.fails

describe("sources", function()
  local function at(source, t)
    local sim = saltus.simulator(source, { max_step = 0.1 })
    sim:advance_to(t)
    return sim.context.output
  end

  it("sine and chirp follow their formulas", function()
    assert.equal(0.25 + 2 * math.sin(3 * 0.7 + 0.5),
      at(blocks.sine { amplitude = 2, frequency = 3, phase = 0.5, bias = 0.25 }, 0.7))
    local chirp = blocks.chirp { first = 1, last = 5, duration = 2 }
    assert.near(math.sin(1.5 + 4 * 1.5 ^ 2 / 4), at(chirp, 1.5), 1e-15)
    assert.near(math.sin(6 + 5 * 1), at(chirp, 3), 1e-14) -- beyond: the last frequency
  end)

  it("step is before at its time in x- and after in x+, and no step runs across", function()
    local area, log = integrated(blocks.step { time = 0.3, before = 1, after = 5 }, {}, 1)
    assert.near(0.3 + 5 * 0.7, area, 1e-12)
    assert.same({ 0.3 }, log:times "block.step")
    local sim = saltus.simulator(blocks.step { time = 1, before = -1, after = 2 })
    sim:advance_to(1)
    assert.equal(-1, sim.context.output)
    sim:advance_to(1.5)
    assert.equal(2, sim.context.output)
  end)

  it("step that lies before the start has happened", function()
    local sim = saltus.simulator(blocks.step { time = 1, after = 2 }, { start_time = 4 })
    sim:initialize()
    assert.equal(2, sim.context.output)
  end)

  it("ramp has its corner at the end of a step", function()
    local area = integrated(blocks.ramp { slope = 2, time = 0.4, initial = 1 }, {}, 1)
    assert.near(1 + 0.6 ^ 2, area, 1e-12)
  end)

  it("pulse is high for its width, from its offset on, from the middle as from the start", function()
    local pulse = blocks.pulse { period = 0.5, width = 0.2, offset = 0.1, high = 3, low = 1 }
    assert.near(2 + 4 * 0.2 * 2, integrated(pulse, {}, 2), 1e-12)
    for _, case in ipairs { { 5.2, 3 }, { 5.35, 1 }, { 5.05, 1 } } do
      local sim = saltus.simulator(pulse, { start_time = case[1] })
      sim:initialize()
      assert.equal(case[2], sim.context.output)
    end
    fails("width must be smaller than period", blocks.pulse, { period = 1, width = 1 })
  end)

  it("pulse is low before its offset, however near the end of a pulse before it would be", function()
    local pulse = blocks.pulse { period = 1, width = 0.5, offset = 0.75, high = 3, low = 1 }
    assert.near(2 + 2 * (0.5 + 0.25), integrated(pulse, {}, 2), 1e-12)
    local sim = saltus.simulator(pulse, { start_time = -1.25 })
    local log = saltus.log(sim, { "output" })
    sim:advance_to(1)
    assert.same({ 1, 1, 3, 3 }, { log:at(-1.25).output, log:at(0.5).output, log:at(0.75).output, log:at(1).output })
  end)

  it("time_table is linear or in stairs between its points", function()
    local times, values = { 0.2, 0.5, 0.9 }, { 1, 4, 2 }
    local area = integrated(blocks.time_table { times = times, values = values }, {}, 1)
    assert.near(0.2 + 2.5 * 0.3 + 3 * 0.4 + 0.2, area, 1e-12)
    area = integrated(blocks.time_table { times = times, values = values, between = "stairs" }, {}, 1)
    assert.near(0.2 + 0.3 + 4 * 0.4 + 2 * 0.1, area, 1e-12)
    assert.same({ 2.5, 25 }, at(blocks.time_table { times = { 0, 2 }, values = { { 1, 10 }, { 4, 40 } } }, 1))
  end)

  it("function_of_time may return a list", function()
    local source = blocks.function_of_time { f = function(t) return { t, t * t } end, size = 2 }
    assert.same({ 0.5, 0.25 }, at(source, 0.5))
  end)

  it("noise has the given mean and variance, for all distributions", function()
    for _, distribution in ipairs { "normal", "uniform", "exponential" } do
      local sim = saltus.simulator(blocks.noise { variance = 4, mean = 3, period = 1, distribution = distribution },
        { seed = 5 })
      local n, sum, squares = 4000, 0, 0
      for k = 1, n do
        sim:advance_to(k - 0.5)
        local y = sim.context.output
        sum, squares = sum + y, squares + (y - 3) ^ 2
      end
      -- Five standard deviations of the mean; the fourth moment of an exponential is 9 variances squared.
      assert.near(3, sum / n, 5 * 2 / math.sqrt(n))
      assert.near(4, squares / n, 5 * math.sqrt(8 / n) * 4)
    end
  end)

  it("noise depends on the seed, and is constant between samples", function()
    local function values(seed)
      local sim = saltus.simulator(blocks.noise { period = 0.5, size = 2 }, { seed = seed })
      sim:advance_to(0.6)
      local a = sim.context.output
      sim:advance_to(0.9)
      assert.same(a, sim.context.output)
      assert.not_equal(a[1], a[2])
      return a
    end
    assert.same(values(3), values(3))
    assert.not_same(values(3), values(4))
  end)
end)
