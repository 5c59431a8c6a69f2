-- The lines of an adapter's source for vectors, and for the residuals of constraints: methods of source_writer.lua.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local Vectors = {}

-- All elements exist, as numbers or false, so __newindex is called for other keys only.
local function bounded(c, e, list)
  return setmetatable(list, { __newindex = function(_, key, value)
    if math.type(key) ~= "integer" or key < 1 or key > e.size then
      error(("%s has %s[1] to [%d], not [%s]"):format(c.label, e.name, e.size, numerals.text(key)), 2)
    end
    rawset(list, key, value) -- it was set to nil before
  end })
end

-- The table of a vector.
local function vector_table(c, e, what)
  local key = what .. e.name
  if not c.tables[key] then
    local list = {}
    for i = 1, e.size do list[i] = 0.0 end
    c.tables[key] = { list = bounded(c, e, list) }
  end
  return c.tables[key]
end

local function is_lent(c) return not c.event end

local function copy(list) return { table.unpack(list, 1, #list) } end

local function reject(...) require("saltus.closure.diagnostics").reject(...) end

-- Checks a vector that a closure assigned whole or returned, and copies its elements into `own`.
local function take_vector(ctx, e, value, own)
  local c = getmetatable(ctx).closure
  if type(value) ~= "table" and getmetatable(value) == nil then
    reject(c, "sets %q to %s; it has %d elements", e.name, names.show(value), e.size)
  end
  for i = 1, e.size do
    if type(value[i]) ~= "number" then
      reject(c, "sets %s[%d] to %s; it must be a number", e.name, i, names.show(value[i]))
    end
  end
  if rawlen(value) > e.size then reject(c, "sets %q to a list of %d; it has %d elements", e.name, #value, e.size) end
  if getmetatable(value) == nil and next(value, e.size) ~= nil then -- the last element may not be the last key
    for key in pairs(value) do
      if math.type(key) ~= "integer" or key < 1 or key > e.size then
        reject(c, "sets %s[%s]; it has [1] to [%d]", e.name, numerals.text(key), e.size)
      end
    end
  end
  for i = 1, e.size do own[i] = value[i] end
end

-- The table into which the engine puts a vector.
function Vectors:filled(e)
  local own = vector_table(self.c, e, "ctx.")
  own.at = own.at or self.c.core:anchor_table(own.list)
  local partition, at = self.place_of(e)
  self:argument(partition, at, e.size, own.at)
  return self:upvalue(own.list)
end

function Vectors:read_vector(e)
  local value = self:filled(e)
  if not is_lent(self.c) then
    self:line(self.before, "local c_%s = %s(%s)", e.name, self:upvalue(copy), value)
    value = "c_" .. e.name
  end
  self:line(self.before, "ctx.%s = %s", e.name, value)
  self:check(e, "ctx." .. e.name, value)
end

function Vectors:derivative_vector(e)
  local v = self:upvalue(vector_table(self.c, e, "dot.").list)
  self:line(self.before, "target.%s = %s", e.name, v)
  self:line(self.clears, "for i = 1, %d do %s[i] = false end", e.size, v)
  self:line(self.after, "if target.%s ~= %s then %s end", e.name, v, self:checked_copy(e, "target." .. e.name, v))
  self:return_table(e, v)
end

-- The call that checks a vector which the closure made, and copies its elements into the table `own`.
function Vectors:checked_copy(e, made, own)
  return ("%s(ctx, %s, %s, %s)"):format(self:upvalue(take_vector), self:upvalue(e), made, own)
end

function Vectors:return_vector(e, made)
  local own = self:upvalue(vector_table(self.c, e, "own.").list)
  self:line(self.after, self:checked_copy(e, made, own))
  self:return_table(e, own)
end

function Vectors:return_table(e, list)
  self:result(e, e.size, true)
  self.returns[#self.returns + 1] = list
end

-- The table with a state's present value, which the closure changes.
function Vectors:offered_vector(e)
  local value = self:upvalue(vector_table(self.c, e, "dot.").list)
  self:line(self.before, "for i, x in ipairs(%s) do %s[i] = x end", self:filled(e), value)
  return value
end

function Vectors:residual(e)
  self:line(self.clears, "for i = 1, %d do target[i] = false end", e.size)
  self:return_table(e, "target")
end

return Vectors
