-- Mirrors lua/saltus/sweep/design.lua, distributions.lua and counter_random.lua: which values each run has.
local counter_random = require "saltus.sweep.counter_random"
local design = require "saltus.sweep.design"
local distributions = require "saltus.sweep.distributions"

local function all(given)
  local d, out = design.new(given, "sweep"), {}
  for k = 1, d.count do out[k] = d:values(k, {}) end
  return out, d
end

describe("a grid", function()
  it("has all combinations, the last name fastest", function()
    local rows, d = all { params = { a = { 1, 2 }, b = { "on", "off" } } }
    assert.same({ "a", "b" }, d.names)
    assert.same({ { 1, "on" }, { 1, "off" }, { 2, "on" }, { 2, "off" } }, rows)
  end)

  it("has the names in the order that the command line gives", function()
    local rows = all { params = { a = { 1, 2 }, b = { 3, 4 } }, order = { "b", "a" } }
    assert.same({ { 3, 1 }, { 3, 2 }, { 4, 1 }, { 4, 2 } }, rows)
  end)

  it("has ranges whose values read as they were meant", function()
    local rows = all { params = { a = { from = 0, to = 1, step = 0.1 } } }
    for i = 0, 10 do assert.equal(tonumber("0." .. i) * (i == 10 and 10 or 1), rows[i + 1][1]) end
    assert.same({ { 1 }, { 10 }, { 100 } }, all { params = { a = { from = 1, to = 100, count = 3, scale = "log" } } })
    assert.same({ { 1 }, { 2 } }, all { params = { a = { from = 1, to = 2.4, step = 1 } } })
  end)

  it("repeats each point `runs` times, with seeds of their own", function()
    local rows, d = all { params = { a = { 1, 2 } }, runs = 3, seed = 5 }
    assert.same({ { 1 }, { 1 }, { 1 }, { 2 }, { 2 }, { 2 } }, rows)
    local seen = {}
    for k = 1, 6 do
      assert.is_nil(seen[d:seed_of(k)])
      seen[d:seed_of(k)] = true
    end
  end)
end)

describe("a list of cases", function()
  it("has them in order", function()
    local rows, d = all { params = { { b = 2, a = 1 }, { a = 3, b = 4 } } }
    assert.same({ "a", "b" }, d.names)
    assert.same({ { 1, 2 }, { 3, 4 } }, rows)
  end)

  it("refuses cases with other names", function()
    assert.error_matches(function() all { params = { { a = 1 }, { b = 1 } } } end, 'case 2 of params lacks "a"')
    assert.error_matches(function() all { params = { { a = 1 }, { a = 1, b = 1 } } } end, 'unknown name "b"')
  end)
end)

describe("random values", function()
  local function column(given, i)
    local rows, out = all(given), {}
    for k, row in ipairs(rows) do out[k] = row[i or 1] end
    return out
  end

  it("depend on the run, the seed and the name alone", function()
    local one = column { params = { a = { uniform = { 0, 1 } } }, runs = 50, seed = 3 }
    local more = column { params = { a = { uniform = { 0, 1 } }, b = { uniform = { 0, 1 } } }, runs = 80, seed = 3 }
    assert.same(one, { table.unpack(more, 1, 50) })
    assert.not_same(one, column { params = { a = { uniform = { 0, 1 } } }, runs = 50, seed = 4 })
    assert.not_same(one, column({ params = { a = { uniform = { 0, 1 } }, b = { uniform = { 0, 1 } } }, runs = 50,
      seed = 3 }, 2))
  end)

  it("have the distribution that is asked for", function()
    local n = 20000
    local normal = column { params = { a = { normal = { 5, 2 } } }, runs = n }
    local sum, squares = 0, 0
    for _, x in ipairs(normal) do sum, squares = sum + x, squares + (x - 5) ^ 2 end
    assert.near(5, sum / n, 5 * 2 / math.sqrt(n))
    assert.near(4, squares / n, 5 * 4 * math.sqrt(2 / n))
    for _, x in ipairs(column { params = { a = { log_uniform = { 0.1, 10 } } }, runs = 1000 }) do
      assert.is_true(x > 0.1 and x < 10)
    end
    local counts = {}
    for _, x in ipairs(column { params = { a = { integer = { 1, 6 } } }, runs = 6000 }) do
      counts[x] = (counts[x] or 0) + 1
    end
    assert.equal(6, #counts)
    for _, count in ipairs(counts) do assert.near(1000, count, 5 * math.sqrt(1000 * 5 / 6)) end
  end)

  it("of a Latin hypercube are one in each stratum, at each point of a grid", function()
    local runs = 40
    local rows = all { params = { a = { uniform = { 0, 1 } }, b = { uniform = { 0, 1 } }, point = { 1, 2 } },
      runs = runs, sampling = "latin_hypercube" }
    for point = 0, 1 do
      for axis = 1, 2 do
        local strata = {}
        for i = 1, runs do strata[math.floor(rows[point * runs + i][axis] * runs)] = true end
        for i = 0, runs - 1 do assert.is_true(strata[i]) end
      end
    end
    assert.not_equal(rows[1][1], rows[runs + 1][1])
  end)

  it("of a Latin hypercube and a range are made for each run alone, however many there are", function()
    collectgarbage()
    local before = collectgarbage "count"
    local d = design.new({ params = { a = { uniform = { 0, 1 } }, b = { normal = { 0, 1 } } }, runs = 1000000000,
      sampling = "latin_hypercube" }, "sweep")
    local grid = design.new({ params = { a = { from = 1, to = 1e10, step = 1 } } }, "sweep")
    for i = 1, 100 do
      local values = d:values(i * 9999991, {})
      assert.is_true(values[1] > 0 and values[1] < 1)
      assert.equal(i * 99999989, grid:values(i * 99999989, {})[1])
    end
    collectgarbage()
    assert.is_true(collectgarbage "count" - before < 200)
    assert.same({ 1000000000, 10000000000 }, { d.count, grid.count })
  end)

  it("of a Latin hypercube are spread over all orders", function()
    local counts, total = {}, 6000
    for group = 1, total do
      local order = {}
      for i = 0, 2 do order[i + 1] = counter_random.place(1, 3, group, 5, i) end
      local key = table.concat(order, ",")
      counts[key] = (counts[key] or 0) + 1
    end
    local n = 0
    for _, count in pairs(counts) do
      n = n + 1
      assert.near(total / 6, count, 5 * math.sqrt(total / 6))
    end
    assert.equal(6, n)
  end)

  it("of the normal distribution are its quantiles", function()
    for _, case in ipairs { { 0.5, 0 }, { 0.975, 1.959963984540054 }, { 0.001, -3.090232306167813 },
      { 1e-12, -7.034483825301131 } } do
      assert.near(case[2], distributions.normal_quantile(case[1]), 1e-14 * (1 + math.abs(case[2])))
    end
  end)
end)

describe("the seed of a run", function()
  it("is a whole number that a double holds, and differs from its neighbours'", function()
    local seen = {}
    for seed = -3, 3 do
      for k = 1, 200 do
        local own = counter_random.seed(seed, k)
        assert.equal("integer", math.type(own))
        assert.is_true(own >= 0 and own < 2 ^ 53)
        assert.is_nil(seen[own])
        seen[own] = true
      end
    end
  end)
end)

describe("params", function()
  it("are refused where they mean nothing", function()
    local cases = { { { a = { from = 1, to = 2 } }, "step or count" },
      { { a = {} }, '"a": the list of values is empty' }, { { a = { 0 / 0 } }, "must be a finite number or a mode" },
      { { a = { from = 2, to = 1, step = 1 } }, "numbers from <= to" },
      { { a = { from = 0, to = 1, count = 3, scale = "log" } }, "from > 0" }, { { a = { step = 1 } }, "unknown field" },
      { { a = { uniform = { 2, 1 } } }, "low < high" }, { { a = { normal = { 2, 0 } } }, "greater than 0" },
      { { a = { uniform = 3 } }, "takes two numbers" }, { { a = { { 1, 2 } } }, "must be a finite number" },
      { { a = { from = 0, to = 1, step = 1e-300 } }, "1e%+300 values are too many" },
      { { a = { from = -1e308, to = 1e308, step = 1e308 } }, "inf values are too many" },
      { { a = { from = 1, to = 2 ^ 32, step = 1 }, b = { from = 1, to = 2 ^ 32, step = 1 } }, "too many points" },
    }
    for _, case in ipairs(cases) do assert.error_matches(function() all { params = case[1] } end, case[2]) end
    assert.error_matches(function() all { runs = 0 } end, "runs must be a whole number of at least 1")
    assert.error_matches(function() all { runs = math.maxinteger, params = { a = { 1, 2 } } } end, "runs are too many")
    assert.error_matches(function() all { sampling = "latin_hypercube", params = { a = { 1, 2 } } } end,
      "a Latin hypercube spreads random values, and no value is random")
    assert.error_matches(function() all { seed = 0.5 } end, "seed must be a whole number")
    assert.error_matches(function() all { sampling = "latin" } end, 'sampling must be one of "random"')
  end)
end)
