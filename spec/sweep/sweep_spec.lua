-- Mirrors lua/saltus/sweep/: what a sweep computes, writes and resumes.
local saltus = require "saltus"
local slurp = require "spec.support.slurp"

local path

before_each(function() path = os.tmpname() end)
after_each(function() os.remove(path) end)

local function example(name) return dofile(("examples/%s.lua"):format(name)) end

local function ball() return example "02-bouncing-ball" end

local function sorted_lines(text)
  local list, seen = {}, {}
  for line in text:gmatch "[^\n]+" do
    if not seen[line] then list[#list + 1] = line end
    seen[line] = true
  end
  table.sort(list)
  return list
end

local function write(text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

describe("each run of a sweep", function()
  -- What is varied, by example: states, parameters, modes, elements, parts of diagrams.
  local cases = {
    { "02-bouncing-ball", { height = { 1, 2 }, restitution = { 0.6, 0.9 }, mode = { "falling", "resting" } }, 3 },
    { "03-thermostat", {}, 20 }, { "04-van-der-pol", {}, 5 }, { "07-compass-gait", {}, 2 },
    { "08-pendulum-constrained", {}, 1 },
    { "09-cart-pole", { ["balance.kp"] = { -60, -70 }, ["plant.pole"] = { 0.1, 0.2 } }, 1 },
    { "09-cart-pole", { ["balance.filter_time"] = { 0.01, 0.02 } }, 1 }, { "11-nested-diagram", {}, 2 },
    { "13-quadrotor", {}, 1 }, { "14-delayed-thermostat", {}, 20 }, { "15-networked-control", {}, 2 },
  }

  for _, case in ipairs(cases) do
    it("is that of a new simulator, to the bit: " .. case[1], function()
      local s = example(case[1])
      local hashes = {}
      local result = saltus.sweep { scenario = s, params = case[2], runs = 3, seed = 11, duration = case[3],
        measure = function(r)
          hashes[r.run] = r.sim:hash()
          return { time = r.context.time, steps = r.stats.steps }
        end }
      assert.equal(0, result.failures, tostring(result))
      for i, k in ipairs(result.data.run) do
        local set = {}
        for name in pairs(case[2]) do set[name] = result.data[name][i] end
        local run = s:run { set = set, duration = case[3], seed = result.data.seed[i], log = false }
        assert.equal(run.sim:hash(), hashes[k])
        assert.equal(run.stats.steps, result.data.steps[i])
      end
    end)
  end

  it("has the seed that its row says, also where a new simulator makes it", function()
    local dice = saltus.scenario { duration = 1, system = saltus.system { name = "dice", discrete = { face = 0 },
      events = { { at = "initialization", discrete_update = function(_, next) next.face = next.random() end } } } }
    local plain = saltus.sweep { scenario = dice, runs = 20, seed = 5 }
    local logged = saltus.sweep { scenario = dice, runs = 20, seed = 5, log = { "face" } }
    assert.same(plain.data.face, logged.data.face)
    assert.equal(20, #sorted_lines(table.concat(plain.data.face, "\n")))
    assert.equal(dice:run { seed = plain.data.seed[7] }.context.face, plain.data.face[7])
  end)

  it("gives measure its result", function()
    local seen = {}
    saltus.sweep { scenario = ball(), params = { restitution = { 0.5, 0.9 } }, duration = 2, log = { "height" },
      measure = function(r)
        seen[#seen + 1] = { r.run, r.params.restitution, r.status.reason, #r.log:times "touch" > 0, r.context.time }
        return 0
      end }
    local reason = "reached_boundary_time"
    assert.same({ { 1, 0.5, reason, true, 2.0 }, { 2, 0.9, reason, true, 2.0 } }, seen)
    assert.error_matches(function()
      error(saltus.sweep { scenario = ball(), duration = 1, measure = function(r) return #r.log end }.data.error[1])
    end, "this sweep keeps no log; give saltus.sweep { log = ")
  end)

  it("measures what is asked for", function()
    local s = ball()
    assert.same({ "run", "seed", "height", "speed", "mode", "status", "error" },
      saltus.sweep { scenario = s, duration = 0.1 }.columns)
    local swept = saltus.sweep { scenario = s, duration = 0.1, params = { height = { 2 } }, measure = { "height" } }
    assert.same({ "run", "seed", "height", "final_height", "status", "error" }, swept.columns)
    assert.equal(s:run { set = { height = 2 }, duration = 0.1 }.context.height, swept.data.final_height[1])
    local timed = saltus.sweep { scenario = s, duration = 0.5, measure = { "time", "height" } }
    assert.same({ { 0.5 }, "time" }, { timed.data.time, timed.columns[3] })
    assert.same({ 0.5 }, saltus.sweep { scenario = s, duration = 0.5, measure = function(r) return r.context.time end }
      .data.value)
    local own = saltus.scenario { system = s.system, duration = 0.5, measure = { "speed" } }
    assert.same({ "run", "seed", "speed", "status", "error" }, saltus.sweep { scenario = own }.columns)
  end)
end)

describe("a case that fails", function()
  local function fragile()
    return saltus.scenario { duration = 1, system = saltus.system { name = "fragile", z = { { "x", 1 } },
      params = { rate = 1 },
      derivatives = function(ctx, dot)
        if ctx.rate > 2 then error("too fast, by far\nreally") end
        dot.x = -ctx.rate * ctx.x
      end } }
  end

  it("is a row with its error, and the sweep goes on", function()
    for _, rates in ipairs { { 1, 3, 2 }, { 3, 1, 2 } } do
      local result = saltus.sweep { scenario = fragile(), params = { rate = rates }, csv = path }
      assert.equal(1, result.failures)
      assert.equal(3, result.count)
      for i, rate in ipairs(rates) do
        assert.equal(rate == 3 and "failed" or "reached_boundary_time", result.data.status[i])
        if rate ~= 3 then assert.near(math.exp(-rate), result.data.x[i], 1e-5) end
      end
      local text = slurp(path)
      assert.matches('\n%d,%d+,3,,failed,"[^\n]*too fast, by far | really[^\n]*"\n', text)
      assert.matches("1 run failed:\n +1 x .*too fast", tostring(result))
    end
  end)

  it("does not change the cases after it", function()
    local result = saltus.sweep { scenario = fragile(), params = { rate = { 1, 3, 1 } } }
    assert.equal(result.data.x[1], result.data.x[3])
  end)

  it("may be all of them, and the file goes on when they succeed", function()
    local good = false
    local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", z = { { "x", 1 } },
      params = { rate = 1 }, derivatives = function(ctx, dot)
        if not good then error "not yet" end
        dot.x = -ctx.rate * ctx.x
      end } }
    local result = saltus.sweep { scenario = s, params = { rate = { uniform = { 1, 2 } } }, runs = 2, csv = path }
    assert.equal(2, result.failures)
    assert.matches("run,seed,rate,status,error\n", slurp(path), 1, true)
    good = true
    result = saltus.sweep { scenario = s, params = { rate = { uniform = { 1, 2 } } }, runs = 4, csv = path,
      resume = true }
    assert.same({ 2, 4 }, { result.failures, result.count })
    assert.matches("run,seed,rate,x,status,error\n1,%d+,[%d.]+,,failed,", slurp(path))
  end)

  it("may be one whose measure is wrong", function()
    for _, case in ipairs { { function() end, "measure returned nothing" },
      { function() return { {} } end, "is not a name" }, { function() return { seed = 1 } end, "already a column" },
      { function() return { a = {} } end, '"a" is a table' } } do
      local result = saltus.sweep { scenario = ball(), duration = 0.1, measure = case[1] }
      assert.equal(1, result.failures)
      assert.truthy(result.data.error[1]:find(case[2], 1, true), result.data.error[1])
    end
  end)
end)

describe("the values of a sweep", function()
  it("are refused before a run if they are words for numbers, or words that a mode does not have", function()
    for wrong, params in pairs { ['"height" must be a number, got "1..2"'] = { height = { 1, "1..2" } },
      ['"mode" cannot be "fling"'] = { mode = { "falling", "fling" } }, ['"mode" cannot be 0.5'] = { mode = { 0.5 } },
      ['"mode" cannot be 3'] = { mode = { from = 3, to = 4, step = 1 } },
      ['"mode" cannot be 0.75'] = { mode = { uniform = { 0.5, 1 } } },
      ['"height" must be a number, got "b"'] = { { height = 2 }, { height = "b" } } } do
      assert.error_matches(function()
        saltus.sweep { scenario = ball(), params = params, duration = 0.1, csv = path .. ".none" }
      end, wrong, 1, true)
      assert.is_nil(io.open(path .. ".none"))
    end
  end)
end)

describe("the words of a measure", function()
  it("are written without control characters, and are the same in the result", function()
    local result = saltus.sweep { scenario = ball(), duration = 0.1, csv = path,
      measure = function() return { word = "a\27[31m\255\0b\nc", plain = "höhe, \"m\"" } end }
    assert.equal("a\\27[31m\\255\\0b | c", result.data.word[1])
    assert.equal("höhe, \"m\"", result.data.plain[1])
    local text = slurp(path)
    assert.is_nil(text:find "[%z\1-\9\11-\31\255]")
    assert.truthy(text:find("a\\27[31m\\255\\0b | c", 1, true))
    local again = saltus.sweep { scenario = ball(), duration = 0.1, csv = path, resume = true,
      measure = function() error "not again" end }
    assert.same(result.data.word, again.data.word)
  end)

  it("are errors, too", function()
    local result = saltus.sweep { scenario = ball(), duration = 0.1, csv = path,
      measure = function() error "a\27b\nc" end }
    assert.matches("a\\27b | c", result.data.error[1], 1, true)
    assert.is_nil(slurp(path):find "\27")
  end)
end)

describe("shards", function()
  local function rows_of(n)
    local text = {}
    for i = 0, n - 1 do
      local file = n == 1 and path or path .. (".%d-of-%d"):format(i, n)
      saltus.sweep { scenario = ball(), params = { restitution = { uniform = { 0.5, 0.9 } }, height = { 1, 2 } },
        runs = 11, seed = 3, duration = 2, csv = path, shard = ("%d/%d"):format(i, n) }
      text[#text + 1] = slurp(file)
      os.remove(file)
    end
    return sorted_lines(table.concat(text))
  end

  it("1, 2 and 7 have the same rows", function()
    local whole = rows_of(1)
    assert.equal(24, #whole)
    assert.same(whole, rows_of(2))
    assert.same(whole, rows_of(7))
  end)

  it("can be more than there are runs", function()
    local result = saltus.sweep { scenario = ball(), duration = 0.1, shard = "3/5" }
    assert.equal(0, result.count)
  end)
end)

describe("resume", function()
  local function sweep(changes)
    local def = { scenario = ball(), params = { restitution = { 0.5, 0.7, 0.9 } }, runs = 4, duration = 2, csv = path }
    for key, value in pairs(changes or {}) do def[key] = value end
    return saltus.sweep(def)
  end

  it("runs what is not in the file, whatever is missing", function()
    sweep()
    local whole = slurp(path)
    for _, cut in ipairs { 0.3, 0.55, 0.8, 1 } do
      write(whole:sub(1, #whole * cut // 1))
      local result = sweep { resume = true }
      assert.equal(12, result.count)
      assert.same(sorted_lines(whole), sorted_lines(slurp(path)))
    end
    assert.equal(whole, slurp(path))
  end)

  it("leaves a file as it is that cannot be read", function()
    assert.error_matches(function() sweep { csv = "/dev/zero", resume = true } end, "^/dev/zero: it is no regular file")
  end)

  it("has the rows in the order of the runs, also those that were missing in the middle", function()
    local first, whole = sweep(), slurp(path)
    for _, missing in ipairs { "\n5,[^\n]*", "\n1,[^\n]*", "\n[36],[^\n]*" } do
      write((whole:gsub(missing, "")))
      local again = sweep { resume = true }
      assert.equal(whole, slurp(path))
      assert.same(first.data, again.data)
    end
  end)

  it("never has a part of its rows only: another file replaces it as a whole", function()
    sweep()
    local whole, rename = slurp(path), os.rename
    local cut = whole:gsub("\n5,[^\n]*", "")
    finally(function() rawset(os, "rename", rename) end)
    rawset(os, "rename", function() return nil, "no rename" end)
    write(whole .. cut)
    assert.error_matches(function() sweep { resume = true } end, "no rename")
    assert.equal(whole .. cut, slurp(path))
    write(cut)
    assert.error_matches(function() sweep { resume = true } end, "no rename")
    assert.same(sorted_lines(whole), sorted_lines(slurp(path)))
  end)

  it("takes the joined files of shards", function()
    sweep()
    local whole, text = slurp(path), {}
    for _, i in ipairs { 2, 0 } do
      sweep { shard = i .. "/3" }
      text[#text + 1] = slurp(("%s.%d-of-3"):format(path, i))
      os.remove(("%s.%d-of-3"):format(path, i))
    end
    write(table.concat(text))
    local result = sweep { resume = true }
    assert.same({ 12, 8 }, { result.count, result.resumed })
    assert.equal(whole, slurp(path))
  end)

  it("has all rows in its result, the resumed ones too", function()
    local first = sweep()
    local again = sweep { resume = true }
    assert.same(first.data, again.data)
    assert.equal(tostring(first):gsub("^[^\n]*", ""), tostring(again):gsub("^[^\n]*", ""))
  end)

  it("refuses another seed, grid, duration or file", function()
    sweep()
    local before = slurp(path)
    for what, changes in pairs { seed = { seed = 2 }, grid = { params = { restitution = { 0.5 } } },
      ["number of runs"] = { runs = 5 }, duration = { duration = 1 }, ["values of set"] = { set = { gravity = 1 } },
      scenario = { scenario = example "05-lorenz", params = {} } } do
      changes.resume = true
      assert.error_matches(function() sweep(changes) end, ("is of another sweep: its %s is "):format(what))
    end
    assert.equal(before, slurp(path))
    write "run,seed\n1,2\n"
    assert.error_matches(function() sweep { resume = true } end, "no line that says which sweep it is of")
    assert.error_matches(function() sweep { resume = true, csv = false } end, "csv must be a file name")
  end)

  it("may ask for more random runs", function()
    local random = { restitution = { uniform = { 0.5, 0.9 } } }
    sweep { params = random, runs = 3 }
    assert.same({ 7, 3 }, (function(r) return { r.count, r.resumed } end)(sweep { params = random, runs = 7,
      resume = true }))
    local more = slurp(path)
    sweep { params = random, runs = 7 }
    assert.equal(more, slurp(path))
  end)
end)

describe("what a sweep is told", function()
  it("is checked before anything is written", function()
    local s = ball()
    local cases = {
      { { scenario = s.system }, "scenario must be what saltus.scenario returned" },
      { { scenario = s, parms = {} }, 'unknown field "parms".*did you mean "params"' },
      { { scenario = s, params = { restitutoin = { 1 } } }, 'did you mean "restitution"' },
      { { scenario = s, measure = { "hieght" } }, 'did you mean "height"' },
      { { scenario = s, measure = 1 }, "measure must be a function%(result%) or a list" },
      { { scenario = s, measure = { [3] = "height" } }, "measure must be a list of names without gaps" },
      { { scenario = s, measure = { "height", "height" } }, 'measure lists "height" twice' },
      { { scenario = s, params = { height = { 1 } }, set = { height = 2 } }, '"height" is in set and in params' },
      { { scenario = s, shard = "2" }, "must be i/n" }, { { scenario = s, resume = true }, "resume needs csv" },
      { { scenario = example "09-cart-pole", params = { ["plant.force"] = { 1 } } }, "is fed by" },
    }
    for _, case in ipairs(cases) do
      case[1].csv = case[1].csv or not case[1].resume and path or nil
      os.remove(path)
      assert.error_matches(function() saltus.sweep(case[1]) end, case[2])
      assert.is_nil(io.open(path))
    end
  end)
end)

describe("the page of a sweep", function()
  it("has a plot for each number and parameter, statistics, and escaped texts", function()
    local s = saltus.scenario { duration = 0.1, system = saltus.system { name = "s", z = { { "x", 1 } },
      params = { rate = 1 }, derivatives = function(ctx, dot)
        if ctx.rate == 3 then error "<script>" end
        dot.x = -ctx.rate
      end } }
    local result = saltus.sweep { scenario = s, params = { rate = { 1, 2, 3 } },
      measure = function(r) return { x = r.context.x, word = r.params.rate == 1 and "<b>" or "c" } end }
    result:page(path)
    local html = slurp(path)
    assert.equal(2, select(2, html:gsub("<figure>", "")))
    assert.matches("x against rate, 2 points", html, 1, true)
    assert.is_nil(html:find("<script", 1, true))
    assert.is_nil(html:find("<b>", 1, true))
    assert.matches("1 of 3 runs failed", html, 1, true)
    local one = saltus.sweep { scenario = s, runs = 5, measure = { "x" } }
    one:page(path)
    assert.matches("histogram of x", slurp(path), 1, true)
  end)

  it("has larger points where they are few", function()
    local s = saltus.scenario { duration = 0, system = saltus.system { name = "s", params = { a = 1 } } }
    for count, class in pairs { [100] = "points few", [101] = "points" } do
      saltus.sweep({ scenario = s, params = { a = { from = 1, to = count, step = 1 } }, measure = { "a" } }):page(path)
      assert.matches(('<path class="%s" d="'):format(class), slurp(path), 1, true)
    end
  end)
end)
