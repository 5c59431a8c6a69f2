-- Mirrors lua/saltus/story/host.lua and lua/saltus/story/emits.lua: names of events for which stories wait.
local saltus = require "saltus"

describe("a wait for an event with a name that no event has", function()
  local function warnings_of(story)
    local sim = saltus.simulator(saltus.system { name = "s", discrete = { "n" }, events = {
      { name = "ring", every = 2, publish = function() end } } })
    saltus.stories(sim):spawn("guest", story)
    sim:advance_to(5)
    return sim.warnings
  end

  it("is reported once if a name is near", function()
    local list = warnings_of(function(s)
      for _ = 1, 3 do s:wait_any { s:event "rign", 1 } end
    end)
    assert.equal(1, #list)
    assert.same({ 0, "unknown_event" }, { list[1].time, list[1].kind })
    assert.equal('story "guest" waits for "rign", which is no event of the model, and which no story is known to emit; '
      .. 'did you mean "ring"? (at t = 0)', list[1].message)
  end)

  it("is no mistake if a story emits it, or if no name is near", function()
    assert.same({}, warnings_of(function(s) s:wait_event "other" end))
    assert.same({}, warnings_of(function(s) s:wait_event "ring" end))
    assert.same({}, warnings_of(function(s)
      s:spawn(function(t) t:wait_event "rings" end)
      s:wait(1)
      s:emit "rings"
    end))
  end)
end)
