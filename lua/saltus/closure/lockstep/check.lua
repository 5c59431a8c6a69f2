-- Lockstep: a run of a system with lockstep = true has the same bits on every machine. Its closures may not reach
-- functions of the C library whose last bits differ, nor the clock, nor code that cannot be read here.
local core = require "saltus.core"
local names = require "saltus.util.names"
local powers = require "saltus.closure.powers"
local reach = require "saltus.closure.lockstep.reach"
local system_module = require "saltus.model.system"

local lockstep = {}

-- ---- what may be reached ----

local own = core.math

local instead = {
  asin = "saltus.math.atan2(x, math.sqrt((1 - x) * (1 + x)))",
  acos = "saltus.math.atan2(math.sqrt((1 - x) * (1 + x)), x)",
  atan = "saltus.math.atan2(y, x)",
}

local exact = { abs = true, ceil = true, floor = true, fmod = true, max = true, min = true, modf = true, sqrt = true,
  frexp = true, ldexp = true, tointeger = true, type = true, ult = true, deg = true, rad = true }

-- By function: what it is called, and what to write instead.
local refused, allowed = {}, {}

local function refuse(library, name, why)
  if library and library[name] then refused[library[name]] = why end
end

for _, name in ipairs(names.sorted_keys(math)) do -- a function may have two names
  local fn = math[name]
  if type(fn) == "function" and exact[name] then
    allowed[fn] = true
  elseif type(fn) == "function" and not refused[fn] then
    local better = rawget(own, name) and "saltus.math." .. name or instead[name] or "functions of saltus.math"
    refused[fn] = ("calls math.%s, whose last bits depend on the C library; write %s"):format(name, better)
  end
end
refuse(math, "random", "calls math.random, which is not a part of the run; draw by next.random() in an update")
refuse(os, "clock", "calls os.clock; use ctx.time")
refuse(os, "time", "calls os.time; use ctx.time")
refuse(os, "date", "calls os.date; use ctx.time")
refuse(math, "randomseed", "calls math.randomseed, which is not a part of the run; the option seed selects the numbers")

local function allow(library, except)
  for name, fn in pairs(library or {}) do
    if type(fn) == "function" and not (except and except[name]) then allowed[fn] = true end
  end
end

allow(string, { dump = true })
allow(table)
allow(utf8)
allow(coroutine)
allow(own)
for name in ([[assert error getmetatable ipairs next pairs pcall print rawequal rawget rawlen rawset select setmetatable
  tonumber tostring type warn xpcall]]):gmatch "%a+" do
  if _G[name] then allowed[_G[name]] = true end
end

-- ---- closures of a system ----

local of_system = { "derivatives", "constraints", "constraint_rates", "project", "velocity_map" }
local of_event = { "witness", "becomes", "when", "next_time", "handler", "on_zeno" }

-- Calls visit(label, fn) for each closure that a run of a system calls.
local function each_closure(content, visit)
  for _, field in ipairs(of_system) do visit(field, content[field]) end
  for _, e in ipairs(content.outputs) do visit(("output %q"):format(e.name), e.fn) end
  for _, event in ipairs(content.events) do
    for _, field in ipairs(of_event) do
      local label = field == "handler" and ("event %q"):format(event.name)
        or ("%s of event %q"):format(field == "becomes" and "`becomes`" or field == "when" and "`when`" or field,
          event.name)
      visit(label, event[field])
    end
    for i, finder in ipairs(event.finders or {}) do visit(("witness %d of event %q"):format(i, event.name), finder) end
  end
  for _, field in ipairs { "history", "history_rate" } do
    local history = content[field]
    if type(history) ~= "table" then visit(field, history) end
    for name, fn in pairs(type(history) == "table" and not getmetatable(history) and history or {}) do
      visit(("%s of %s"):format(field, tostring(name)), fn)
    end
  end
end

local function is_known_table(value)
  return rawequal(value, own) or names.kind(value) ~= nil or rawequal(value, package.loaded.saltus)
end

-- Raises an error for a function that lockstep refuses. `owner`: what messages begin with.
function lockstep.check_function(owner, label, fn)
  local function fail(line, why)
    names.fail("%s has lockstep = true, but %s %s (%s:%d)", owner, label, why, line.source, line.line)
  end
  local at = core.getinfo(fn, "S")
  reach.of(fn, { source = at.short_src, line = at.linedefined }, {
    power = function(exponent, line)
      if exponent == 2 and powers.are_squares_products then return end
      fail(line, "raises to a power by ^, which calls the C library; write x * x * x, math.sqrt(x) or "
        .. "saltus.math.pow(x, y)")
    end,
    value = function(value, line)
      if refused[value] then fail(line, refused[value]) end
      if allowed[value] then return false end
      if core.getinfo(value, "S").what ~= "C" then return true end
      return fail(line, "reaches a function in C that cannot be checked, unlike those of saltus.math, string and table")
    end,
    environment = function(line) fail(line, "uses the table of global variables, which has all functions") end,
    closed = function(closed)
      local info = core.getinfo(closed, "S")
      fail({ source = info.short_src, line = info.linedefined }, "cannot be checked: this Lua shows no code of it")
    end,
  }, is_known_table)
end

local checked = setmetatable({}, { __mode = "k" }) -- stories, which may be spawned many times

function lockstep.check_story(who, name, fn)
  if checked[fn] then return end
  lockstep.check_function(("%q"):format(who), name and ("the story %q"):format(name) or "a story", fn)
  checked[fn] = true
end

-- ---- models ----

-- The path of the first part with lockstep = true, or nil.
local function demanded(m)
  for i, part in ipairs(m.parts) do
    if system_module.content(part.system).lockstep then return m:part_name(i) end
  end
end

-- Returns the path of a part of the model that demands lockstep, or nil. Raises an error if a closure of any part
-- breaks it, because parts read each other. `jacobian`: the simulator's option.
function lockstep.check(m, jacobian)
  local who = demanded(m)
  if not who then return nil end
  local owner = ("%q"):format(who)
  local seen = {}
  for i, part in ipairs(m.parts) do
    local content = system_module.content(part.system)
    if not seen[content] then
      seen[content] = true
      local name = m:part_name(i)
      each_closure(content, function(label, fn)
        if type(fn) ~= "function" then return end
        lockstep.check_function(owner, name == who and label or ("%s of %q"):format(label, name), fn)
      end)
    end
  end
  if type(jacobian) == "function" then lockstep.check_function(owner, "the option jacobian", jacobian) end
  return who
end

return lockstep
