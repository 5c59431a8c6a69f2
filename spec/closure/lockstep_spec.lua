-- Mirrors lua/saltus/closure/lockstep/: lockstep = true refuses closures that reach the C library's sines and powers,
-- or code that cannot be read, and names the closure, the line and the remedy.
local powers = require "saltus.closure.powers"
local saltus = require "saltus"
local background = math -- the library, as an upvalue

-- A system whose derivatives are this function.
local function flow(derivatives, more)
  local def = { name = "plant", lockstep = true, z = { { "x", 1 } }, derivatives = derivatives }
  for key, value in pairs(more or {}) do def[key] = value end
  return saltus.system(def)
end

local function accepted(derivatives, more)
  local sim = saltus.simulator(flow(derivatives, more))
  sim:advance_to(0.1)
  return sim
end

local function refused(words, derivatives, more)
  local ok, message = pcall(saltus.simulator, flow(derivatives, more))
  assert.is_false(ok, "it was accepted")
  assert.is_truthy(message:find('"plant" has lockstep = true, but', 1, true), message)
  assert.is_truthy(message:find(words, 1, true), message)
  return message
end

-- Before 5.4.2, Lua squares by pow of the C library.
local function squares(closure)
  if powers.are_squares_products then accepted(closure) else refused("raises to a power by ^", closure) end
end

local function steady(_, dot) dot.x = 0 end

describe("a closure in lockstep", function()
  it("may use arithmetic, exact functions, strings, tables and saltus.math", function()
    accepted(function(ctx, dot)
      local x = ctx.x
      local list = { x, 2, 3 }
      for _, value in ipairs(list) do x = x + value % 0.7 // 0.1 end
      dot.x = saltus.math.sin(x) + math.sqrt(math.abs(x)) + math.floor(x) + math.fmod(x, 0.3) + #("%g"):format(x)
    end)
    squares(function(ctx, dot) dot.x = saltus.math.sin(ctx.x) ^ 2 + math.sqrt(math.abs(ctx.x)) end)
  end)

  it("is refused with its line and the remedy if it calls math.sin", function()
    local line = debug.getinfo(1, "l").currentline + 2
    local message = refused("calls math.sin, whose last bits depend on the C library; write saltus.math.sin",
      function(ctx, dot) dot.x = math.sin(ctx.x) end)
    assert.is_truthy(message:find(("but derivatives calls"), 1, true), message)
    assert.is_truthy(message:find(("lockstep_spec.lua:%d)"):format(line), 1, true), message)
  end)

  it("is refused for each function of math that is not exact", function()
    for name, remedy in pairs { cos = "saltus.math.cos", tan = "saltus.math.tan", exp = "saltus.math.exp",
      log = "saltus.math.log", asin = "atan2(x, math.sqrt", acos = "atan2(math.sqrt", atan = "saltus.math.atan2" } do
      local fn = math[name]
      refused("calls math." .. name .. ", ", function(ctx, dot) dot.x = fn(ctx.x) end)
      assert.is_truthy(refused(remedy, function(ctx, dot) dot.x = fn(ctx.x) end))
    end
  end)

  it("is refused if it raises to any power but 2", function()
    squares(function(ctx, dot) dot.x = ctx.x ^ 2 end)
    refused("raises to a power by ^", function(ctx, dot) dot.x = ctx.x ^ 3 end)
    refused("saltus.math.pow(x, y)", function(ctx, dot) dot.x = 2 ^ ctx.x end)
    refused("math.sqrt(x)", function(ctx, dot) dot.x = ctx.x ^ 0.5 end)
  end)

  it("is refused for what functions among its upvalues reach, at their line", function()
    local function helper(x) return math.exp(-x) end
    local line = debug.getinfo(1, "l").currentline - 1
    local tools = { deep = { decay = function(x) return helper(x) end, half = function(x) return x / 2 end } }
    local message = refused("calls math.exp", function(ctx, dot) dot.x = tools.deep.decay(ctx.x) end)
    assert.is_truthy(message:find((":%d)"):format(line), 1, true), message)
    accepted(function(ctx, dot) dot.x = tools.deep.half(ctx.x) end)
    refused("calls math.exp", function(ctx, dot) for _, f in pairs(tools.deep) do dot.x = f(ctx.x) end end)
    local name = "decay"
    refused("calls math.exp", function(ctx, dot) dot.x = tools.deep[name](ctx.x) end)
  end)

  it("is refused where the library goes through locals, branches, arguments, methods and inner functions", function()
    refused("calls math.sin", function(ctx, dot)
      local m = ctx.x > 0 and background or string
      dot.x = m.sin(ctx.x)
    end)
    refused("calls math.", function(ctx, dot)
      local function apply(m) return m.cos(ctx.x) end
      dot.x = apply(math)
    end)
    refused("calls math.", function(ctx, dot)
      local m
      local function later() return m.cos(ctx.x) end
      m = math
      dot.x = later()
    end)
    refused("calls math.cos", function(ctx, dot) dot.x = (function(x) return math.cos(x) end)(ctx.x) end)
    local object = setmetatable({}, { __index = { turn = function(_, x) return math.tan(x) end } })
    refused("calls math.tan", function(ctx, dot) dot.x = object:turn(ctx.x) end)
    local vector = setmetatable({ 1 }, { __add = function(a, b) return math.log(a[1] + b) end })
    refused("calls math.log", function(ctx, dot) dot.x = vector + ctx.x end)
    local lazy = setmetatable({}, { __index = function(_, key) return math[key] end })
    refused("calls math.", function(ctx, dot) dot.x = lazy.sin(ctx.x) end)
    refused("uses the table of global variables", function(ctx, dot)
      dot.x = _ENV[ctx.x > 0 and "math" or ""].sin(ctx.x)
    end)
  end)

  it("is not refused for a name or a register that the library had before", function()
    accepted(function(ctx, dot)
      local far = math.abs(ctx.x)
      local sin = { sin = far, cos = 1 }
      dot.x = sin.sin + sin.cos + ctx.exp
    end, { params = { exp = 2 } })
  end)

  it("is refused if it loads code, reads a clock or draws from math.random", function()
    refused("math.random, which is not a part of the run; draw by next.random()",
      function(_, dot) dot.x = math.random() end)
    refused("os.clock; use ctx.time", function(_, dot) dot.x = os.clock() end)
    refused("a function in C that cannot be checked", function(_, dot) dot.x = load("return 1")() end)
    refused("a function in C that cannot be checked", function(_, dot) dot.x = #io.open("/dev/null"):read "a" end)
  end)
end)

describe("lockstep", function()
  local function touching(fields)
    fields.name = "touch"
    return { events = { fields } }
  end

  it("checks every closure of the system, and names it", function()
    local function wave(ctx) return math.sin(ctx.time) end
    local function true_wave(ctx) return wave(ctx) > 0 end
    local function write(ctx, next) next.x = wave(ctx) end
    for label, more in pairs {
      ['output "y"'] = { outputs = { { "y", wave } } },
      ['event "touch"'] = touching { every = 1, unrestricted_update = write },
      ['witness of event "touch"'] = touching { witness = wave, unrestricted_update = write },
      ['`becomes` of event "touch"'] = touching { becomes = true_wave, unrestricted_update = function() end },
      ['`when` of event "touch"'] = touching { witness = function(ctx) return ctx.x end, when = true_wave,
        unrestricted_update = function() end },
      ['next_time of event "touch"'] = touching { next_time = wave, unrestricted_update = function() end },
      constraints = { constraints = function(ctx, residual) residual[1] = wave(ctx) end },
      history = { past = { x = 1 }, history = function(t) return { x = math.sin(t) } end },
    } do
      refused(label .. " ", steady, more)
    end
  end)

  it("holds for all parts of a diagram, because they read each other", function()
    local function pair(other)
      local diagram = saltus.diagram "pair"
      diagram:add(flow(steady), "plant")
      diagram:add(other, "other")
      return diagram
    end
    local sine = saltus.blocks.sine { amplitude = 1 }
    assert.is_not_nil(saltus.simulator(pair(sine)))
    local loose = saltus.blocks.function_of_time { f = function(t) return math.sin(t) end }
    assert.error_matches(function() saltus.simulator(pair(loose)) end,
      '"plant" has lockstep = true, but output "output" of "other" calls math%.sin')
  end)

  it("checks stories of the run", function()
    local stories = saltus.stories(accepted(steady))
    stories:spawn(function(s) s:wait(1) end)
    assert.error_matches(function() stories:spawn("waver", function(s) s:wait(math.exp(0.1)) end) end,
      'but the story "waver" calls math%.exp')
  end)

  it("changes no bit of a run", function()
    local function derivatives(ctx, dot) dot.x = -saltus.math.sin(ctx.x) end
    local plain = saltus.simulator(flow(derivatives, { lockstep = false }))
    plain:advance_to(0.1)
    assert.equal(plain:hash(), accepted(derivatives):hash())
  end)

  it("stays with a system that has other defaults, and is true or false", function()
    local system = flow(function(ctx, dot) dot.x = math.sin(ctx.x) end)
    assert.has_error(function() saltus.simulator(system:with { x = 2 }) end)
    assert.error_matches(function() flow(steady, { lockstep = 1 }) end, "lockstep must be true or false")
  end)
end)
