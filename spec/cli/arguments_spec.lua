-- Mirrors lua/saltus/cli/arguments.lua.
local arguments = require "saltus.cli.arguments"

describe("arguments.set", function()
  it("reads numbers, lists and words", function()
    assert.same({ name = "a.b", value = 0.5 }, arguments.set "a.b=0.5")
    assert.same({ name = "r", value = { 1, 2.5 } }, arguments.set "r=1,2.5")
    assert.same({ name = "mode", value = "resting" }, arguments.set "mode = resting")
    assert.is_nil((arguments.set "mode"))
    assert.is_nil((arguments.set "r=1,x"))
    assert.equal(("--set must be name=value, got '%s...'"):format(("x"):rep(77)),
      (select(2, arguments.set(("x"):rep(100000)))))
  end)
end)

describe("arguments.joined", function()
  it("makes a negative number the value of the option before it", function()
    assert.same({ "run", "f", "--duration=-1", "--set", "x=-1", "-q", "--seed=-3" },
      arguments.joined { "run", "f", "--duration", "-1", "--set", "x=-1", "-q", "--seed", "-3" })
  end)
end)
