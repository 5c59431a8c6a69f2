-- Blocks whose law bends: integration never runs across a corner.
local bench = require "spec.support.bench"
local blocks = require("saltus").blocks
local fed, of_time, time, integrated = bench.fed, bench.of_time, bench.time, bench.integrated

describe("corners", function()
  it("saturation is integrated exactly, its corners ends of steps", function()
    local area, log = integrated(blocks.saturation { lower = -0.25, upper = 0.5 }, { input = of_time(math.sin) },
      2 * math.pi, { accuracy = 1e-8 })
    local function above(limit) -- of sin over a half wave, cut at the limit
      local a = math.asin(limit)
      return 2 * (1 - math.cos(a)) + limit * (math.pi - 2 * a)
    end
    assert.near(above(0.5) - above(0.25), area, 1e-7)
    assert.near(math.pi / 6, log:times "block.up"[1], 1e-9)
    assert.equal(2, #log:times "block.down")
  end)

  it("dead zone, table and rate limit too", function()
    local a = math.asin(0.5)
    local area = integrated(blocks.dead_zone { lower = -2, upper = 0.5 }, { input = of_time(math.sin) }, math.pi,
      { accuracy = 1e-8 })
    assert.near(2 * math.cos(a) - 0.5 * (math.pi - 2 * a), area, 1e-7)
    local log
    local teeth = blocks.lookup_table { points = { 0, 0.3, 0.4, 1 }, values = { 0, 3, 0, 6 } }
    area, log = integrated(teeth, { input = time() }, 1)
    assert.near(0.45 + 0.15 + 1.8, area, 1e-9)
    assert.near(0.3, log:times "block.up"[1], 1e-12)
    assert.near(0.4, log:times "block.up"[2], 1e-12)
  end)

  it("watch = false does not change the steps", function()
    local _, log = integrated(blocks.saturation { upper = 0.5, watch = false }, { input = of_time(math.sin) }, 6)
    assert.equal(0, #log.events)
  end)

  it("rate limit follows slow signals and limits fast ones", function()
    local limit = blocks.rate_limit { rising = 2, falling = 1, time_constant = 0.001 }
    local _, context = fed(limit, { input = blocks.constant { value = 5 } }, 1)
    assert.near(2, context.output, 1e-6)
    _, context = fed(limit, { input = of_time(function(t) return -t / 2 end) }, 1)
    assert.near(-0.5 + 0.0005, context.output, 1e-5)
    _, context = fed(blocks.rate_limit { rising = 2, falling = 1, period = 0.125, initial = 1 },
      { input = blocks.constant { value = 0.5 } }, 0.3)
    assert.equal(1 - 3 * 0.125, context.output)
  end)
end)
