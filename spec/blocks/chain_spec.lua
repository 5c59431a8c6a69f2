-- Chains of blocks within an instant: each block follows the one before it, and nobody sees an output that the chain
-- does not have, whatever is behind it.
local saltus = require "saltus"
local blocks = saltus.blocks

local q1, q2, low, high = 0.5, 0.7, -0.5, 0.6

local function nearest(u, interval) return interval * math.floor(u / interval + 0.5) end
local function wrapped(u) return u - (high - low) * math.floor((u - low) / (high - low)) end

-- A sine, then two quantizers and a wrap; `add` puts more behind them.
local function stairs(add)
  local d = saltus.diagram "d"
  d:add(blocks.sine { amplitude = 2 }, "source")
  d:add(blocks.quantizer { interval = q1 }, "a")
  d:add(blocks.quantizer { interval = q2 }, "b")
  d:add(blocks.wrap_to { low = low, high = high }, "c")
  d:connect("source", "a")
  d:connect("a", "b")
  d:connect("b", "c")
  add(d)
  return saltus.simulator(d)
end

-- Two quantizers behind what the host writes. `between` is what the second one reads.
local function stairs_of_hand(between)
  local d = saltus.diagram "d"
  d:add(saltus.system { name = "hand", discrete = { { "u", 0 } }, outputs = { y = function(x) return x.u end } })
  d:add(blocks.quantizer { interval = 1 }, "a")
  d:add(saltus.system { name = "between", inputs = { "u" }, outputs = { y = between or function(x) return x.u end } })
  d:add(blocks.quantizer { interval = 1 }, "b")
  d:connect("hand", "a")
  d:connect("a", "between")
  d:connect("between", "b")
  return saltus.simulator(d)
end

describe("a chain of blocks", function()
  it("shows no condition a value that it does not have", function()
    local wrong = 0
    local sim = stairs(function(d)
      d:add(saltus.system { name = "see", inputs = { "a", "b", "c" }, events = {
        { name = "b_is_behind", becomes = function(x) return math.abs(x.b - nearest(x.a, q2)) > 1e-9 end,
          publish = function() wrong = wrong + 1 end },
        { name = "c_is_behind", becomes = function(x) return math.abs(x.c - wrapped(x.b)) > 1e-9 end,
          publish = function() wrong = wrong + 1 end } } })
      for _, name in ipairs { "a", "b", "c" } do d:connect(name, "see." .. name) end
    end)
    sim:advance_to(30)
    assert.equal(0, wrong)
  end)

  -- The wrap ends between low and high; on the way it would be above high for a moment.
  for _, seen in ipairs { false, true } do
    it("has no edges that are not in it" .. (seen and ", with a condition beside it" or ""), function()
      local sim = stairs(function(d)
        d:add(blocks.counter { edge = "either", threshold = high + 0.01 }, "over")
        d:connect("c", "over")
        d:add(blocks.counter { edge = "either", threshold = low - 0.01 }, "under")
        d:connect("c", "under")
        d:add(blocks.maximum {}, "most")
        d:connect("c", "most")
        if not seen then return end
        d:add(saltus.system { name = "see", inputs = { "c" }, events = {
          { name = "high", becomes = function(x) return x.c > 0.3 end, publish = function() end } } })
        d:connect("c", "see.c")
      end)
      sim:advance_to(30)
      assert.same({ 0, 0 }, { sim.context["over.output"], sim.context["under.output"] })
      assert.is_true(sim.context["most.output"] <= high)
    end)
  end

  -- A step that grows, two quantizers, and the difference of them, which is always 0. `latch`: two relays in a loop are
  -- upstream of them and always 0. Each part is declared before those upstream of it.
  for _, latch in ipairs { false, true } do
    it("has no edges that are not in it" .. (latch and ", behind a loop" or ", declared backwards"), function()
      local d, off = saltus.diagram "d", blocks.relay { lower = -1, upper = 1000 }
      d:add(blocks.maximum {}, "most")
      d:add(blocks.counter { edge = "either", threshold = 0.6 }, "n")
      d:add(blocks.sum { signs = "+-" }, "difference")
      d:add(blocks.quantizer { interval = 1 }, "b")
      d:add(blocks.quantizer { interval = 1 }, "a")
      d:add(blocks.sum {}, "both")
      d:add(saltus.system { name = "jump", discrete = { { "u", 0 } }, outputs = { y = function(x) return x.u end },
        events = { { name = "up", every = 1, offset = 1, discrete_update = function(x, next)
          next.u = 1 + x.u + x.u % 3
        end } } })
      d:add(off, "latch")
      d:add(latch and off or blocks.constant { value = 0 }, "other")
      if latch then d:connect("latch", "other") end
      d:connect(latch and "other" or "jump", "latch")
      d:connect("jump", "both.input1")
      d:connect(latch and "latch" or "other", "both.input2")
      d:connect("both", "a")
      d:connect("a", "b")
      d:connect("a", "difference.input1")
      d:connect("b", "difference.input2")
      d:connect("difference", "n")
      d:connect("difference", "most")
      local sim = saltus.simulator(d)
      sim:advance_to(5.5)
      assert.same({ 7, 0, 0 }, { sim.context["b.output"], sim.context["n.output"], sim.context["most.output"] })
    end)
  end

  -- A host that makes one step a call writes also where an event has fired and waits for its handler.
  for _, stops in ipairs { false, true } do
    it("follows what the host writes before anything else reads it" .. (stops and ", after each step" or ""), function()
      local wrong, d = 0, saltus.diagram "d"
      d:add(blocks.maximum {}, "most")
      d:add(blocks.counter { edge = "either", threshold = 0.6 }, "n")
      d:add(blocks.sum { signs = "+-" }, "difference")
      d:add(blocks.quantizer { interval = 1 }, "b")
      d:add(blocks.quantizer { interval = 1 }, "a")
      d:add(blocks.sine { frequency = 5 }, "other")
      d:add(blocks.comparator {}, "swings")
      d:connect("other", "swings")
      d:add(saltus.system { name = "hand", discrete = { { "u", 0 } }, outputs = { y = function(x) return x.u end } })
      d:add(saltus.system { name = "see", inputs = { "u", "b" }, events = {
        { name = "is_behind", becomes = function(x) return math.abs(x.b - x.u) > 0.5 end,
          publish = function() wrong = wrong + 1 end },
        { name = "sample", every = 1, publish = function(x) wrong = wrong + math.abs(x.b - x.u) end } } })
      d:connect("hand", "a")
      d:connect("a", "b")
      d:connect("b", "difference.input1")
      d:connect("hand", "difference.input2")
      d:connect("difference", "n")
      d:connect("difference", "most")
      d:connect("hand", "see.u")
      d:connect("b", "see.b")
      local sim = saltus.simulator(d, { max_steps_per_call = stops and 1 or nil })
      for k = 1, 20 do
        pcall(sim.advance_to, sim, k - 0.5)
        sim.context["hand.u"] = k % 7
      end
      pcall(sim.advance_to, sim, 20)
      assert.same({ 6, 0, 0, 0 },
        { sim.context["b.output"], sim.context["n.output"], sim.context["most.output"], wrong })
    end)
  end

  it("is logged after what the host writes", function()
    local sim = stairs_of_hand()
    local log = saltus.log(sim, { "hand.u", "a.output", "b.output" })
    sim:advance_to(1)
    sim.context["hand.u"] = 3
    sim:advance_to(2)
    assert.equal("0.0 1.0 1.0 2.0", table.concat(log.time, " "))
    for _, name in ipairs { "hand.u", "a.output", "b.output" } do
      assert.equal("0.0 0.0 3.0 3.0", table.concat(log[name], " "))
    end
  end)

  it("fails with what the host writes, and follows it later", function()
    local fails = true
    local sim = stairs_of_hand(function(x)
      if fails and x.u > 2 then error "once" end
      return x.u
    end)
    sim:advance_to(1)
    sim.context["hand.u"] = 3
    for _ = 1, 2 do
      assert.error_matches(function() sim:advance_to(2) end, "once")
      assert.equal(0, sim.context["b.output"])
    end
    fails = false
    sim:advance_to(2)
    assert.equal(3, sim.context["b.output"])
  end)

  it("is undone as one with an update that fails", function()
    local fails, d = true, saltus.diagram "d"
    d:add(saltus.system { name = "jump", discrete = { { "u", 0 } }, outputs = { y = function(x) return x.u end },
      events = {
        { name = "up", every = 1, offset = 1, discrete_update = function(x, next) next.u = x.u + 1 end },
        { name = "may_fail", becomes = function(x) return x.u > 1.5 end, discrete_update = function()
          if fails then
            fails = false
            return saltus.fail "once"
          end
        end } } })
    d:add(blocks.quantizer { interval = 1 }, "a")
    d:add(blocks.comparator { threshold = 1.5 }, "b")
    d:add(blocks.counter { edge = "rising" }, "n")
    d:connect("jump", "a")
    d:connect("a", "b")
    d:connect("b", "n")
    local sim = saltus.simulator(d)
    assert.is_false(pcall(sim.advance_to, sim, 2.5))
    assert.same({ 1, 0, 0 }, { sim.context["a.output"], sim.context["b.output"], sim.context["n.output"] })
    sim:advance_to(2.5)
    assert.same({ 2, 1, 1 }, { sim.context["a.output"], sim.context["b.output"], sim.context["n.output"] })
  end)

  it("follows what a host writes where a watch has ended the call", function()
    local d = saltus.diagram "d"
    d:add(saltus.system { name = "ramp", z = { "x" }, discrete = { { "u", 0 } },
      derivatives = function(_, dot) dot.x = 1 end, outputs = { y = function(c) return c.u end } })
    d:add(blocks.comparator { threshold = 0.5 }, "a")
    d:add(blocks.comparator { threshold = 0.5 }, "b")
    d:connect("ramp.y", "a")
    d:connect("a", "b")
    local sim = saltus.simulator(d)
    sim:watch(function(c) return c.ramp.x - 0.5 end)
    sim:advance_to(1)
    assert.near(0.5, sim.context.time, 1e-9)
    sim.context["ramp.u"] = 1
    sim:advance_to(1)
    assert.same({ 1, 1 }, { sim.context["a.output"], sim.context["b.output"] })
  end)
end)
