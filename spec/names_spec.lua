-- Mirrors lua/saltus/names.lua.
local names = require "saltus.names"

describe("names.near", function()
  local fields = { "derivatives", "discrete", "events", "params" }

  it("finds a name with a letter missing, added, changed or swapped", function()
    assert.equal("derivatives", names.near("derivativs", fields))
    assert.equal("derivatives", names.near("derivattives", fields))
    assert.equal("events", names.near("evants", fields))
    assert.equal("params", names.near("parmas", fields))
  end)

  it("finds a name by its beginning, whatever the case", function()
    assert.equal("discrete", names.near("disc", fields))
    assert.equal("events", names.near("Events", fields))
  end)

  it("answers nothing when nothing is near", function()
    assert.is_nil(names.near("colour", fields))
    assert.is_nil(names.near(3, fields))
  end)

  it("does not take one short name for any other", function()
    assert.is_nil(names.near("q", { "v", "z" }))
  end)
end)

describe("names.is_identifier", function()
  it("accepts Lua identifiers and refuses keywords", function()
    assert.is_true(names.is_identifier "a_1")
    for _, wrong in ipairs { "1a", "a b", "", "end", "plant.angle" } do
      assert.is_false(names.is_identifier(wrong), wrong)
    end
    assert.is_false(names.is_identifier(3))
  end)
end)

describe("names.unknown", function()
  it("names the word and the near one", function()
    assert.equal('unknown field "derivativs" in system "ball"; did you mean "derivatives"?',
      names.unknown('field %s in system "ball"', "derivativs", { "derivatives" }))
  end)

  it("knows what is short for a name with a number", function()
    local methods = { "runge_kutta3", "runge_kutta4", "dormand_prince8", "radau5", "rodas4" }
    assert.same({ "runge_kutta4", "dormand_prince8", "radau5" },
      { names.near("rk4", methods), names.near("dp8", methods), names.near("rad5", methods) })
    assert.is_nil(names.near("rk45", methods))
    assert.is_nil(names.near("zz4", methods))
  end)

  it("lists what is known when nothing is near", function()
    assert.equal('unknown option "colour"; known: accuracy, seed',
      names.unknown("option", "colour", { "accuracy", "seed" }))
  end)
end)

describe("saltus", function()
  it("names the nearest of what it has", function()
    assert.error_matches(function() return require("saltus").sytem end,
      'unknown name "sytem" in saltus; did you mean "system"?')
  end)
end)

describe("names.show", function()
  it("writes NaN and infinity as words", function()
    assert.equal("NaN", names.show(0 / 0))
    assert.equal("-infinity", names.show(-math.huge))
  end)
end)
