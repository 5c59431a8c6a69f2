-- Mirrors src/engine/recorder/recorder.c and thinning.c: logs that stop, that sample on demand, and of bounded size.
local saltus = require "saltus"
local support = require "spec.support.saw"

local saw, fixed, copy = support.new, support.fixed, support.copy

describe("a log that is stopped", function()
  it("has no rows and no events until it starts again, and reports the gap", function()
    for _, every in ipairs { 0.25, false } do
      local sim = saltus.simulator(saw(), fixed)
      local log = saltus.log(sim, { "x", every = every or nil })
      sim:advance_to(0.5)
      log:stop()
      sim:advance_to(1.75)
      log:start()
      sim:advance_to(2.5)
      local times = copy(log.time)
      local gap
      for i, mark in ipairs(copy(log.marks)) do if mark == 2 then gap = i end end
      assert.same({ 0, 0.25, 0.5 }, { times[1], times[2], times[3] })
      assert.equal(4, gap)
      assert.is_true(times[4] >= 1.75)
      assert.equal(1, #log:times "tooth") -- that of t = 2; the one of t = 1 was not seen
      assert.has_error(function() log:at(1) end,
        ("log:at: the log was stopped from 0.5 to %s s"):format(require("saltus.util.names").show(times[4])))
      assert.near(0.25, log:at(0.25).x, 1e-9)
    end
  end)

  it("is drawn with a gap", function()
    local sim = saltus.simulator(saw(), fixed)
    local log = saltus.log(sim, { "x", every = 0.25 })
    sim:advance_to(0.5)
    log:stop()
    sim:advance_to(0.75)
    log:start()
    sim:advance_to(0.95)
    local picture = require("saltus.output.plot.panels").of(log, {})
    local values = picture.groups[1].signals[1].values
    assert.equal(#picture.groups[1].time, #values)
    assert.equal(#log + 1, #values)
    assert.is_true(values[4] ~= values[4])
  end)
end)

describe("a log on demand", function()
  it("has a row on request, from outside, a publish or the monitor", function()
    local log
    local sim = saltus.simulator(saw { events = { { name = "ask", every = 0.5, offset = 0.5,
      publish = function() log:sample() end } } }, fixed)
    log = saltus.log(sim, { "x", at = "demand" })
    sim:advance_to(1.2)
    log:sample()
    assert.same({ 0.5, 1, 1.2 }, copy(log.time))
    assert.near(1.2, log.x[3], 1e-12)
    assert.same({ 0.5, 1 }, log:times "ask")
  end)

  it("rejects a request in the middle of a step", function()
    local log
    local sim = saltus.simulator(saw { events = {}, derivatives = function(ctx, dot)
      dot.x = 1
      if ctx.time > 0.1 then log:sample() end
    end }, fixed)
    log = saltus.log(sim, { "x", at = "demand" })
    assert.error_matches(function() sim:advance_to(1) end, "log:sample: a step is under way")
    assert.equal(0, #log)
  end)

  it("passes on the errors of its functions", function()
    local sim = saltus.simulator(saw(), fixed)
    local log = saltus.log(sim, { wrong = function() error("no such luck", 0) end, at = "demand" })
    assert.has_error(function() log:sample() end, "no such luck")
    assert.equal(0, #log)
  end)

  it("is distinct from a period, and has no other value", function()
    local sim = saltus.simulator(saw())
    assert.has_error(function() saltus.log(sim, { "x", at = "step" }) end,
      'saltus.log: at can be "demand" only, got "step"')
    assert.has_error(function() saltus.log(sim, { "x", at = "demand", every = 1 }) end,
      'saltus.log: give every or at = "demand", not both')
  end)
end)

describe("a log of bounded size", function()
  it("keeps the multiples of a period that doubles", function()
    local sim = saltus.simulator(saw(), fixed)
    local log = saltus.log(sim, { "x", "n", every = 0.01, most_rows = 100 })
    local all = saltus.log(sim, { "x", "n", every = 0.01 })
    for stop = 1, 40 do
      sim:advance_to(stop)
      assert.is_true(#log < 100)
    end
    assert.is_true(#log >= 50)
    local step = log.time[2] - log.time[1]
    for i = 1, #log do
      assert.near((i - 1) * step, log.time[i], 1e-9)
      local row = math.floor(log.time[i] / 0.01 + 0.5) + 1
      assert.same({ all.time[row], all.x[row], all.n[row] }, { log.time[i], log.x[i], log.n[i] })
    end
  end)

  it("keeps every 2^k-th step, with its update", function()
    local sim = saltus.simulator(saw { events = { { name = "count", every = 0.5,
      discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }, fixed)
    local log = saltus.log(sim, { "n", most_rows = 32 })
    local all = saltus.log(sim, { "n" })
    sim:advance_to(100)
    local step, wanted = 0, {}
    local stride = math.floor((log.time[3] - log.time[1]) / 0.25 + 0.5)
    local keeps
    for i = 1, #all do
      if all.marks[i] ~= 1 then
        keeps = step % stride == 0
        step = step + 1
      end
      if keeps then wanted[#wanted + 1] = { all.time[i], all.marks[i], all.n[i] } end
    end
    assert.is_true(#log < 32 and stride >= 16)
    assert.equal(#wanted, #log)
    for i, row in ipairs(wanted) do assert.same(row, { log.time[i], log.marks[i], log.n[i] }) end
  end)

  it("keeps the last events", function()
    local sim = saltus.simulator(saw { events = { { name = "blink", every = 0.01, publish = function() end } } }, fixed)
    local log = saltus.log(sim, { "x", every = 1, most_rows = 16 })
    sim:advance_to(10)
    local times = log:times "blink"
    assert.is_true(#times >= 16 and #times <= 32)
    for i = 1, #times do assert.near(10 - 0.01 * (#times - i), times[i], 1e-9) end
  end)

  it("rejects wrong bounds", function()
    local sim = saltus.simulator(saw())
    for _, most in ipairs { 15, -1, 0.5, "100" } do
      assert.error_matches(function() saltus.log(sim, { "x", most_rows = most }) end,
        "saltus.log: most_rows must be a whole number of at least 16, got")
    end
  end)
end)
