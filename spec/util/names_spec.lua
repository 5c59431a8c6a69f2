-- Mirrors lua/saltus/util/names.lua and suggest.lua.
local names = require "saltus.util.names"

describe("names.near", function()
  local fields = { "derivatives", "discrete", "events", "params" }

  it("finds a name with a letter missing, added, changed or swapped", function()
    assert.equal("derivatives", names.near("derivativs", fields))
    assert.equal("derivatives", names.near("derivattives", fields))
    assert.equal("events", names.near("evants", fields))
    assert.equal("params", names.near("parmas", fields))
  end)

  it("finds a name by its beginning, in any case", function()
    assert.equal("discrete", names.near("disc", fields))
    assert.equal("events", names.near("Events", fields))
  end)

  it("returns nil when nothing is similar", function()
    assert.is_nil(names.near("colour", fields))
    assert.is_nil(names.near(3, fields))
  end)

  it("does not take one short name for any other", function()
    assert.is_nil(names.near("mass", { "name" }))
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

  it("accepts an abbreviation of a name with a number", function()
    local methods = { "runge_kutta3", "runge_kutta4", "dormand_prince8", "radau5", "rodas4" }
    assert.same({ "runge_kutta4", "dormand_prince8", "radau5" },
      { names.near("rk4", methods), names.near("dp8", methods), names.near("rad5", methods) })
    assert.is_nil(names.near("rk45", methods))
    assert.is_nil(names.near("zz4", methods))
  end)

  it("prefers the candidate with the same beginning", function()
    assert.equal("off", names.near("of", { "on", "off" }))
    assert.equal("on", names.near("onn", { "off", "on" }))
  end)

  it("suggests the name for a word of another tool", function()
    local options = require("saltus.simulation.options")
    local known = names.of(options.simulator)
    for word, ours in pairs { dt = "max_step", step = "max_step", rtol = "accuracy", Method = "integrator", t0 =
      "start_time" } do
      assert.equal(ours, names.near(word, known))
    end
    assert.equal("runge_kutta5", names.near("rk45", { "runge_kutta4", "runge_kutta5" }))
    assert.equal("dormand_prince5", names.near("rk45", { "runge_kutta5", "dormand_prince5" }))
    assert.equal("duration", names.near("t_end", { "duration" }))
    assert.equal("unrestricted_update", names.near("update", { "discrete_update", "unrestricted_update" }))
    assert.equal("params", names.near("parameters", { "params", "past" }))
    assert.error_matches(function() return require("saltus").blocks.integrator end, 'did you mean "integral"?')
    assert.error_matches(function() require("saltus").blocks.pid { p = 1 } end, '"p"; did you mean "kp"?')
    assert.equal("falling", names.near("kPositiveThenNonPositive", { "crossing", "falling", "rising", "none" }))
    assert.equal("rising", names.near("positive", { "crossing", "falling", "rising", "none" }))
    assert.error_matches(function()
      local saltus = require "saltus"
      saltus.simulator(saltus.system { name = "s" }):get_context()
    end, 'did you mean "context"?')
    assert.is_nil(names.near("t_end", { "z", "y" }))
  end)

  it("has such words only for existing names", function()
    local there = {}
    local function learn(list) for _, field in ipairs(list) do there[field.name] = true end end
    local options = require "saltus.simulation.options"
    learn(options.simulator)
    for _, module in ipairs { "model.system", "model.event", "simulation.scenario" } do
      learn(require("saltus." .. module).fields)
    end
    for _, field in ipairs(require("saltus.model.event").fields) do
      for word in field.doc:gmatch '"([%a_]+)"' do there[word] = true end -- of at and direction
    end
    for word in pairs(require("saltus.formula.tokens").keywords) do there[word] = true end
    there["->"] = true
    learn(require("saltus.simulation.scenario").run_fields)
    learn(require("saltus.core").methods())
    for _, kind in ipairs(require("saltus.blocks").kinds()) do
      learn { kind }
      learn(kind.options)
    end
    local sim = require("saltus").simulator(require("saltus").system { name = "s" })
    local log = require("saltus").log(sim)
    local d = require("saltus").diagram "d"
    there.run = true -- of a scenario
    for word, list in pairs(require "saltus.util.synonyms") do
      assert.equal(word:lower(), word)
      for _, ours in ipairs(list) do
        local known = there[ours] or ours == "time" or ours:find "^cvode_" or rawget(getmetatable(d), ours)
          or pcall(function() return sim[ours] end) or pcall(function() return log[ours] end)
          or pcall(function() return require("saltus")[ours] end)
        assert.is_truthy(known, word .. " -> " .. ours)
      end
    end
  end)

  it("lists the known names when none is similar", function()
    assert.equal('unknown option "colour"; known: accuracy, seed',
      names.unknown("option", "colour", { "accuracy", "seed" }))
  end)
end)

describe("saltus", function()
  it("suggests its nearest name", function()
    assert.error_matches(function() return require("saltus").sytem end,
      'unknown name "sytem" in saltus; did you mean "system"?')
  end)
end)

describe("a user's text", function()
  it("shows bytes that are no UTF-8 by their numbers", function()
    for text, shown in pairs { ["a\xFFb\xE2\x82c"] = [[a\255b\226\130c]], ["\xED\xA0\x80"] = [[\237\160\128]],
      ["\xC3\xBC\xF0\x9F\x98\x80"] = "\u{FC}\u{1F600}", [""] = "", ["\xFF"] = [[\255]] } do
      assert.equal(shown, names.valid(text))
    end
  end)

  it("shows what no terminal and no page may have", function()
    assert.equal([[\27 \u{9B} \u{FFFF} \255]], names.visible "\27 \u{9B} \u{FFFF} \xFF")
  end)
end)

describe("names.show", function()
  it("prints objects of this library by their kind", function()
    local saltus = require "saltus"
    local s = saltus.system { name = "s" }
    assert.same({ "a system", "a diagram", "a scenario", "a simulator", "an integrator", "a table" }, { names.show(s),
      names.show(saltus.diagram "d"), names.show(saltus.scenario { system = s }), names.show(saltus.simulator(s)),
      names.show(saltus.simulator(s).integrator), names.show {} })
    assert.error_matches(function() saltus.simulator(saltus.scenario { system = s }) end,
      "expected a system or a diagram, got a scenario$")
    assert.error_matches(function() saltus.simulator { name = "s" } end,
      "got a table; saltus.system { ... } makes a system of one$")
  end)

  it("writes NaN and infinity as words", function()
    assert.equal("NaN", names.show(0 / 0))
    assert.equal("-infinity", names.show(-math.huge))
  end)
end)
