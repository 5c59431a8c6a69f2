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

  it("must be called where they stand for a handler", function()
    local saltus = require "saltus"
    for _, kind in ipairs { "terminate", "fail" } do
      for _, field in ipairs { "publish", "discrete_update", "unrestricted_update", "on_zeno" } do
        local _, message = pcall(function()
          saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end, events = {
            { name = "e", witness = function(ctx) return ctx.x end, [field] = saltus[kind] } } }
        end)
        assert.matches(('^spec/simulation/outcome_spec.lua:%%d+: event "e" of system "s": %s must be a function or an '
          .. 'outcome; write %s = saltus.%s "why"'):format(field, field, kind), message)
      end
    end
  end)

  it("refuse a message that is no string, at the line of the user", function()
    local saltus = require "saltus"
    local sim = saltus.simulator(saltus.system { name = "s", events = {
      { name = "e", every = 1, publish = function(...) return saltus.terminate(...) end } } })
    local _, message = pcall(function() sim:advance_to(2) end)
    assert.matches("^spec/simulation/outcome_spec.lua:%d+: the message of", message)
  end)

  it("refuse a message that is no string", function()
    assert.error_matches(function() outcome.terminate(3) end, "message of saltus.terminate must be a string, got 3")
  end)
end)
