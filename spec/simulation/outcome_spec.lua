-- Mirrors lua/saltus/simulation/outcome.lua.
local outcome = require "saltus.simulation.outcome"

describe("outcomes", function()
  before_each(outcome.reset)

  it("carry a message and the system to blame", function()
    local o = outcome.terminate("hit the wall", "plant.arm")
    assert.same({ "terminate", "hit the wall", "plant.arm" }, { o.kind, o.message, o.path })
    assert.is_true(outcome.is(o))
    assert.is_false(outcome.is { kind = "terminate" })
  end)

  it("are remembered until they are taken", function()
    local o = outcome.fail "why"
    assert.equal(o, outcome.take())
    assert.is_nil(outcome.take())
  end)

  it("that replace a handler are not created in one", function()
    local o = outcome.terminate "end"
    local handler = outcome.handler(o)
    assert.is_nil(outcome.take())
    assert.equal(o, handler())
  end)

  it("refuse a message that is no string", function()
    assert.error_matches(function() outcome.terminate(3) end, "message of saltus.terminate must be a string, got 3")
  end)
end)
