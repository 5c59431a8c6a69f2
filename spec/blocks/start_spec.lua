-- Blocks that follow a signal have the right output from the start on, also in chains: each start reads what the blocks
-- upstream have written.
local saltus = require "saltus"
local blocks = saltus.blocks

-- 1 on the upper side of `depth` comparators, then `block`. `backwards`: declared from the end of the chain.
local function chain(block, depth, port, backwards)
  local d = saltus.diagram "d"
  local parts = { { "source", blocks.constant { value = 1 } } }
  for i = 1, depth do
    parts[i + 1] = { "c" .. i, blocks.comparator { threshold = 0.5, above = 5, below = -5 } }
  end
  parts[#parts + 1] = { "last", block }
  for i = 1, #parts do
    local part = parts[backwards and #parts + 1 - i or i]
    d:add(part[2], part[1])
  end
  for i = 2, #parts - 1 do d:connect(parts[i - 1][1], parts[i][1]) end
  d:connect(parts[#parts - 1][1], "last" .. (port or ""))
  if port == ".trigger" then d:connect(parts[#parts - 1][1], "last.input") end
  return d
end

local followers = {
  { "maximum", blocks.maximum {}, 5 }, { "minimum", blocks.minimum {}, 5 },
  { "counter", blocks.counter { edge = "either" }, 0 }, { "relay", blocks.relay { lower = -1, upper = 1 }, 1 },
  { "edge_detector", blocks.edge_detector { edge = "either", width = 0.1 }, 0 },
  { "sample_and_hold", blocks.sample_and_hold { edge = "falling" }, 5, ".trigger" },
  { "delay", blocks.delay { delay = 0.5 }, 5 }, { "quantizer", blocks.quantizer { interval = 3 }, 6 },
}

describe("the start of a chain of blocks", function()
  for _, f in ipairs(followers) do
    it("is read by those behind it: " .. f[1], function()
      for depth = 1, 3 do
        for _, backwards in ipairs { false, true } do
          local sim = saltus.simulator(chain(f[2], depth, f[4], backwards))
          sim:initialize()
          assert.equal(f[3], sim.context["last.output"])
          sim:advance_to(1e-9)
          assert.equal(f[3], sim.context["last.output"])
          sim:advance_to(1)
          assert.equal(f[3], sim.context["last.output"])
        end
      end
    end)
  end

  -- Before the start, a delay has the input at the start.
  it("is read through delays, too", function()
    for _, f in ipairs(followers) do
      for _, backwards in ipairs { false, true } do
        local d = saltus.diagram "d"
        local parts = { { "last", f[2] }, { "d2", blocks.delay { delay = 0.25 } }, { "middle", blocks.comparator {
          threshold = 0.5, above = 5, below = -5 } }, { "d1", blocks.delay { delay = 0.25 } },
          { "d0", blocks.delay { delay = 0.25 } }, { "source", blocks.constant { value = 1 } } }
        for i = 1, #parts do
          local part = parts[backwards and i or #parts + 1 - i]
          d:add(part[2], part[1])
        end
        for _, c in ipairs { { "source", "d0.input" }, { "d0.output", "d1.input" }, { "d1.output", "middle" },
          { "middle", "d2.input" }, { "d2.output", "last" .. (f[4] or "") } } do d:connect(c[1], c[2]) end
        if f[4] then d:connect("d2.output", "last.input") end
        local sim = saltus.simulator(d)
        local log = saltus.log(sim, { "d1.output", "last.output" })
        sim:advance_to(2)
        for row = 1, #log do
          assert.same({ 1, f[3] }, { log["d1.output"][row], log["last.output"][row] }, f[1])
        end
      end
    end
  end)

  it("turns no condition behind it true: what is true at the start does not fire", function()
    local fired, d = 0, chain(blocks.relay { lower = -1, upper = 1 }, 2)
    d:add(saltus.system { name = "see", inputs = { "u" }, events = {
      { name = "on", becomes = function(c) return c.u > 0.5 end, publish = function() fired = fired + 1 end } } })
    d:connect("last", "see.u")
    saltus.simulator(d):advance_to(1)
    assert.equal(0, fired)
  end)

  it("has an end where it is a loop", function()
    local d = saltus.diagram "loop"
    for i, name in ipairs { "a", "b", "c" } do d:add(blocks.relay { lower = -1, upper = i }, name) end
    d:connect("a", "b")
    d:connect("b", "c")
    d:connect("c", "a")
    local sim = saltus.simulator(d)
    sim:advance_to(1)
    assert.same({ 0, 0, 0 }, { sim.context["a.output"], sim.context["b.output"], sim.context["c.output"] })
  end)

  it("comes before the initialize of other systems", function()
    local seen
    local d = saltus.diagram "d"
    d:add(blocks.constant { value = 1 }, "source")
    d:add(blocks.comparator { threshold = 0.5 }, "c")
    d:add(saltus.system { name = "own", inputs = { "u" }, discrete = { "kept" }, events = {
      { name = "begin", at = "initialization", discrete_update = function(c, next)
        seen = c.u
        next.kept = c.u
      end } } })
    d:connect("source", "c")
    d:connect("c", "own.u")
    local sim = saltus.simulator(d)
    sim:initialize()
    assert.same({ 1, 1 }, { seen, sim.context["own.kept"] })
  end)
end)
