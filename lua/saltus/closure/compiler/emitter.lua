-- A program under construction: numbered places for doubles, the loads into them before a run, the stores from them
-- after it, the values that are fetched from Lua, and the code.
local core = require "saltus.core"
local types = require "saltus.closure.compiler.types"
local Writer = require "saltus.closure.source_writer"

local Emitter = {}
Emitter.__index = Emitter
Emitter.NEXT = core.constants.source.next

local getupvalue, constants = core.getupvalue, core.constants
local number_of, special = constants.partition, constants.argument
local MAX_PLACES = 20000
local MAX_CODE = 4000
local MAX_TABLES = constants.limit.tables
local MAX_STEPS = 60000 -- limit of instructions followed, which takes some tenths of a second

-- An error with the reason why a closure stays in Lua; Emitter.attempt catches it.
local Rejection = {}

function Emitter.reject(why) error(setmetatable({ why = why }, Rejection), 0) end

-- Returns fn(...), or nil and the reason if fn rejects the closure.
function Emitter.attempt(fn, ...)
  local ok, result = pcall(fn, ...)
  if ok then return result end
  if getmetatable(result) ~= Rejection then error(result, 0) end
  return nil, result.why
end

function Emitter.new(c)
  return setmetatable({ c = c, places = 0, place_of = {}, result_of = {}, read_of = {}, constants = {}, loads = {},
    stores = {}, nodes = {}, fetches = {}, fetch_of = {}, questions = {}, code = {}, texts = {},
    text_count = 0, steps = 0 }, Emitter)
end

-- Limits the work for functions that call one another many times.
function Emitter:count_step()
  self.steps = self.steps + 1
  if self.steps > MAX_STEPS then Emitter.reject "it is too long" end
end

function Emitter:room(size)
  local first = self.places
  self.places = first + size
  if self.places > MAX_PLACES then Emitter.reject "it needs too many places" end
  return first
end

-- The result of `make` for a key; `make` is called once for each key.
function Emitter:once(key, make)
  local place = self.place_of[key]
  if not place then
    place = make()
    self.place_of[key] = place
  end
  return place
end

function Emitter:constant(value)
  return self:once(("%q"):format(value + 0.0), function()
    local place = self:room(1)
    self.constants[#self.constants + 1] = { place, value + 0.0 }
    return place
  end)
end

-- The place of a string's number.
function Emitter:text(value)
  if not self.texts[value] then
    self.text_count = self.text_count + 1
    self.texts[value] = self.text_count
  end
  return self:constant(self.texts[value])
end

-- ---- loads and stores ----

-- The place of the first element of an entry of ctx.
function Emitter:read(e)
  return self:once(e.partition == "time" and "time" or e, function()
    local place, partition, at = self:room(e.size), Writer.place_of(e)
    self.loads[#self.loads + 1] = { partition, at, e.size, place, -1 }
    self.read_of[#self.read_of + 1] = e
    return place
  end)
end

function Emitter:read_count()
  return self:once("count", function()
    local place = self:room(1)
    self.loads[#self.loads + 1] = { special.count, 0, 1, place, -1 }
    return place
  end)
end

-- Declares a result. `starts_as_next`: its initial value is that in `next`.
function Emitter:result(e, starts_as_next)
  local place = self:room(e.size)
  local partition, at = number_of[e.partition] or 0, e.offset or 0
  self.stores[#self.stores + 1] = { partition, at, e.size, place, 0 }
  if starts_as_next then self.loads[#self.loads + 1] = { partition, at, e.size, place, Emitter.NEXT } end
  self.result_of[e.name] = { e = e, place = place }
  return place
end

-- Marks the results that may not be written: all except the places in `set`.
function Emitter:mark_maybe_unset(set)
  for _, store in ipairs(self.stores) do
    for place = store[4], store[4] + store[3] - 1 do if not set[place] then store[5] = 1 end end
  end
end

-- ---- values from Lua ----

local hidden = setmetatable({}, { __name = "value behind a metatable" })

-- A field with Lua's rules for metatables. An __index function is called for `math` only, which environments have.
local function field_of(of, key)
  for _ = 1, MAX_TABLES do
    local value, meta = rawget(of, key), core.getmetatable(of)
    if value ~= nil or not meta then return value end
    local index = rawget(meta, "__index")
    if index == nil then return nil end
    if type(index) ~= "table" then
      local ok, found = pcall(function() return key == "math" and of[key] end)
      return ok and rawequal(found, math) and math or hidden
    end
    of = index
  end
  return hidden
end

-- The value of a node: field `key` of a table, or upvalue number `key` of function `fn` or of the parent.
function Emitter.behind(fn, parent, key)
  if parent and type(parent.value) == "table" then return field_of(parent.value, key) end
  local _, value = getupvalue(parent and parent.value or fn, key)
  return value
end

function Emitter:fetch(parent, key)
  local of = self.fetch_of[parent or false] or {}
  self.fetch_of[parent or false] = of
  if not of[key] then
    local value = Emitter.behind(self.c.fn, parent, key)
    if rawequal(value, hidden) then Emitter.reject "it reads through a metatable" end
    of[key] = { parent = parent, key = key, value = value, table = type(value) == "table" }
    self.nodes[#self.nodes + 1] = of[key]
  end
  return of[key]
end

-- Fetches a node before each run, after its parents. `as`: the type that a run must find there, or "same", the same
-- value, or "equal", the same number.
function Emitter:want(node, as)
  if node.number then return end
  if node.parent then self:want(node.parent, node.parent.table and "table" or "same") end
  self.fetches[#self.fetches + 1] = node
  node.number, node.as = #self.fetches, as
  if as == "number" or as == "boolean" then node.place = self:room(1) end
  if as == "equal" then node.place = self:constant(node.value) end
end

-- The truth of a kind; nil if it is known only in a run. Runs check that a table is still a table.
function Emitter:truth(kind)
  if types.is(kind, "table") or types.is(kind, "math") then self:want(kind.node, "table") end
  if kind == "boolean" then return nil end
  return kind ~= "nil"
end

-- ---- questions to the engine ----

-- The number of the query for `past`, which has this index in the system.
function Emitter:question(index, past, rate, absolute)
  return self:once(("past %d %s %s"):format(index, rate, absolute), function()
    self.questions[#self.questions + 1] = { past = index, name = past.name, rate = rate, absolute = absolute }
    return #self.questions - 1
  end)
end

-- ---- code ----

function Emitter:emit(op, a, b, c, d)
  local code = self.code
  if #code >= MAX_CODE then Emitter.reject "it is too long" end
  code[#code + 1] = { op = op, a = a or 0, b = b or 0, c = c or 0, d = d or 0 }
end

-- A label is any value.
function Emitter:jump(op, label, a, b)
  self:emit(op, a, b)
  self.code[#self.code].to = label
end

function Emitter:label(label) self.code[#self.code + 1] = { op = "LABEL", to = label } end

return Emitter
