-- The border between scripts in a sandbox and saltus. Objects of saltus, such as simulators, stay inside: scripts hold
-- proxies, which read fields and call methods, and cannot be changed otherwise. Plain tables are copied both ways.
-- Functions are called across. So scripts never hold a table that another script uses.
local core = require "saltus.core"
local names = require "saltus.util.names"

local border = {}

local is_own = core.sandbox_library().is_own -- a table without a metatable, or with one that a script has set

-- Each entry is reachable from its key alone: the collector takes the square of a chain from entry to entry.
local weak = { __mode = "k" }
local proxy_of = setmetatable({}, weak)
local original_of, shown_of = setmetatable({}, weak), setmetatable({}, weak) -- functions of saltus, as scripts see them
local adapter_of = setmetatable({}, weak) -- functions of scripts, as saltus calls them

-- Fields that only saltus itself uses.
local hidden = { core = true, inner = true, model = true, closure = true, needed = true, given = true }

-- Userdata that scripts may use: the columns of logs, delay buffers, and stories.
local readable = { ["saltus.core.column"] = true, ["saltus.core.delay_buffer"] = true, ["saltus.story"] = true }

local inward, outward

local function each(convert, ...)
  local out = table.pack(...)
  for i = 1, out.n do out[i] = convert(out[i]) end
  return table.unpack(out, 1, out.n)
end

local function finish(ok, ...)
  if ok then return each(outward, ...) end
  error(outward((...)), 0)
end

-- A function of saltus, as scripts see it. `closures`: functions among its arguments are called as they are, because
-- what saltus passes to them is made for them: ctx, dot, next, event.
function border.shown(fn, closures)
  if adapter_of[fn] then return fn end
  if not shown_of[fn] then
    local function convert(value) return inward(value, closures) end
    shown_of[fn] = function(...) return finish(pcall(fn, each(convert, ...))) end
    original_of[shown_of[fn]] = fn
  end
  return shown_of[fn]
end

-- An argument of a function of a script. It may write to a list of numbers, as to the rates of an integrator.
local function lent(value)
  if type(value) ~= "table" or core.getmetatable(value) then return outward(value) end
  for _, item in next, value do if type(item) ~= "number" and item then return outward(value) end end
  return value
end

-- A function of a script, as saltus calls it.
local function adapter(fn)
  if original_of[fn] then return original_of[fn] end
  if not adapter_of[fn] then
    adapter_of[fn] = function(...) return each(inward, fn(each(lent, ...))) end
    original_of[adapter_of[fn]] = fn
  end
  return adapter_of[fn]
end

-- ---- proxies ----

local Proxy = { __metatable = false }

local OBJECT = {} -- the key of a proxy's object; no script has it

-- Returns the object of a proxy; nil for another table.
local function object_of(value) return core.getmetatable(value) == Proxy and rawget(value, OBJECT) or nil end

function Proxy:__index(key)
  if hidden[key] then names.fail("%q is not for scripts", key) end
  return outward(self[OBJECT][inward(key)])
end

-- What the object does with a new field, it does with every field: a script cannot replace one that it has.
function Proxy:__newindex(key, value)
  local object = self[OBJECT]
  local set = rawget(core.getmetatable(object), "__newindex")
  if hidden[key] or not set then names.fail "a script cannot change this" end
  set(object, inward(key), inward(value))
end

function Proxy:__call(...)
  local object = self[OBJECT]
  if not rawget(core.getmetatable(object), "__call") then names.fail "this cannot be called" end
  return each(outward, object(each(inward, ...)))
end

function Proxy:__len() return #self[OBJECT] end

function Proxy:__tostring() return tostring(self[OBJECT]) end

function Proxy:__pairs()
  local object = self[OBJECT]
  local meta = core.getmetatable(object)
  if not rawget(meta, "__pairs") then names.fail "this has no fields to go through" end
  local step, state, first = pairs(object)
  return function(_, key) return each(outward, step(state, inward(key))) end, nil, outward(first)
end

local function proxy(object)
  if not proxy_of[object] then
    proxy_of[object] = setmetatable({ [OBJECT] = object }, Proxy)
  end
  return proxy_of[object]
end

-- ---- values ----

local function copied(value, convert, seen)
  if seen[value] then return seen[value] end
  local out = {}
  seen[value] = out
  for key, item in next, value do out[convert(key, seen)] = convert(item, seen) end
  return out
end

local function outward_userdata(value)
  local meta = core.getmetatable(value)
  if not (meta and readable[rawget(meta, "__name")]) then names.fail "this is not for scripts" end
  return proxy(value)
end

function outward(value, seen)
  local kind = type(value)
  if kind == "function" then return border.shown(value) end
  if kind == "userdata" then return outward_userdata(value) end
  if kind ~= "table" or object_of(value) then return value end
  local meta = core.getmetatable(value)
  if not meta then return copied(value, outward, seen or {}) end
  return is_own(value) and value or proxy(value)
end

-- `closures`: functions remain as they are.
local function inward_with(closures)
  local function convert(value, seen)
    local kind = type(value)
    if kind == "function" then return original_of[value] or (closures and value or adapter(value)) end
    if kind ~= "table" then return value end
    if object_of(value) then return object_of(value) end
    return is_own(value) and copied(value, convert, seen or {}) or value
  end
  return convert
end

local inward_closures, inward_calls = inward_with(true), inward_with(false)

function inward(value, closures)
  if closures == true then return inward_closures(value) end
  return inward_calls(value)
end

-- Values of saltus for scripts, and a value of a script for the host, whose functions the host calls as they are.
border.outward = outward
function border.outward_all(...) return each(outward, ...) end
function border.unwrapped(value) return inward_closures(value) end

return border
