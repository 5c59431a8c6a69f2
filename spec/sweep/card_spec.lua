-- Mirrors lua/saltus/sweep/card.lua: a file is resumed only by the sweep that made it, field by field.
local core = require "saltus.core"
local saltus = require "saltus"
local slurp = require "spec.support.slurp"

local path

before_each(function() path = os.tmpname() end)
after_each(function() os.remove(path) end)

local decay = saltus.scenario { duration = 1, log = false, system = saltus.system { name = "decay", z = { { "x", 1 } },
  params = { k = 1, c = 2 }, derivatives = function(ctx, dot) dot.x = -ctx.k * ctx.x end } }

local function sweep(def, more, order)
  local given = { scenario = decay, csv = path }
  for _, fields in ipairs { def, more } do
    for name, value in pairs(fields) do given[name] = value end
  end
  local made = require("saltus.sweep").plan(given, order)
  made:run(made:open())
  made:close()
end

local grid = { k = { 1, 2 }, c = { 10, 20 } }

-- What differs; the fields of the sweep that made the file, those of the one that resumes; both values in the error.
local cases = {
  { "seed", { seed = 71 }, { seed = 7 }, "71", "7" },
  { "duration", { duration = 15 }, { duration = 1 }, "15", "1" },
  { "number of runs", { runs = 20 }, { runs = 2 }, "20", "2" },
  { "values of set", { set = { k = 3 } }, {}, '"k=3"', "not given" },
  { "values of set", {}, { set = { k = 3 } }, "not given", '"k=3"' },
  { "values of set", { set = { k = 35 } }, { set = { k = 3 } }, '"k=35"', '"k=3"' },
  { "options", { accuracy = 0.1 }, {}, '"accuracy=0.1"', "not given" },
  { "options", { integrator = "radau5" }, {}, '"integrator=radau5"', "not given" },
  { "sampling", { params = { k = { uniform = { 1, 2 } } }, sampling = "latin_hypercube", runs = 3 },
    { params = { k = { uniform = { 1, 2 } } } }, '"latin_hypercube"', '"random"' },
  { "measure", { measure = { "x", "k" } }, { measure = { "x" } }, '"x,k"', '"x"' },
  { "grid", { params = grid }, { params = grid }, '"k=1,2 c=10,20"', '"c=10,20 k=1,2"', { "k", "c" }, { "c", "k" } },
}

describe("a file of a sweep", function()
  for _, case in ipairs(cases) do
    it(("is not resumed with another %s: %s in the file, %s here"):format(case[1], case[4], case[5]), function()
      sweep(case[2], {}, case[6])
      local before = slurp(path)
      local ok, wrong = pcall(sweep, case[3], { resume = true }, case[7])
      assert.is_false(ok)
      local text = ("is of another sweep: its %s is %s, and here it is %s; "):format(case[1], case[4], case[5])
      assert.truthy(wrong:find(text, 1, true), wrong)
      assert.equal(before, slurp(path))
      sweep(case[2], { resume = true }, case[6])
      assert.equal(before, slurp(path))
    end)
  end

  it("is not resumed by another version, nor with a line that has more", function()
    sweep({}, {})
    local whole = slurp(path)
    for _, change in ipairs { { '"saltus_sweep":"' .. core.version, '"saltus_sweep":"0.0.1',
      'its version of Saltus is "0.0.1", and here it is "' }, { '"}\n', '","more":1}\n', "its first line is {" } } do
      local at, stop = whole:find(change[1], 1, true)
      local file = assert(io.open(path, "wb"))
      file:write(whole:sub(1, at - 1), change[2], whole:sub(stop + 1))
      file:close()
      local _, wrong = pcall(sweep, {}, { resume = true })
      assert.truthy(wrong:find(change[3], 1, true), wrong)
    end
  end)

  it("may have texts with quotes and backslashes in its line", function()
    local odd = saltus.scenario { duration = 1, log = false, system = saltus.system { name = "odd", z = { { "x", 1 } },
      discrete = { { "mode", 'a"}\\', values = { 'a"}\\', "b" } } }, derivatives = function(_, dot) dot.x = 1 end } }
    local given = { scenario = odd, set = { mode = 'a"}\\' } }
    sweep(given, { seed = 4 })
    assert.error_matches(function() sweep(given, { seed = 5, resume = true }) end, "its seed is 4, and here it is 5")
  end)
end)
