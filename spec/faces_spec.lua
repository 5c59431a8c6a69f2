-- C says as much as Lua, and the reverse: each public function has its counterpart in Lua, or a reason why there is
-- none. The counterparts are looked up in objects of their kinds, so a name that was changed is found.
local saltus = require "saltus"
local variable = require "saltus.model.variable"
local event = require "saltus.model.event"
local system_module = require "saltus.model.system"
local names = require "saltus.util.names"
local slurp = require "spec.support.slurp"

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local out = {}
  for line in pipe:lines() do out[#out + 1] = line end
  pipe:close()
  return out
end

-- The functions that the headers declare; `alone`: without those of script.h and sandbox.h, which join both languages.
local function declared(alone)
  local out = {}
  for _, path in ipairs(lines_of "ls src/include/saltus/*.h") do
    local joins = path:find "/script%.h$" or path:find "/sandbox%.h$"
    local text = alone and joins and "" or slurp(path)
    for name in text:gmatch "\nSAL_API[^;(]-([%w_]+)%(" do out[name] = true end
  end
  return out
end

-- function -> { counterparts } or { reason = }
local function listed()
  local out, order = {}, {}
  for line in io.lines "spec/data/faces.txt" do
    local name, rest = line:match "^(sal_[%w_]+)%s+(.+)$"
    if name then
      assert(not out[name], name .. " is listed twice")
      local reason = rest:match "^%- (.+)$"
      local entry = { reason = reason }
      for word in (reason and "" or rest):gmatch "[^,]+" do entry[#entry + 1] = word:match "^%s*(.-)%s*$" end
      out[name], order[#order + 1] = entry, name
    end
  end
  return out, order
end

local function objects()
  local ball = saltus.system { name = "ball", q = { "height" }, v = { "speed" }, discrete = { "n" },
    derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -9.81 end,
    events = { { name = "tick", every = 1, discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } }
  local diagram = saltus.diagram "d"
  diagram:add(ball, "ball")
  local sim = saltus.simulator(ball, { integrator = "radau5" })
  local log = saltus.log(sim, { "height", every = 0.1 })
  sim.integrator:start_dense_output()
  sim:advance_to(1)
  local alone = saltus.integrator { f = function(_, x, dx) dx[1] = -x[1] end, x = { 1 } }
  return { sim = sim, log = log, diagram = diagram, system = ball, alone = alone, integrator = sim.integrator,
    dense = sim.integrator:stop_dense_output(), buffer = saltus.delay_buffer { delay = 1 },
    group = saltus.group(ball), blocks = saltus.blocks }
end

local in_closures = { "time", "past", "past_rate", "NAME" }
local fields = names.joined(names.of(system_module.fields), names.of(variable.fields), names.of(event.fields))

local function draws(method)
  local found
  local s = saltus.system { name = "s", discrete = { "x" }, events = { { every = 1,
    discrete_update = function(_, next) found = pcall(function() return next.random[method] end) next.x = 1 end } } }
  saltus.simulator(s):advance_pending_events()
  return found
end

local may_be_nil = { ["sim.failure"] = true, ["sim.monitor"] = true, ["sim.status"] = true }

local function exists(counterpart, made)
  if may_be_nil[counterpart] or counterpart == "next.random" then return true end
  local method = counterpart:match "^next%.random:([%w_]+)$"
  if method then return draws(method) end
  local kind, word = counterpart:match "^(%a+) ([%w_]+)$"
  if kind == "field" then return names.index_of(fields, word) ~= nil end
  if kind == "option" then return names.index_of(names.of(saltus.options.simulator), word) ~= nil end
  local object, mark, name = counterpart:match "^([%a]+)([.:])([%w_]+)$"
  if object == "ctx" then return names.index_of(in_closures, name) ~= nil end
  local holder = object == "saltus" and saltus or made[object]
  if not holder then return false end
  local ok, value = pcall(function() return holder[name] end)
  if not ok then return false end
  return value ~= nil and (mark == "." or type(value) == "function")
end

describe("spec/data/faces.txt", function()
  local entries, order = listed()

  it("lists each public function once, and no other", function()
    local public = declared "alone"
    local missing, strange = {}, {}
    for name in pairs(public) do if not entries[name] then missing[#missing + 1] = name end end
    for _, name in ipairs(order) do if not public[name] then strange[#strange + 1] = name end end
    table.sort(missing)
    assert.same({ missing = {}, strange = {} }, { missing = missing, strange = strange })
    assert.is_true(#order > 250)
  end)

  it("names counterparts that exist", function()
    local made = objects()
    local wrong = {}
    for _, name in ipairs(order) do
      for _, counterpart in ipairs(entries[name]) do
        if not exists(counterpart, made) then wrong[#wrong + 1] = name .. ": " .. counterpart end
      end
    end
    assert.same({}, wrong)
    assert.is_false(exists("sim:advance_too", made))
    assert.is_false(exists("field unt", made))
    assert.is_false(exists("next.random:uniform", made))
  end)

  it("gives reasons in words where there is no counterpart", function()
    for _, name in ipairs(order) do
      local reason = entries[name].reason
      assert.is_true(reason == nil or select(2, reason:gsub("%S+", "")) >= 2 or reason == "#buffer", name)
      assert.is_true(reason ~= nil or entries[name][1] ~= nil, name)
    end
  end)

  it("agrees with the table of both faces in docs/embedding.md", function()
    local count = 0
    for name, lua in slurp("docs/embedding.md"):gmatch "\n| `(sal_[%w_]+)` | `([^`]+)` |" do
      count = count + 1
      assert.is_truthy(entries[name], name)
      assert.equal(lua, table.concat(entries[name], ", "), name)
    end
    assert.is_true(count >= 20)
  end)
end)

describe("the sentence of a failure", function()
  -- The C program prints a sentence for each of its mistakes; this is one of them as a model in Lua.
  local program = (os.getenv "SALTUS_BUILD" or "build") .. "/test/simulator_mistakes_test"

  it("is the same in C and in Lua, but for the line of the closure", function()
    local tank = saltus.system { name = "tank", z = { "level" }, events = { { name = "tick", at = "step" } },
      derivatives = function(ctx, dot) dot.level = ctx.time > 0.5 and 0 / 0 or 1 end }
    local ok, message = pcall(function() saltus.simulator(tank):advance_to(1) end)
    assert.is_false(ok)
    local sentence, count = message:gsub("%(in tank, [^,]+, at t", "(in tank at t")
    assert.equal(1, count)
    local file = io.open(program)
    if not file then return pending "the C tests are not built" end
    file:close()
    local said = {}
    for _, line in ipairs(lines_of("SALTUS_SHOW=1 " .. program)) do said[line] = true end
    assert.is_true(said[sentence], sentence)
  end)
end)

describe("the configs of C", function()
  local function structs()
    local out = {}
    for _, path in ipairs(lines_of "ls src/include/saltus/*.h") do
      for body, name in slurp(path):gmatch "typedef struct [%w_]+ (%b{}) ([%w_]+);" do out[name] = body end
    end
    return out
  end

  it("begin with their size, set by a default call, so that a header and a library of two versions notice", function()
    local all, public, count = structs(), declared(), 0
    for name, body in pairs(all) do
      if name:find "_config$" then
        count = count + 1
        assert.is_truthy(body:match "^{%s*size_t size;", name)
        assert.is_true(public[name .. "_default"] or false, name)
      end
    end
    assert.is_true(count >= 5)
  end)

  it("have the default method of Lua", function()
    local default
    for _, option in ipairs(saltus.options.simulator) do
      if option.name == "integrator" then default = option.default end
    end
    assert.is_truthy(slurp("src/include/saltus/integrator.h"):find("/* default: " .. default .. " */", 1, true))
  end)
end)
