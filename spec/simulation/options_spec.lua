-- Mirrors lua/saltus/simulation/options.lua: one table checks, fills in and helps.
local options = require "saltus.simulation.options"
local saltus = require "saltus"
local slurp = require "spec.support.slurp"

local function check(given) return options.check(given, options.simulator, "saltus.simulator") end

describe("options.check", function()
  it("fills in every default", function()
    local full = check {}
    assert.equal("auto", full.integrator)
    assert.equal(1e-6, full.accuracy)
    assert.is_true(full.isolation)
  end)

  it("copies the accuracy to context_accuracy unless that is false", function()
    assert.equal(1e-3, check { accuracy = 1e-3 }.context_accuracy)
    assert.is_false(check { context_accuracy = false }.context_accuracy)
  end)

  it("has Drake's defaults by name, and given options override them", function()
    local full = check { integrator = "drake", accuracy = 1e-2 }
    assert.same({ "runge_kutta3", 0.1, 1e-2, 1e-4 },
      { full.integrator, full.max_step, full.accuracy, full.initial_step })
  end)

  it("refuses an unknown option with a similar one", function()
    assert.error_matches(function() check { acuracy = 1 } end,
      'saltus.simulator: unknown option "acuracy"; did you mean "accuracy"')
  end)

  it("names the new option and the new value for old ones", function()
    assert.error_matches(function() check { interior = false } end,
      'saltus.simulator: option "interior" is now "interior_search"')
    assert.error_matches(function() check { event_state = "retake" } end,
      'saltus.simulator: option "event_state": value "retake" is now "reintegrate"')
    assert.is_false(check { interior_search = false }.interior_search)
    assert.equal("reintegrate", check { event_state = "reintegrate" }.event_state)
  end)

  for name, case in pairs {
    accuracy = { 0 / 0, "must not be NaN" },
    max_step = { 0, "must be greater than 0, got 0" },
    seed = { 1.5, "must be a whole number, got 1.5" },
    start_time = { math.huge, "must be finite" },
    fixed_step = { 1, "must be a boolean, got 1" },
    dense_output = { "hermit", 'must be one of "own", "hermite", got "hermit"; did you mean "hermite"' },
    jacobian = { "centre", 'must be one of "forward", "central"' },
    jacobian_pattern = { { lower = 1 }, "needs upper, a whole number of at least 0, got nil" },
    context_accuracy = { true, "must be a number or false" },
  } do
    it("refuses a wrong " .. name, function()
      assert.error_matches(function() check { [name] = case[1] } end,
        'saltus.simulator: option "' .. name .. '" ' .. case[2])
    end)
  end

  it("takes a pattern by name or as half-bandwidths", function()
    assert.equal("find", check {}.jacobian_pattern)
    assert.equal("dense", check { jacobian_pattern = "dense" }.jacobian_pattern)
    assert.same({ lower = 1, upper = 2 }, check { jacobian_pattern = { lower = 1, upper = 2 } }.jacobian_pattern)
    assert.error_matches(function() check { jacobian_pattern = { lower = 1, uper = 2 } } end,
      'option "jacobian_pattern" has lower and upper, not "uper"')
    assert.error_matches(function() check { jacobian_pattern = "band" } end,
      'option "jacobian_pattern" must be one of "find", "dense", got "band"')
  end)

  it("refuses options that are no table", function()
    assert.error_matches(function() check(3) end, "saltus.simulator: options must be a table, got 3")
  end)
end)

describe("docs/renamed.md", function()
  local rows = {} -- { old =, new =, given = options with the old name }
  for old, new in slurp "docs/renamed.md":match "^(.-)\n## C":gmatch "\n| ([^|\n]*`[^|\n]*) | `([^|\n]*)` |" do
    local option = old:match "^option `([%w_]+)`$"
    local value, of = old:match '^value `"([%w_]+)"` of the option `([%w_]+)`$'
    rows[#rows + 1] = { text = old, old = option or value, new = new:match "[%w_]+",
      given = option and { [option] = true } or value and { [of] = value } }
  end
  local system = saltus.system { name = "s" }

  for _, row in ipairs(rows) do
    it("lists an old name whose error gives the new one: " .. row.text, function()
      local wanted = ('"%s" is now "%s"'):format(row.old, row.new)
      assert.error_matches(function() saltus.simulator(system, row.given) end, wanted)
      local scenario = { system = system, duration = 1 }
      for key, value in pairs(row.given) do scenario[key] = value end
      assert.error_matches(function() saltus.scenario(scenario) end, row.new)
    end)
  end

  it("lists all old names of options and values", function()
    local count = 0
    for _ in pairs(options.renamed) do count = count + 1 end
    for _, values in pairs(options.renamed_values) do
      for _ in pairs(values) do count = count + 1 end
    end
    assert.equal(count, #rows)
  end)
end)
