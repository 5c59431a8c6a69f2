-- What a script in a sandbox sees: an environment of its own, with copies of Lua's libraries and a view of saltus.
-- The functions that could last long or allocate much charge for it: src/binding/sandbox/library.c.
local border = require "saltus.sandbox.border"
local core = require "saltus.core"
local names = require "saltus.util.names"
local saltus = require "saltus"

local environment = {}

local library = core.sandbox_library()

-- ---- saltus ----

-- Their closures get what is made for them: ctx, dot, next. They return outcomes, which scripts cannot change.
local as_they_are = { terminate = saltus.terminate, fail = saltus.fail, did_nothing = saltus.did_nothing }
local of_closures = { system = true }
local called = { "simulator", "diagram", "log", "scenario", "integrator", "delay_buffer", "stories", "sweep", "forall" }
local read = { "formula", "version", "_VERSION" }

local function blocks()
  local out = {}
  for name, make in pairs(saltus.blocks) do out[name] = border.shown(make, true) end
  return out
end

local function offered()
  local list = { "blocks", "math" }
  for name in pairs(as_they_are) do list[#list + 1] = name end
  for name in pairs(of_closures) do list[#list + 1] = name end
  return names.joined(list, called, read)
end

local function member(name)
  if as_they_are[name] ~= nil then return as_they_are[name] end
  if name == "blocks" then return blocks() end
  if name == "math" then return names.merged(saltus.math) end
  if of_closures[name] then return border.shown(saltus[name], true) end
  if names.index_of(called, name) then return border.shown(saltus[name]) end
  if names.index_of(read, name) then return border.outward(saltus[name]) end
  return names.fail_unknown("name %s in saltus for scripts", name, offered())
end

local function view()
  return setmetatable({}, { __metatable = false,
    __index = function(self, name)
      local value = member(name)
      rawset(self, name, value)
      return value
    end })
end

-- ---- Lua ----

local function pairs_of(t)
  local meta = core.getmetatable(t)
  local own = meta and rawget(meta, "__pairs")
  if own then
    local step, state, first = own(t)
    return step, state, first
  end
  if type(t) ~= "table" then
    error(("bad argument #1 to 'for iterator' (table expected, got %s)"):format(type(t)), 2)
  end
  return library._G.next, t, nil
end

-- The handler runs after the error, so that the budget counts what it does.
local function xpcall_of(fn, handler, ...)
  local function handled(ok, ...)
    if ok then return true, ... end
    return false, select(2, pcall(handler, ...))
  end
  return handled(pcall(fn, ...))
end

local function collectgarbage_of(what)
  if what ~= "count" then error("collectgarbage: a script of this host may ask for \"count\" only", 2) end
  return collectgarbage "count"
end

-- The pieces that a function returns, as one text.
local function text_of(pieces)
  local list = {}
  while true do
    local piece = pieces()
    if piece == nil or piece == "" then return library.table.concat(list) end
    if type(piece) ~= "string" then error("reader function must return a string", 0) end
    list[#list + 1] = piece
  end
end

-- A source that begins with "=" is no file of saltus, whatever a script calls it.
local function source_of(name) return "=" .. (type(name) == "string" and name:gsub("^[@=]", "") or "(load)") end

local function loader(own)
  return function(chunk, name, mode, env)
    if type(chunk) == "function" then chunk = text_of(chunk) end
    if type(chunk) ~= "string" then error("load: a script of this host loads text only", 2) end
    if type(mode) == "string" and not mode:find("t", 1, true) then
      return nil, "attempt to load a text chunk (mode is '" .. mode .. "')"
    end
    library.string.len(chunk) -- charges for it
    if env == nil then env = own end
    return load(chunk, source_of(name), "t", env)
  end
end

local function printed(...)
  local parts = library.table.pack(...)
  for i = 1, parts.n do parts[i] = tostring(parts[i]) end
  core.sandbox_print(library.table.concat(parts, "\t", 1, parts.n))
end

local function copy(...)
  local out = {}
  for _, of in ipairs { ... } do for key, value in pairs(of) do out[key] = value end end
  return out
end

local lua = { assert = assert, error = error, ipairs = ipairs, pcall = pcall, rawequal = rawequal, rawlen = rawlen,
  tostring = tostring, type = type, pairs = pairs_of, xpcall = xpcall_of, collectgarbage = collectgarbage_of,
  print = printed, _VERSION = _VERSION }

-- Returns a new environment.
function environment.new()
  local own = copy(lua, library._G)
  own.string, own.table = copy(library.string), copy(library.table)
  own.coroutine = copy(coroutine, library.coroutine)
  own.utf8 = copy(utf8, library.utf8)
  own.math = copy(math)
  own.math.randomseed = nil -- scripts share the numbers
  own._G, own.load = own, loader(own)
  local saltus_view = view()
  function own.require(name)
    if name == "saltus" then return saltus_view end
    error(("require %q: a script of this host has \"saltus\" only"):format(tostring(name)), 2)
  end
  return own
end

-- A script's chunk as the host calls it, with values of the host; returns its first result for the host.
function environment.for_host(chunk)
  return function(...) return border.unwrapped((chunk(border.outward_all(...)))) end
end

-- Runs a script in an environment of its own; returns its first result for the host.
function environment.run(text, name)
  local chunk, wrong = load(text, source_of(name), "t", environment.new())
  if not chunk then error(wrong, 0) end
  return environment.for_host(chunk)()
end

-- Loads what scripts use, so that it is not charged to them.
for _, name in ipairs(called) do local _ = saltus[name] end
local _ = saltus.blocks

-- Methods and arithmetic of strings.
local of_strings = core.getmetatable("")
for name, fn in pairs(of_strings) do if type(fn) == "function" then of_strings[name] = library.charged(fn) end end
of_strings.__index = library.string

return environment
