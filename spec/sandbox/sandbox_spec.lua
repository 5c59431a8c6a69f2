-- saltus.sandbox from Lua: results, limits that survive pcall and coroutines, compiled closures, views of saltus.
local saltus = require "saltus"

describe("saltus.sandbox", function()
  local box

  before_each(function() box = saltus.sandbox { memory = 32e6, budget = 5e6, seconds = 20 } end)
  after_each(function() pcall(box.close, box) end)

  -- The result of a script that must not fail.
  local function answer(text, budget)
    local ok, result = box:run(text, "script", budget)
    assert.is_true(ok, result)
    return result
  end

  local function complaint(text, budget)
    local ok, why = box:run(text, "script", budget)
    assert.is_false(ok)
    return why
  end

  local DECAY = [[local saltus = require "saltus"
    local s = saltus.system { name = "s", z = { { "x", 1 } },
      derivatives = function(ctx, dot) dot.x = -ctx.x * math.cos(0) end }
    local sim = saltus.simulator(s, { integrator = "runge_kutta4", max_step = 1e-2, fixed_step = true })
  ]]

  it("runs a script, and returns a text, a number or a boolean", function()
    assert.equal(42, answer "return 6 * 7")
    assert.equal("float", math.type(answer "return 2.0"))
    assert.equal("a\0b", answer "return 'a\\0b'")
    assert.is_nil(answer "return {}")
    assert.matches("^script:1: ", complaint "error 'no'")
  end)

  it("runs models with the same bits as the host", function()
    local s = saltus.system { name = "s", z = { { "x", 1 } },
      derivatives = function(ctx, dot) dot.x = -ctx.x * math.cos(0) end }
    local sim = saltus.simulator(s, { integrator = "runge_kutta4", max_step = 1e-2, fixed_step = true })
    sim:advance_to(5)
    assert.equal(sim:hash(), answer(DECAY .. "sim:advance_to(5) return sim:hash()"))
  end)

  it("keeps compiled closures running under a budget", function()
    assert.matches("derivatives of \"s\"%s+program",
      answer(DECAY .. "sim:advance_to(5) return tostring(sim:programs())"))
  end)

  it("charges programs and steps: a longer run spends more, in proportion", function()
    local function spent(t)
      answer(DECAY .. "sim:advance_to(5) return sim:hash()", 100000000) -- the models of the first run are compiled
      answer(DECAY .. ("sim:advance_to(%d) return 1"):format(t), 100000000)
      return 100000000 - box:left()
    end
    local short, middle, long = spent(100), spent(200), spent(400)
    assert.near(2, (long - middle) / (middle - short), 0.1)
    assert.is_true((middle - short) / 10000 > 16) -- per step
  end)

  it("stops a script that catches the error, and tells the host", function()
    assert.matches("has spent its budget of 100000 instructions",
      complaint("while true do pcall(function() while true do end end) end", 100000))
    assert.matches("spent its budget", complaint("pcall(function() while true do end end) return 1", 100000))
    assert.is_true(box:left() < 0)
    assert.equal(1, answer("return 1", 100000))
  end)

  it("charges coroutines that end before the hook sees them", function()
    local text = "for i = 1, 1000 do coroutine.wrap(function() for k = 1, 300 do end end)() end return 1"
    assert.matches("spent its budget", complaint(text, 300000))
    assert.equal(1, answer(text, 3000000))
  end)

  it("stops after a time", function()
    box:close()
    box = saltus.sandbox { memory = 32e6, budget = 0, seconds = 0.05 }
    assert.matches("has spent its 0.05 s of processor time", complaint "while true do end")
  end)

  it("gives no more memory than allowed", function()
    assert.matches("not enough memory",
      complaint("local t = {} for i = 1, math.huge do t[i] = { i } end", 1000000000))
    assert.is_true(select(2, box:left()) < 32e6)
    assert.matches("the string would have 1000000000.0 bytes, and the host of this script allows 2000000.0",
      complaint "return ('x'):rep(1e9)")
    assert.equal(1, answer "return 1")
  end)

  it("runs finalizers under the budget, with their object", function()
    assert.equal(1, answer [[local seen
      setmetatable({ n = 1 }, { __gc = function(t) seen = t.n end })
      for i = 1, 1e5 do local t = { i } end
      return seen]])
  end)

  it("gives each script an environment of its own", function()
    answer "x = 1 string.upper, math.sin, require('saltus').system = nil, nil, nil"
    assert.equal("nil function function function", answer [[
      return ("%s %s %s %s"):format(x, type(string.upper), type(math.sin), type(require("saltus").system))]])
  end)

  it("has stories, logs and formulas for scripts", function()
    assert.equal("1.25 6", answer [[local saltus = require "saltus"
      local n = 0
      local s = saltus.scenario { duration = 1, log = { "x", every = 0.2 },
        system = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end },
        story = function(run) run:wait(0.25) n = n + run.time run:wait(0.25) n = n + 1 end }
      local run = s:run()
      return n .. " " .. #run.log.x]])
  end)

  it("prints through the host", function()
    local lines = {}
    box:close()
    box = saltus.sandbox { print = function(text) lines[#lines + 1] = text end }
    answer "print('a', 1, nil) print()"
    assert.same({ "a\t1\tnil", "" }, lines)
  end)

  it("refuses what it cannot use", function()
    assert.error_matches(function() saltus.sandbox { memroy = 1 } end, "unknown option \"memroy\".*memory")
    assert.error_matches(function() saltus.sandbox { memory = -1 } end, "memory must be a number of bytes, got %-1")
    assert.error_matches(function() saltus.sandbox { memory = 1000 } end, "saltus alone needs %d+ bytes of memory")
    assert.error_matches(function() saltus.sandbox { print = 1 } end, "print must be a function")
    assert.error_matches(function() box:run(5) end, "sandbox:run takes the text of a script, got 5")
    assert.error_matches(function() box.run "return 1" end, "write sandbox:run%(...%), with a colon")
    box:close()
    assert.error_matches(function() box:run "return 1" end, "the sandbox is closed")
  end)

  it("cannot be entered again by its print", function()
    local why
    box:close()
    box = saltus.sandbox { print = function() why = select(2, pcall(box.run, box, "return 1")) end }
    answer "print 'x'"
    assert.matches("the sandbox is running", why)
  end)
end)
