-- The formulas that judge the examples of queues, against others.
local theory = require "spec.queues.theory"

describe("the theory of queues", function()
  it("has Erlang's mean wait: M/M/1 and M/M/2 have simpler forms, and one fast server never makes it longer", function()
    for load = 0.1, 0.95, 0.05 do
      assert.near(load / (1 - load), theory.mean_wait(load, 1, 1), 1e-12 / (1 - load))
      assert.near(load ^ 2 / (1 - load ^ 2), theory.mean_wait(2 * load, 1, 2), 1e-12 / (1 - load))
      for servers = 2, 6 do
        local stay = theory.mean_wait(servers * load, 1, servers) + 1
        assert.is_true(stay > theory.mean_wait(servers * load, servers, 1) + 1 / servers)
      end
    end
  end)

  it("has the share of time in which machines work", function()
    for ratio = 0.05, 2, 0.1 do
      assert.near(1 / (1 + ratio), theory.share_working(1, ratio, 1), 1e-14)
      local two = (2 + 2 * ratio) / (1 + 2 * ratio + 2 * ratio ^ 2) / 2 -- the three states by hand
      assert.near(two, theory.share_working(2, ratio, 1), 1e-14)
    end
  end)

  it("has the mean of values and its standard error", function()
    local mean, err = theory.mean_and_error { 1, 2, 3, 6 }
    assert.equal(3, mean)
    assert.near(math.sqrt(14 / 3 / 4), err, 1e-15)
  end)

  it("starts services first come, first served, on the server that is free first", function()
    local starts = theory.start_times({ 0, 0, 1, 5, 20 }, { 4, 2, 3, 1, 1 }, 2)
    assert.same({ 0, 0, 2, 5, 20 }, starts)
    assert.same({ 0, 4, 6, 9, 20 }, theory.start_times({ 0, 0, 1, 5, 20 }, { 4, 2, 3, 1, 1 }, 1))
  end)
end)
