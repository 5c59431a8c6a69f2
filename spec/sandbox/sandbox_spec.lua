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

  it("takes a budget as a whole number, such as 1e5, and refuses others in words", function()
    assert.equal(6, answer("return 6", 1e5))
    assert.matches("spent its budget of 100000 instructions", complaint("while true do end", 1e5))
    for _, wrong in ipairs { 1.5, -1, math.huge, "7" } do
      assert.error_matches(function() box:run("return 6", "script", wrong) end, "a whole number of instructions")
    end
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

  it("does not look for the script's place far up the stack, which takes the square of the depth", function()
    local deep = [[local def = { name = "s" }
      local at = def
      for i = 1, 20000 do at.params = {} at = at.params end
      return %s]]
    for _, call in ipairs { "saltus.system(def)", "pcall(saltus.system, def)" } do
      local text = complaint('local saltus = require "saltus" ' .. deep:format(call), 300000)
      assert.matches("^the script has spent its budget", text)
    end
  end)

  it("stops a script that catches the error, and tells the host", function()
    assert.matches("has spent its budget of 100000 instructions",
      complaint("while true do pcall(function() while true do end end) end", 100000))
    assert.matches("spent its budget", complaint("pcall(function() while true do end end) return 1", 100000))
    assert.is_true(box:left() < 0)
    assert.equal(1, answer("return 1", 100000))
  end)

  -- Up to 5.4.2, Lua makes room for a new key even if its value is nil, and the order of keys decides how often.
  local function makes_room_for_nil()
    collectgarbage "stop"
    local t, before = {}, collectgarbage "count"
    rawset(t, "key", nil)
    local takes_room = collectgarbage "count" > before
    collectgarbage "restart"
    return takes_room
  end

  -- Instructions of Lua are charged by whole intervals, so states whose sums lie at the end of one may be one apart.
  local INTERVAL = 1000

  it("spends the same in every state but for a few units, though each has another order of keys", function()
    local boxes, least, most = {}, math.huge, 0
    for i = 1, 30 do
      boxes[i] = saltus.sandbox { memory = 8e6, budget = 5e6, seconds = 20 }
      assert.is_true(boxes[i]:run [[
        local saltus = require "saltus"
        local room = saltus.system { name = "room", z = { { "warmth", 20 } },
          discrete = { { "heat", "off", values = { "off", "on" } }, "switches" },
          derivatives = function(ctx, dot) dot.warmth = (ctx.heat == "on" and 5 or 0) - 0.2 * (ctx.warmth - 10) end,
          events = { { name = "cold", direction = "falling", witness = function(ctx) return ctx.warmth - 19 end,
              discrete_update = function(ctx, next) next.heat, next.switches = "on", next.switches + 1 end },
            { name = "warm", direction = "rising", witness = function(ctx) return ctx.warmth - 21 end,
              discrete_update = function(ctx, next) next.heat, next.switches = "off", next.switches + 1 end } } }
        saltus.simulator(room):advance_to(10)]])
      local left = boxes[i]:left()
      least, most = math.min(least, left), math.max(most, left)
    end
    for _, one in ipairs(boxes) do one:close() end
    local apart, few = most - least, makes_room_for_nil() and 64 or 8
    local at_end_of_interval = apart >= INTERVAL - few and apart <= INTERVAL + few
    assert.is_true(apart <= few or at_end_of_interval, ("%d units apart"):format(apart))
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

  it("stops after a time what Lua does not do itself, without a budget", function()
    box:close()
    box = saltus.sandbox { memory = 32e6, budget = 0, seconds = 0.05 }
    local words = "has spent its 0.05 s of processor time"
    assert.matches(words, complaint [[local saltus = require "saltus"
      local sim = saltus.simulator(saltus.blocks.integral {}, { max_step = 1e-12 })
      sim.context.input = 1
      sim:advance_to(1)]])
    assert.matches(words, complaint "return ('a'):rep(30):find(('a-'):rep(30) .. 'b')")
    assert.matches(words, complaint "table.move({}, 1, 1e15, 2)")
    assert.matches(words, complaint "return ('').rep('', 1e15)")
  end)

  it("gives no more memory than allowed", function()
    assert.matches("not enough memory",
      complaint("local t = {} for i = 1, math.huge do t[i] = { i } end", 1000000000))
    assert.is_true(select(2, box:left()) < 32e6)
    assert.matches("the string would have 1000000000.0 bytes, and the host of this script allows 2000000.0",
      complaint "return ('x'):rep(1e9)")
    assert.equal(1, answer "return 1")
  end)

  it("counts the matrices of integrators without a simulator, and charges their factorizations", function()
    local n, left, had = 300, box:left()
    assert.is_true(box:run(([[
      local x = {}
      for i = 1, %d do x[i] = 1 end
      local run = require "saltus".integrator { x = x, integrator = "radau5", jacobian_pattern = "dense",
        f = function(_, x, dx) for i = 1, #x do dx[i] = -x[i] end end }
      run:integrate_with_multiple_steps_to_time(1)]]):format(n), "script", 1000000000))
    local rest, has = box:left()
    assert.is_true(has - had > 3 * 8 * n ^ 2)
    assert.is_true(1e9 - rest > n ^ 3 / 8)
    assert.equal(5e6, left)
  end)

  it("collects a chain of systems about as fast as as many systems", function()
    local function cost(is_chain)
      local wide, before = saltus.sandbox { memory = 64e6, budget = 0, seconds = 60 }, os.clock()
      assert.is_true(wide:run(([[
        local saltus, last, all = require "saltus", nil, {}
        for i = 1, 10000 do
          local before = last
          last = saltus.system { name = "s", discrete = { "x" }, draw = function() return before end }
          if not %s then all[i], last = last, nil end
        end
        for i = 1, 1e5 do local g = { {}, {} } end]]):format(is_chain)))
      wide:close()
      return os.clock() - before
    end
    assert.is_true(cost(true) < 4 * cost(false))
  end)

  it("has delay buffers for scripts", function()
    assert.equal("0.5 3 2", answer [[
      local past = require "saltus".delay_buffer { delay = 1 }
      past:append(0, 0)
      past:append(1, 1)
      local copy = past:clone()
      past:append(2, 2)
      return copy:read(1.5) .. " " .. #past .. " " .. #copy]])
  end)

  it("runs finalizers under the budget, with their object", function()
    assert.equal(1, answer [[local seen
      setmetatable({ n = 1 }, { __gc = function(t) seen = t.n end })
      for i = 1, 1e5 do local t = { i } end
      return seen]])
  end)

  it("calls no finalizer under a later budget than the one under which it was set", function()
    local garbage = "for i = 1, 1e5 do local t = { i } end return 1"
    answer([[local mt = {}
      function mt.__gc() setmetatable({}, mt) end
      setmetatable({}, mt)
      kept = setmetatable({}, { __gc = function() while true do end end })
      ]] .. garbage)
    assert.equal(1, answer(garbage, 5e6)) -- `kept` is garbage now
    local left = box:left()
    answer(garbage, 5e6)
    assert.near(left, box:left(), 1000)
  end)

  it("passes few values at once, since one instruction copies them all", function()
    assert.equal("16384 16000", answer [[
      local t = table.pack(table.unpack({}, 1, 16384))
      return t.n .. " " .. select("#", ("x"):rep(16000):byte(1, -1)) ]])
    local many = "the function would return 16385 values, and the host of this script allows 16384"
    assert.equal("script:1: " .. many, complaint "return table.unpack({}, 1, 16385)")
    assert.equal("script:1: " .. many, complaint "return ('x'):rep(16385):byte(1, -1)")
  end)

  it("charges a table whose keys are no list for the time in which they may collide", function()
    assert.equal(8192, answer("local t = {} for i = 1, 8192 do t[i / 3] = i end return 8192", 300000))
    local function spent(keys)
      answer(("local t = {} for i = 1, %d do t[i / 3] = i end return 1"):format(keys), 100000000)
      return 100000000 - box:left()
    end
    local few, more, many = spent(8000), spent(16000), spent(32000)
    assert.near(4, (many - more) / (more - few), 0.5)
    box:close()
    box = saltus.sandbox { memory = 32e6, budget = 0, seconds = 0.5 }
    assert.matches("not enough memory", complaint "local t = {} for i = 1, 32000 do t[i / 3] = i end")
    assert.equal(32000, answer "local t = {} for i = 1, 32000 do t[i] = i end return #t")
  end)

  it("charges sorting for the texts that are compared", function()
    local text = "local t, s = {}, ('x'):rep(%d) for i = 1, 1000 do t[i] = s end table.sort(t) return 1"
    assert.equal(1, answer(text:format(100), 300000))
    assert.matches("spent its budget", complaint(text:format(10000), 300000))
  end)

  it("keeps keys of tables that are to have weak keys, and forgets weak values", function()
    assert.equal("1 0 nil", answer [[
      local keys, values, mt = {}, {}, { __mode = "k" }
      setmetatable(keys, mt)[{}] = 1
      setmetatable(values, { __mode = "v" })[1] = {}
      for i = 1, 1e5 do local t = { i } end
      local n = 0
      for _ in pairs(keys) do n = n + 1 end
      return ("%d %d %s"):format(n, #values, mt.__mode)]])
  end)

  it("names functions and lines of the script in errors, never files of the host", function()
    assert.equal("script:2: bad argument #1 to 'rep' (string expected, got no value)",
      complaint "local x = 1\nx = string.rep()")
    assert.matches("^script:1: the script has spent",
      complaint("require 'saltus'.formula.parse(('not '):rep(1e4) .. 'x')", 10000))
  end)

  it("names the line of the script that goes through, or calls, what cannot be gone through or called", function()
    assert.equal("script:1: bad argument #1 to 'for iterator' (table expected, got nil)",
      complaint "for _ in pairs(nil) do end")
    assert.equal("script:2: this cannot be called",
      complaint "local sim = require 'saltus'.simulator(require 'saltus'.system { name = 's' })\n sim()")
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
