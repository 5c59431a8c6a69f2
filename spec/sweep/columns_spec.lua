-- Mirrors lua/saltus/sweep/columns.lua: what each run measured stays under its name, in one process and in several.
local commands = require "spec.support.command"
local saltus = require "saltus"
local slurp = require "spec.support.slurp"
local statistics = require "saltus.sweep.statistics"

local at

local scenario = [[
local saltus = require "saltus"
local system = saltus.system { name = "s", params = { k = 1 } }
return saltus.scenario { system = system, duration = 1, log = false, measure = function(r)
  local k = r.context.k
  %s
end }
]]

setup(function() at = commands.new() end)
teardown(function() at:remove() end)

local function file(name) return at.folder .. "/" .. name end

local function sweep(...) return at:saltus("sweep", file "s.lua", "--grid", "k=1:6:1", ...) end

-- Measures by what they return, and how many of six runs fail.
local measures = {
  ["other names"] = { "return k % 2 == 1 and { a = 111, c = 1 } or { b = 222, c = 1 }", 3 },
  ["more names"] = { "return { z = k, a = k > 1 and -k or nil }", 5 },
  ["fewer names"] = { "return { z = k, a = k < 4 and -k or nil }", 3 },
  ["a failure, then other names"] = { "if k == 1 then error 'no' end\nreturn { z = k, a = k > 2 and -k or nil }", 5 },
  ["a failure of the names' first run"] = { "if k == 1 then return { b = {} } end\nreturn { z = k }", 1 },
  ["names, then a number"] = { "if k == 1 then return { a = 1, b = 2 } end\nreturn 7", 5 },
  ["a number, then names"] = { "if k == 1 then return 7 end\nreturn { a = 1, b = 2 }", 5 },
  ["names that are no names"] = { "return k < 3 and { a = 1 } or { k, 2 }", 4 },
}

describe("a run with other columns than the first", function()
  for name, case in pairs(measures) do
    it("is the same failed row for each number of processes: " .. name, function()
      at:write("s.lua", scenario:format(case[1]))
      local first
      for jobs = 1, 3 do
        local status, out = sweep("--csv", file(jobs .. ".csv"), "--force", "-j", tostring(jobs))
        local text = slurp(file(jobs .. ".csv"))
        assert.equal(1, status)
        assert.matches(("  %d runs? failed"):format(case[2]), out)
        assert.equal(case[2], select(2, text:gsub(",failed,", "")))
        first = first or text
        assert.equal(first, text)
      end
    end)
  end

  it("says which name is missing, and has no value of another run", function()
    local result = saltus.sweep { params = { k = { 1, 2 } },
      scenario = assert(load(scenario:format "if k == 1 then return { a = 1, b = 2 } end\nreturn 7"))() }
    assert.equal('measure returned no "a", which it returned before', result.data.error[2])
    assert.same({ "", "" }, { result.data.a[2], result.data.b[2] })
  end)

  it("makes joined files of shards a refusal that names both headers", function()
    at:write("s.lua", scenario:format(measures["other names"][1]))
    local joined = ""
    for i = 0, 1 do
      assert.equal(0, (sweep("--csv", file "s.csv", "--force", "--shard", i .. "/2")))
      joined = joined .. slurp(file(("s.%d-of-2.csv"):format(i)))
    end
    at:write("joined.csv", joined)
    local status, _, err = sweep("--csv", file "joined.csv", "--resume")
    assert.equal(1, status)
    assert.matches("joined.csv: .*\"run,seed,k,a,c,status,error\" .*\"run,seed,k,b,c,status,error\"", err)
    assert.equal(joined, slurp(file "joined.csv"))
  end)

  it("leaves files of shards in which no run succeeded", function()
    at:write("s.lua", scenario:format "if k % 2 == 1 then error 'odd' end\nreturn { a = k }")
    local joined = ""
    for i = 0, 1 do
      sweep("--csv", file "s.csv", "--force", "--shard", i .. "/2")
      joined = joined .. slurp(file(("s.%d-of-2.csv"):format(i)))
    end
    at:write("joined.csv", joined)
    local status, out = sweep("--csv", file "joined.csv", "--resume")
    assert.equal(1, status)
    assert.matches("3 runs failed", out)
    assert.matches("run,seed,k,a,status,error\n1,%d+,1,,failed,", slurp(file "joined.csv"))
  end)
end)

describe("what a scenario prints", function()
  -- Prints by what they do before they return; what the output has six times.
  local prints = {
    ["without a line end"] = { "io.write 'almost... '", "almost%.%.%. " },
    ["like a row"] = { "io.write('\\1', '9,9,9,9,reached_boundary_time,\\n')", "9,9,9,9,reached_boundary_time,\n" },
    ["like a header"] = { "print 'run,seed,k,b,status,error'", "run,seed,k,b,status,error\n" },
    ["by a process"] = { "os.execute 'printf here'", "here" },
  }
  for name, case in pairs(prints) do
    it("goes where the sweep prints, and is no row: " .. name, function()
      at:write("s.lua", scenario:format(case[1] .. "\nreturn k"))
      local first
      for jobs = 1, 3 do
        local status, out, err = sweep("--csv", file(jobs .. ".csv"), "--force", "-j", tostring(jobs))
        first = first or slurp(file(jobs .. ".csv"))
        assert.same({ 0, "", first }, { status, err, slurp(file(jobs .. ".csv")) })
        assert.equal(6, select(2, out:gsub(case[2], "")), out)
      end
    end)
  end

  it("may be nothing more: the rows still arrive", function()
    at:write("s.lua", scenario:format "if k == 3 then io.stdout:close() end\nreturn k")
    sweep("--csv", file "two.csv", "--force", "-j", "2")
    assert.equal(8, select(2, slurp(file "two.csv"):gsub("\n", "")))
  end)
end)

describe("a file that a sweep reads", function()
  it("is not written by it", function()
    at:write("s.lua", scenario:format "return k")
    at:write("cases.csv", "k\n1\n2\n")
    at:write("cases.html", "k\n1\n2\n")
    local function refused(read, written, ...)
      local before = slurp(read)
      local status, _, err = at:saltus("sweep", file "s.lua", ...)
      assert.same({ 2, before }, { status, slurp(read) })
      assert.truthy(err:find(written, 1, true), err)
    end
    refused(file "cases.csv", "--cases and --csv are one file", "--cases", file "cases.csv", "--csv", file "cases.csv")
    refused(file "cases.html", "--cases and --page are one file", "--cases", file "cases.html", "--page",
      file "cases.html")
    refused(file "cases.csv", "--cases and --csv are one file", "--cases", file "cases.csv", "--csv",
      at.folder .. "/.//./cases.csv")
    at:write("cases.1-of-2.csv", "k\n1\n2\n")
    refused(file "cases.1-of-2.csv", "--cases and --csv are one file", "--cases", file "cases.1-of-2.csv", "--csv",
      file "cases.csv", "--shard", "1/2")
    refused(file "s.lua", "the scenario and --csv are one file", "--csv", file "s.lua")
  end)
end)

describe("statistics", function()
  it("are of the finite numbers, and tell how many are not", function()
    local nan = 0 / 0
    local data = { v = { nan, nan, 1, 3, math.huge, "" }, w = { nan, nan, nan, "", "", "" } }
    local text = statistics.text({ "v", "w" }, data, 6)
    assert.matches("v +2 [^\n]*  3 not finite\n", text)
    assert.matches("w +nan: 3$", text)
    assert.equal(2, statistics.of({ nan, 1, 3 }).count)
    assert.same({ { text = "nan", count = 2 } }, statistics.counts({ nan, nan }, 2))
  end)

  it("and the page of the largest integers and the smallest numbers are numbers", function()
    local s = assert(load(scenario:format "return r.run"))()
    local path = file "large.html"
    for _, list in ipairs { { math.maxinteger, math.mininteger, 0 }, { 5e-324, 0, -5e-324 } } do
      for _, params in ipairs { { k = list }, {} } do
        local result = saltus.sweep { scenario = s, params = params, runs = params.k and 1 or 3,
          measure = function(r) return list[r.run] end }
        assert.is_nil(tostring(result):find "%de[+-]%d+-?%d+e")
        result:page(path)
        assert.is_nil(slurp(path):find "nan")
      end
    end
    local of = statistics.of { math.maxinteger, math.mininteger }
    assert.same({ 2.0 ^ 63, -2.0 ^ 63 }, { of.max, of.min })
    assert.near(0.9 * 2.0 ^ 63, of.p95, 1e5)
  end)

  it("of a column that is all NaN do not stop the summary or the page", function()
    at:write("s.lua", scenario:format "return { v = 0 / 0, k2 = k }")
    local status, out, err = sweep("--csv", file "n.csv", "--page", file "n.html")
    assert.same({ 0, "" }, { status, err })
    assert.matches("\n  v +%-?nan: 6\n", out)
    assert.matches("<th scope=\"row\">v</th>.*6 not finite", slurp(file "n.html"))
  end)
end)
