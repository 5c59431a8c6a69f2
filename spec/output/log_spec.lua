-- Mirrors lua/saltus/output/log.lua, column.lua, text_export.lua and npz.lua, over a fake
-- simulator whose records are known in advance.
local saltus = require "saltus"
local fake = require "spec.support.fake_simulator"
local slurp = require "spec.support.slurp"

local function nothing() end

local thing = saltus.system {
  name = "thing", q = { { "height", unit = "m" }, { "r", { 0, 0 }, unit = "m" } }, derivatives = nothing,
  discrete = { { "mode", values = { "up, up", "down" } } }, abstract = { "queue" }, params = { gain = 2 },
  outputs = { energy = nothing }, events = { { name = "bounce", witness = nothing }, { name = "never", at = "step" } },
}

-- Rows 0, 1, 1, 2: height jumps from 3 to 5 at the second of the rows at 1.
local jump = { 0, 3, 5, 4 }

local function simulator()
  return fake.new(thing, {
    height = function(_, row) return jump[row] end,
    r = function(t) return { t, 10 * t } end,
    mode = function(_, row) return row < 3 and 1 or 2 end,
    energy = function(t) return t / 3 end,
    gain = function() return 2 end,
  }, { rows = { 0, 1, 1, 2 }, events = { { time = 1, name = "bounce", part = 1 } } })
end

local function log_of(spec) return saltus.log(simulator(), spec) end

describe("saltus.log", function()
  it("has columns by the requested paths", function()
    local log = log_of { "height", "r[2]", "mode", twice = function(ctx) return 2 * ctx.time end }
    assert.equal(4, #log.time)
    assert.equal(5, log.height[3])
    assert.same({ 0, 10, 10, 20 }, { table.unpack(log["r[2]"]) })
    assert.equal("0,2,2,4", table.concat(log.twice, ","):gsub("%.0", ""))
    assert.equal("down", log.mode[4])
    local count = 0
    for _ in ipairs(log.height) do count = count + 1 end
    for i, value in pairs(log.height) do assert.equal(log.height[i], value) end
    assert.equal(4, count)
  end)

  it("has the elements of a logged vector", function()
    local log = log_of { "r" }
    assert.same({ 2, 20 }, log.r[4])
    assert.equal(20, log["r[2]"][4])
    assert.error_matches(function() return log["r[3]"] end, 'unknown name "r%[3%]" in this log')
  end)

  it("logs every state and output when nothing is named", function()
    local order = {}
    for i, c in ipairs(log_of().columns) do order[i] = c.name end
    assert.same({ "height", "r", "mode", "energy" }, order)
  end)

  it("requests one channel for each entry from the recorder, with the period", function()
    local sim = simulator()
    saltus.log(sim, { "r[1]", "r[2]", every = 0.5 })
    assert.same({ 1, 0.5 }, { #sim.asked.channels, sim.asked.every })
  end)

  it("records the events", function()
    local log = log_of { "height" }
    assert.same({ 1 }, log:times "bounce")
    assert.same({}, log:times "never")
    assert.same({ "bounce", 1 }, { log.events[1].name, log.events[1].time })
  end)

  it("interpolates, holds modes, and takes the far side of a jump", function()
    local log = log_of { "height", "mode", "r" }
    assert.equal(1.5, log:at(0.5).height)
    assert.equal("up, up", log:at(0.5).mode)
    assert.same({ 5, "down" }, { log:at(1).height, log:at(1).mode })
    assert.same({ 1.5, 15 }, log:at(1.5).r)
    assert.equal(4, log:at(2).height)
  end)

  it("is read-only", function()
    local log = log_of { "height" }
    assert.error_matches(function() log.height[1] = 0 end, "read%-only")
    assert.error_matches(function() log.height = 0 end, "read%-only")
  end)
end)

describe("a log that is printed", function()
  it("prints its model and its times", function()
    assert.equal("log of thing: 0 rows of height", tostring(saltus.log(saltus.simulator(thing), { "height" })))
    assert.equal("log of thing: 4 rows from 0 to 2 s of energy, height", tostring(log_of { "energy", "height" }))
  end)

  it("has columns that print a few of their values", function()
    local log = log_of { "height", "r", "mode" }
    assert.same({ "{ 0, 3, 5, 4 } (4)", "{ up, up, up, up, down, down } (4)" },
      { tostring(log.height), tostring(log.mode) })
    assert.matches("^{ { 0, 0 }, { 1, 10 }, { 1, 10 }, { 2, 20 } } %(4%)$", (tostring(log.r):gsub("%.0", "")))
    local s = saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end }
    local sim = saltus.simulator(s, { integrator = "explicit_euler", max_step = 0.25 })
    local many = saltus.log(sim, { "x", every = 0.25 })
    assert.equal("{  } (0)", tostring(many.x))
    sim:advance_to(2)
    assert.equal("{ 0.0, 0.25, 0.5, ..., 2.0 } (9)", tostring(many.x))
  end)

  it("iterates over the time, then its columns in their order", function()
    local log, list = log_of { "energy", "height" }, {}
    for name, column in pairs(log) do
      list[#list + 1] = name
      assert.equal(log[name][2], column[2])
    end
    assert.same({ "time", "energy", "height" }, list)
  end)
end)

describe("saltus.log refuses", function()
  local function refused(spec, pattern)
    assert.error_matches(function() log_of(spec) end, pattern)
  end

  it("unknown names, with a similar one", function()
    refused({ "heigth" }, 'saltus.log: unknown name "heigth" in "thing"; did you mean "height"')
    assert.error_matches(function() log_of({ "height" }):times "bonce" end,
      'unknown event "bonce" in "thing"; did you mean "bounce"')
  end)

  it("to read a missing name, with a similar one", function()
    local log = log_of { "height" }
    assert.error_matches(function() return log.heigth end, 'unknown name "heigth" in this log; did you mean "height"')
    assert.error_matches(function() return log.foo end, 'unknown name "foo" in this log')
    assert.is_nil(log[1])
  end)

  it("methods with a dot, and a log without a simulator", function()
    assert.error_matches(function() log_of({ "height" }).csv "x.csv" end, "write log:csv%(...%), with a colon")
    assert.error_matches(function() saltus.log { "height" } end, "write saltus.log%(sim, { ... }%)")
    assert.matches("log_spec.lua:%d+: write", (select(2, pcall(function() saltus.log { "height" } end))))
  end)

  it("a period that is zero, negative or NaN", function()
    for _, every in ipairs { 0, -1, 0 / 0 } do refused({ every = every }, "every must be a period in seconds") end
  end)

  it("keys that are no functions, doubles, and abstract state", function()
    refused({ evry = 0.1 }, 'saltus.log: evry must be a function of ctx; .*; did you mean "every"%?')
    refused({ dt = 0.1 }, 'saltus.log: dt must be a function of ctx; .*; did you mean "every"%?')
    refused({ "height", "height" }, '"height" is logged twice')
    refused({ "queue" }, '"queue" is abstract state')
    refused({ 3 }, "must be a path like")
  end)

  it("times outside of the log", function()
    assert.error_matches(function() log_of({ "height" }):at(3) end, "3 s is outside of what was logged, 0 to 2 s")
  end)
end)

describe("a log on disk", function()
  local path
  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  it("is CSV with units, quotes where needed, and 17 digits", function()
    log_of({ "height", "r", "mode", "energy" }):csv(path)
    assert.equal(table.concat({ "time [s],height [m],r[1] [m],r[2] [m],mode,energy",
      '0,0,0,0,"up, up",0', '1,3,1,10,"up, up",0.33333333333333331', "1,5,1,10,down,0.33333333333333331",
      "2,4,2,20,down,0.66666666666666663", "" }, "\r\n"), slurp(path))
  end)

  it("is CSV in which no text is a formula, and every number is one", function()
    local signs = saltus.system { name = "signs", z = { { "x", -1 } },
      discrete = { { "mode", "=1+1", values = { "=1+1", "-", "+", "@x", "a=b" } } },
      derivatives = function(_, dot) dot.x = 0 end }
    local sim = saltus.simulator(signs)
    local log = saltus.log(sim, { "mode", "x", ["=x"] = function(ctx) return ctx.x end, every = 1 })
    for k, mode in ipairs { "-", "+", "@x", "a=b" } do
      sim:advance_to(k - 1)
      sim.context.mode = mode
    end
    sim:advance_to(4)
    log:csv(path)
    local cells = {}
    for line in slurp(path):gmatch "[^\r\n]+" do
      assert.is_nil(line:find ",[=+@]", line)
      cells[#cells + 1] = line:match ",(.-),"
    end
    assert.equal("'=1+1", cells[2])
    assert.equal("a=b", cells[#cells])
    assert.is_truthy(slurp(path):find(",-1,", 1, true))
    assert.error_matches(function()
      saltus.log(sim, { ["\27"] = function() return 0 end })
    end, "a name has a control character")
    assert.error_matches(function()
      saltus.log(sim, { ["\xFF"] = function() return 0 end })
    end, "a name is not valid UTF%-8")
  end)

  it("is JSON Lines with the events in their place", function()
    log_of({ "r", "mode" }):jsonl(path)
    local dkjson = require "dkjson"
    local objects = {}
    for line in slurp(path):gmatch "[^\n]+" do objects[#objects + 1] = assert(dkjson.decode(line)) end
    assert.same({ time = 2, r = { 2, 20 }, mode = "down" }, objects[6])
    assert.same({ time = 1, event = "bounce" }, objects[5])
    assert.equal("thing", objects[1].run_card.scenario)
  end)

  it("writes numbers that JSON does not have as null", function()
    local sim = simulator()
    saltus.log(sim, { bad = function() return 0 / 0 end }):jsonl(path)
    assert.matches('\n{"time":0,"bad":null}\n', slurp(path))
  end)

  it("is an archive of arrays", function()
    log_of({ "height", "r", "mode" }):npz(path)
    local text = slurp(path)
    assert.equal("PK\3\4", text:sub(1, 4))
    for _, part in ipairs { "time.npy", "'shape': (4, 2)", "'descr': '<U6', 'fortran_order': False, 'shape': (4,)",
      "event_name.npy" } do
      assert.truthy(text:find(part, 1, true), part)
    end
  end)

  it("says which file cannot be written", function()
    assert.error_matches(function() log_of({ "height" }):csv "/nowhere/at/all.csv" end, "log:csv: /nowhere/at/all.csv")
    assert.error_matches(function() log_of({ "height" }):csv(3) end, "log:csv takes a file name, got 3")
  end)
end)

describe("a column", function()
  it("is equal to another of the same values, also for luassert", function()
    local function log_up_to(rate)
      local s = saltus.system { name = "s", z = { "x", { "r", { 1, 2 } } },
        discrete = { { "m", values = { "a", "b" } } },
        derivatives = function(_, dot) dot.x, dot.r = rate, { 0, rate } end,
        events = { { every = 0.5, offset = 0.5, when = function() return rate == 1 end,
          discrete_update = function(_, next) next.m = "b" end } } }
      local sim = saltus.simulator(s)
      local log = saltus.log(sim, { "x", "r", "m", every = 0.25 })
      sim:advance_to(1)
      return log
    end
    local one, same, other = log_up_to(1), log_up_to(1), log_up_to(2)
    for _, name in ipairs { "time", "x", "r", "m" } do
      assert.is_true(one[name] == same[name], name)
      assert.equal(one[name], same[name])
      assert.same(one[name], same[name])
      assert.equal(name == "time", one[name] == other[name], name)
      if name ~= "time" then assert.not_same(one[name], other[name]) end
    end
    assert.not_equal(one.x, one["r[1]"])
  end)
end)

-- No fake here: what the engine records is what is read and written.
describe("a vector that the engine recorded", function()
  local path, log
  before_each(function()
    path = os.tmpname()
    local s = saltus.system { name = "s", z = { { "r", { 1, 2, 3 }, unit = "m" } }, discrete = { { "d", { 7, 8 } } },
      params = { "rate" }, outputs = { { "twice", function(ctx) return { 2 * ctx.r[1], 2 * ctx.r[3] } end, size = 2 } },
      derivatives = function(_, dot) dot.r = { 1, 10, 0 } end,
      events = { { every = 0.5, offset = 0.5, discrete_update = function(ctx, next) next.d = { ctx.time, -1 } end } } }
    local sim = saltus.simulator(s, { integrator = "explicit_euler", max_step = 0.125 })
    log = saltus.log(sim, { "r", "d", "twice", third = function(ctx) return ctx.r[3] end, every = 0.25 })
    sim:advance_to(1)
  end)
  after_each(function() os.remove(path) end)

  it("has a row of its elements at each time, and a column for each element", function()
    assert.equal(#log.time, #log.r)
    local last = #log.time
    assert.same({ { 1, 2, 3 }, { 2, 12, 3 } }, { log.r[1], log.r[last] })
    assert.same({ 2, 12, last }, { log["r[2]"][1], log["r[2]"][last], #log["r[2]"] })
    assert.same({ { 7, 8 }, { 0.5, -1 }, { 4, 6 } }, { log.d[1], log.d[last], log.twice[last] })
    assert.same({ 1.625, 8.25, 3 }, log:at(0.625).r)
    assert.is_nil(log.r[last + 1])
    local count = 0
    for row, r in ipairs(log.r) do
      assert.same({ log["r[1]"][row], log["r[2]"][row], log["r[3]"][row] }, r)
      count = count + 1
    end
    assert.equal(last, count)
  end)

  it("is written by elements into CSV, whole into JSON Lines", function()
    log:csv(path)
    local text = slurp(path)
    assert.matches("^time %[s%],r%[1%] %[m%],r%[2%] %[m%],r%[3%] %[m%],d%[1%],d%[2%],twice%[1%],twice%[2%],third\r\n"
      .. "0,1,2,3,7,8,2,6,3\r\n", text)
    assert.matches("\r\n1,2,12,3,0.5,%-1,4,6,3\r\n$", text)
    assert.is_nil(text:find("nil", 1, true))
    log:jsonl(path)
    assert.matches('\n{"time":0,"r":%[1,2,3%],"d":%[7,8%],"twice":%[2,6%],"third":3}\n', slurp(path))
    assert.is_nil(slurp(path):find("null", 1, true))
  end)

  it("is an array of two dimensions in npz", function()
    log:npz(path)
    local text = slurp(path)
    assert.truthy(text:find(("'shape': (%d, 3)"):format(#log.time), 1, true))
    assert.truthy(text:find(string.pack("<dddddd", 1, 2, 3, 1.25, 4.5, 3), 1, true))
  end)

  it("is drawn as a curve for each element, under its own name", function()
    local panels = require "saltus.output.plot.panels"
    local picture = panels.of(log, { "r", { "d", "twice" } })
    assert.same({ 3, "r [m]", 4, "" }, { #picture.groups[1].signals, picture.groups[1].label,
      #picture.groups[2].signals, picture.groups[2].label })
    assert.same({ 2, 12 }, { picture.groups[1].signals[2].low, picture.groups[1].signals[2].high })
    os.remove(path)
    path = path .. ".svg"
    log:plot(path)
    assert.equal(8, select(2, slurp(path):gsub("<path ", "")))
    assert.matches("r%[2%] %[m%]", log:plot())
  end)
end)
