-- Mirrors lua/saltus/property/: which cases are tried, what is reported, and what is stored.
local properties = require "spec.support.forall"
local saltus = require "saltus"
local slurp = require "spec.support.slurp"

local forall, decay, seen_of = properties.run, properties.decay, properties.seen

local path

before_each(function()
  path = os.tmpname()
  os.remove(path)
end)
after_each(function() os.remove(path) end)

describe("the cases of saltus.forall", function()
  it("begin with all parameters at home", function()
    local seen, result = seen_of { params = { x = { -3, 5 }, y = { 2, 9 }, z = { 1, 8, home = 4 }, w = { "a", "b" },
      n = { integer = { -9, -2 } } }, runs = 50 }
    assert.same({ x = 0.0, y = 2.0, z = 4.0, w = "a", n = -2 }, seen[1])
    assert.same({ 50, 50, true }, { #seen, result.runs, result.holds })
  end)

  it("have the values of the model at home", function()
    local homes
    forall(decay { params = { rate = { 0.5, 2 }, x = { 2, 3 }, mode = { "fast", "slow" } }, runs = 1,
      holds = function(run) homes = run.params end })
    assert.same({ rate = 1.0, x = 2.0, mode = "slow" }, homes)
    forall(decay { params = { rate = { 2, 3 } }, runs = 1, holds = function(run) homes = run.params end })
    assert.same({ rate = 2.0 }, homes)
  end)

  it("are at each end of a range now and then, and stay in it", function()
    local seen = seen_of { params = { x = { -3, 5 }, n = { integer = { 1, 6 } }, k = { log_uniform = { 0.01, 100 } } },
      runs = 200 }
    local count = {}
    for _, values in ipairs(seen) do
      for name, value in pairs(values) do count[name .. "=" .. value] = (count[name .. "=" .. value] or 0) + 1 end
      assert.is_true(values.x >= -3 and values.x <= 5 and values.k >= 0.01 and values.k <= 100)
      assert.is_true(math.type(values.n) == "integer" and values.n >= 1 and values.n <= 6)
    end
    for _, key in ipairs { "x=-3.0", "x=5.0", "n=1", "n=6", "k=0.01", "k=100.0" } do
      assert.is_true((count[key] or 0) >= 10, key)
    end
    for n = 1, 6 do assert.is_true(count["n=" .. n] > 0) end
  end)

  it("are those of the seed and the name, whatever the other parameters are", function()
    local function column(seed, more)
      local params = { x = { 0, 1 } }
      for name, range in pairs(more or {}) do params[name] = range end
      local out = {}
      for i, values in ipairs((seen_of { params = params, seed = seed, runs = 20 })) do out[i] = values.x end
      return out
    end
    assert.same(column(1), column(1, { a = { 0, 9 }, z = { "u", "v" } }))
    assert.are_not.same(column(1), column(2))
  end)

  it("are each word, each listed number, and each element of a vector", function()
    local words, numbers, wind = {}, {}, {}
    for _, values in ipairs((seen_of { runs = 100, params = { w = { "a", "b", true }, n = { one_of = { 1, 2, 5 } },
      wind = { { -1, 1 }, { 2, 3 } } } })) do
      words[values.w], numbers[values.n] = true, true
      wind[#wind + 1] = values.wind
    end
    assert.same({ a = true, b = true, [true] = true }, words)
    assert.same({ true, true, [5] = true }, numbers)
    for _, one in ipairs(wind) do
      assert.is_true(#one == 2 and math.abs(one[1]) <= 1 and one[2] >= 2 and one[2] <= 3)
    end
  end)

  it("may be booleans, also at home", function()
    local result = forall { params = { a = { false, true }, b = { true, false, home = false } },
      holds = function(values) return values.a or values.b end }
    assert.same({ { a = false, b = false }, 1 }, { result.values, result.runs })
  end)

  it("are tables of their own", function()
    local seen = {}
    forall(decay { params = { rate = { 1, 2 }, x = { 0, 1 } }, runs = 20, holds = function(run)
      seen[#seen + 1] = { run.params, run.params.rate, run.params.x }
    end })
    for _, one in ipairs(seen) do assert.same({ rate = one[2], x = one[3] }, one[1]) end
  end)

  it("set vectors of a model by their elements", function()
    local tanks = saltus.system { name = "tanks", z = { { "level", { 1, 2, 3 } } },
      derivatives = function(_, dot) dot.level = { 0, 0, 0 } end }
    local result = forall { system = tanks, duration = 0.1, params = { level = { 0, 9 } },
      holds = function(run)
        assert.same(run.params.level, { run.context.level[1], run.context.level[2], run.context.level[3] })
        return 20 - run.params.level[1] - run.params.level[3] * 2
      end }
    assert.is_false(result.holds)
    assert.equal(2.0, result.values.level[2])
    assert.is_true(result.values.level[1] + 2 * result.values.level[3] > 20)
    local some = forall { system = tanks, duration = 0.1, params = { ["level[2]"] = { 0, 9 } }, runs = 9,
      holds = function(run) return run.context.level[2] == run.params["level[2]"] and run.context.level[3] == 3 end }
    assert.is_true(some.holds)
  end)

  it("include what the user lists, before all others", function()
    local seen = {}
    forall { params = { x = { 0, 9 }, y = { 0, 9 } }, cases = { { x = 7 }, { x = 1, y = 2 } }, runs = 1,
      holds = function(values) seen[#seen + 1] = values end }
    assert.same({ { x = 7.0, y = 0.0 }, { x = 1.0, y = 2.0 }, { x = 0.0, y = 0.0 } }, seen)
  end)

  it("are only those that `where` accepts, also when they are made simpler and searched", function()
    local function below(values) return values.low < values.high end
    for _, search in ipairs { 0, 60 } do
      local count = 0
      local result = forall { params = { low = { 0, 1 }, high = { 0, 1 } }, where = below, runs = 40, search = search,
        holds = function(values)
          assert(below(values))
          count = count + 1
          return search == 0 and 0.9 - values.high or 1.1 + values.low - values.high
        end }
      assert.equal(search ~= 0, result.holds)
      assert.equal(search == 0 and result.runs + result.shrink_runs + 1 or 100, count)
      if search ~= 0 then assert.is_true(result.margin >= 0.1 and result.margin < 0.11) end
    end
    assert.error_matches(function()
      forall { params = { x = { 0, 1 } }, where = function() return false end, runs = 10 }
    end, "where accepts 0 of 200 samples; narrower params need fewer")
    assert.error_matches(function()
      forall { params = { x = { 0, 1 } }, where = function(values) local _ = values.x > 0 end }
    end, "where must return true or false, got nil")
    assert.error_matches(function() forall { params = { x = { 0, 1 } }, runs = 0 } end,
      "no case was tried: runs is 0, and there are no cases")
  end)

  it("build their scenarios where scenario is a function", function()
    local function row(values)
      local d = saltus.diagram "row"
      for i = 1, values.n do d:add(decay({}).system:with { rate = values.rate }, "part" .. i) end
      return saltus.scenario { system = d, duration = 1 }
    end
    local result = forall { scenario = row, params = { n = { integer = { 1, 5 } }, rate = { 0, 2 } },
      holds = function(run)
        local sum = 0
        for i = 1, run.params.n do sum = sum + run.context["part" .. i .. ".x"] end
        assert.near(run.params.n * math.exp(-run.params.rate), sum, 1e-4)
        return 3.5 - sum
      end }
    assert.same({ n = 4, rate = 0.0 }, result.values)
    assert.equal(("scenario({ n = 4, rate = 0.0 }):run { seed = %d }"):format(result.seed):gsub("0%.0", "0"),
      (result.command:gsub("0%.0", "0")))
  end)
end)

describe("a case that fails", function()
  it("is made as simple as it can be", function()
    local result = forall { params = { x = { 0, 100 }, n = { integer = { 0, 1000000 } }, y = { -5, 5 },
      w = { "a", "b" } }, holds = function(values) return values.x < 37.3 or values.n < 123457 end }
    assert.same({ 123457, 0.0, "a" }, { result.values.n, result.values.y, result.values.w })
    assert.is_true(result.values.x >= 37.3 and result.values.x <= 37.5, tostring(result.values.x))
    assert.is_true(#tostring(result.values.x) <= 5)
  end)

  it("has short digits in its command", function()
    local result = forall(decay { params = { rate = { 0, 3, home = 0 } }, shrink = 0,
      cases = { { rate = 0.29999999999999999 } }, holds = function(run) return run.context.rate < 0.3 end })
    assert.matches("rate = 0%.3 ", result.command)
    assert.not_matches("0.2999", tostring(result), 1, true)
  end)

  it("keeps its sort of failure", function()
    for first, case in pairs { low = { x = 9, y = 0 }, high = { x = 0, y = 9 } } do
      local result = forall { params = { x = { 0, 10 }, y = { 0, 10 } }, cases = { case }, holds = function(values)
        if values.x > 8 then error(("low at %g"):format(values.x)) end
        if values.y > 8 then error(("high at %g"):format(values.y)) end
        return 4 - values.x - values.y
      end }
      assert.matches(first .. " at", result.error)
      assert.equal(0.0, first == "low" and result.values.y or result.values.x)
    end
  end)

  it("may be a run that fails, with its error", function()
    local result = forall(decay { params = { mode = { "slow", "fast", "broken" }, rate = { 1, 5 } } })
    assert.same({ mode = "broken", rate = 1.0 }, result.values)
    assert.matches("the pipe is broken.*at t = 0", result.error)
    assert.matches("scenario:run { set = { mode = \"broken\" }, seed = 0, duration = 1 }", result.command, 1, true)
  end)

  it("may be one where an assertion of holds fails", function()
    local result = forall(decay { params = { rate = { 0, 5 } }, holds = function(run)
      assert.near(math.exp(-run.params.rate), run.context.x, 1e-4)
      assert.is_true(run.params.rate < 2)
    end })
    assert.equal(2.0, result.values.rate)
    assert.matches("Expected objects to be the same", result.error)
  end)

  it("may be one whose holds returns NaN or something else", function()
    for text, returned in pairs { ["holds returned NaN"] = 0 / 0, ["holds returned false"] = false,
      ["must return a margin, true, false or nothing, got \"yes\""] = "yes", ["the margin is %-2"] = -2 } do
      assert.matches(text, forall { params = { x = { 0, 1 } }, runs = 1, holds = function() return returned end }.error)
    end
    assert.is_true(forall { params = { x = { 0, 1 } }, runs = 1, holds = function() return 0 end }.holds)
  end)

  it("raises an error with its values and the line that runs it again", function()
    local _, wrong = pcall(function()
      saltus.forall { name = "small enough", params = { x = { 0, 9 }, y = { 1, 2 } }, file = false,
        holds = function(values) return 5 - values.x end }
    end)
    assert.matches("forall_spec.lua:%d+: saltus.forall: small enough fails: the margin is %-[%d.e-]+\n"
      .. "  with x = 5[.%d]*\n"
      .. "  at home: y = 1\n  found by random samples, case %d+; %d+ more runs made it simpler\n  to run it again:\n"
      .. "    cases = { { x = 5[.%d]*, y = 1 } }", wrong)
  end)

  it("lists the values that are at home, if all are", function()
    local def = { params = { x = { 0, 9 }, y = { 1, 2 } }, file = false, holds = function() return -1 end }
    assert.matches("\n  with all parameters at home, the simplest value: x = 0, y = 1\n", select(2,
      pcall(saltus.forall, def)), 1, true)
  end)

  it("says so if it does not fail again", function()
    local calls = 0
    local result = forall { params = { x = { 0, 9 } }, shrink = 0, holds = function()
      calls = calls + 1
      return calls ~= 3
    end }
    assert.matches("it does not fail when it runs again: the model or holds depends on more than", tostring(result))
  end)

  it("needs its seed where random numbers decide", function()
    local dice = saltus.scenario { duration = 1, system = saltus.system { name = "dice", discrete = { face = 0 },
      params = { lift = 0 },
      events = { { at = "initialization", discrete_update = function(_, next) next.face = next.random() end } } } }
    local result = forall { scenario = dice, params = { lift = { 0, 0.01 } }, runs = 400,
      holds = function(run) return 0.97 - run.context.face end }
    assert.is_false(result.holds)
    assert.equal(result.seed, math.tointeger(result.command:match "seed = (%d+)"))
    assert.equal(0.97 - dice:run { seed = result.seed }.context.face, result.margin)
    assert.is_true(result.seed <= 999999)
  end)
end)

describe("the file of failing cases", function()
  local function limited(limit, seen)
    return { params = { x = { 0, 9 }, w = { "a b", "c,d" } }, name = "x below " .. limit, file = path, raise = false,
      holds = function(values)
        if seen then seen[#seen + 1] = values end
        return values.w == "a b" or values.x < limit
      end }
  end

  it("has the simplest case, which is tried first", function()
    local first, seen = saltus.forall(limited(5)), {}
    assert.matches("\nx below 5,0,w,\"c,d\",x,5[.%d]*\n$", slurp(path))
    assert.matches("  " .. path:gsub("%p", "%%%0") .. " has it, and it is tried first", tostring(first))
    local again = saltus.forall(limited(5, seen))
    assert.same(first.values, seen[1])
    assert.same({ 1, "a stored case" }, { again.runs, again.found_by })
    assert.equal(1, select(2, slurp(path):gsub("x below 5,", "")))
    assert.is_false(saltus.forall(limited(7)).holds) -- its own case
    assert.same(first.values, saltus.forall(limited(5)).values)
    assert.is_true(saltus.forall(limited(10)).holds)
  end)

  it("is created only when a case fails", function()
    assert.is_true(saltus.forall(limited(10)).holds)
    assert.is_nil(io.open(path))
  end)

  it("has 20 cases of a property, the newest", function()
    for i = 1, 30 do
      saltus.forall { params = { x = { 0, 1000 } }, cases = { { x = i } }, runs = 0, shrink = 0, file = path,
        name = "p", raise = false, holds = function(values) return values.x ~= i end }
    end
    saltus.forall(limited(5))
    assert.equal(20, select(2, slurp(path):gsub("\np,", "\np,")))
    assert.not_matches("\np,0,x,10\n", slurp(path), 1, true)
    assert.matches("\np,0,x,11\np,0,x,12\n", slurp(path), 1, true)
  end)

  it("skips cases that are no longer cases, and refuses a line that is none", function()
    local function write(text)
      local file = assert(io.open(path, "wb"))
      file:write(text)
      file:close()
    end
    local seen = {}
    write("# a note\n\nx below 5,0,x,99\nx below 5,7,x,3,w,c\nx below 5,0,w,a b,x,2\r\nx below 5,0,gone,1\n"
      .. "\255\27,1e5\n")
    saltus.forall(limited(5, seen))
    assert.same({ { x = 0.0, w = "a b" }, { x = 2.0, w = "a b" } }, { seen[1], seen[2] })
    for _, line in ipairs { "x below 5", "x below 5,one,x,1", "x below 5,0,x", '"x' } do
      write("# note\n" .. line .. "\n")
      assert.error_matches(function() saltus.forall(limited(5)) end,
        path:gsub("%p", "%%%0") .. ":2: a line is property,seed,name,value,...; mend it or delete it")
    end
  end)

  it("may be one that cannot be written", function()
    local def = limited(5)
    def.file = "/nowhere/at/all.failing"
    local result = saltus.forall(def)
    assert.is_false(result.holds)
    assert.not_matches("tried first", tostring(result))
  end)

  it("is beside the spec", function()
    assert.matches("^%.?/?spec/property/forall_spec%.failing$",
      require("saltus.property.failure_file").beside_spec():match "spec/property/.*$")
  end)
end)

describe("saltus.forall refuses", function()
  local function holds() end
  local x = { x = { 0, 1 } }
  local cases = {
    { 5, "saltus.forall takes a table, got 5" },
    { { params = x, hold = 1 }, 'unknown field "hold"; did you mean "holds"' },
    { {}, "params must be a table of ranges by path, got nil" },
    { { params = {} }, "params has no parameter" },
    { { params = { x = 5 } }, '"x" takes a table like { 5, 30 }, got 5' },
    { { params = { x = { 3, 1 } } }, '"x": uniform needs low < high, got 3 and 1' },
    { { params = { x = { 1, 2, 3 } } }, 'a range is { low, high }; a list of numbers is { one_of = { 1, 2, 5 } }' },
    { { params = { x = { 0, 1, hom = 0 } } }, '"x": unknown field "hom"' },
    { { params = { x = { 0, 1, home = 2 } } }, "home must be one of its values, got 2" },
    { { params = { x = { 0, 1 / 0 } } }, "uniform takes two numbers" },
    { { params = { x = { "a", "a" } } }, '"a" is there twice' }, { { params = { x = {} } }, "must have one" },
    { { params = { x = { "a", {} } } }, "value 2 must be a word, a boolean or a finite number" },
    { { params = { x = { integer = { 1, 2.5 } } } }, "integer needs whole numbers" },
    { { params = x, runs = -1 }, "runs must be a whole number of at least 0" },
    { { params = x, seed = 0.5 }, "seed must be a whole number" }, { { params = x, file = 1 }, "file must be" },
    { { params = x, holds = 5 }, "holds must be a formula in words or a function%(run%)" },
    { { params = x, holds = "always x > 0" }, "a formula needs a scenario" },
    { { params = x, cases = { { y = 1 } } }, 'unknown name "y" in saltus.forall: cases%[1%]' },
    { { params = x, holds = holds, cases = { { x = 3 } } }, 'cases[1]: the value of "x" is outside of params' },
    { { params = x, holds = holds, search = 5 }, "search needs margins; holds returns none" },
    { { params = x, scenario = "no/such.lua" }, "saltus.forall: cannot read no/such.lua" },
    { { params = x, scenario = 5 }, "scenario must be what saltus.scenario returned" },
    { decay { params = { rte = { 0, 1 } } }, 'did you mean "rate"' },
    { decay { params = { rate = { "a", "b" } } }, '"rate" must be a number, got "a"' },
    { decay { params = { mode = { 0, 1 } } }, '"mode" cannot be 0' },
    { decay { params = { mode = { "slow", "fst" } } }, 'did you mean "fast"' },
    { decay { params = { rate = { 0, 1 } }, set = { rate = 1 } }, '"rate" is in set and in params' },
    { decay { params = { rate = { 0, 1 } }, accuracy = -1 }, 'option "accuracy" must be greater than 0' },
    { decay { params = { rate = { 0, 1 } }, log = { "y" } }, "saltus.log: " },
    { decay { params = { rate = { 0, 1 } }, duration = -1 }, "duration must be a number of seconds" },
    { { params = x, duration = 5 }, "duration needs a scenario" },
    { { params = x, log = { "x" }, accuracy = 1e-3 }, "accuracy needs a scenario" },
    { decay { params = { rate = { 0, 1 } }, scenario = 5 }, "takes scenario or system, not both" },
  }

  for i, case in ipairs(cases) do
    it(("%d: %s"):format(i, case[2]), function()
      local ok, wrong = pcall(saltus.forall, case[1])
      assert.is_false(ok)
      assert.matches("forall_spec.lua:%d+: ", wrong)
      assert.is_truthy(wrong:find(case[2], 1, true) or wrong:find(case[2]), wrong)
    end)
  end
end)
