-- The columns of a log, for the log itself, for files and for plots: { name, unit, values, size, modes, held }; the
-- values of a vector are rows, tables of `size` numbers.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local log_columns = { GAP = 2 } -- the mark of the first row after a stop

-- ---- read-only views of recorded columns, without copies ----
--
-- Views have a length and [i], work with ipairs, pairs, table.concat and table.unpack, and are equal if their values
-- are.

local function value_at(column, i)
  local value = column.source[i]
  if value == nil then return nil end
  return column.read(value, i)
end

local function equal(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b or a ~= a and b ~= b end
  for i = 1, math.max(#a, #b) do if not equal(a[i], b[i]) then return false end end
  return true
end

-- The data of a view. Two views are equal if their values are, so that specs can compare the logs of two runs.
local Column = {}

function Column:__eq(other)
  if #self.source ~= #other.source then return false end
  for i = 1, #self.source do
    if not equal(value_at(self, i), value_at(other, i)) then return false end
  end
  return true
end

local Sequence = { __name = "saltus.sequence" }

function Sequence:__len() return #rawget(self, "column").source end

function Sequence:__index(i) return value_at(rawget(self, "column"), i) end

function Sequence:__eq(other) return rawget(self, "column") == rawget(other, "column") end

local function text_of(value)
  return type(value) == "table" and numerals.list("%s", value) or numerals.text(value)
end

-- { 1.0, 0.9, 0.8, ..., 0.1 }: a few values of many.
function Sequence:__tostring()
  local n, parts = #self, {}
  for i = 1, math.min(n, n > 6 and 3 or n) do parts[i] = text_of(self[i]) end
  if n > 6 then parts[4], parts[5] = "...", text_of(self[n]) end
  return ("{ %s } (%d)"):format(table.concat(parts, ", "), n)
end

function Sequence:__pairs() return ipairs(self) end

function Sequence.__newindex() names.fail "what a log recorded is read-only" end

local function make(source, read)
  return setmetatable({ column = setmetatable({ source = source, read = read }, Column) }, Sequence)
end

local function itself(value) return value end

function log_columns.view(source) return make(source, itself) end

-- A vector: the recorder has one column for each element, and [row] returns a table of their values.
function log_columns.rows(columns)
  return make(columns[1], function(_, row)
    local out = {}
    for k, column in ipairs(columns) do out[k] = column[row] end
    return out
  end)
end

-- The column of a mode: strings, even if the recorder has their numbers.
function log_columns.modes(source, values)
  return make(source, function(value)
    return type(value) == "number" and values[math.tointeger(value)] or value
  end)
end

-- ---- columns by name ----

-- The column of a name, also of an element of a logged vector: "r[2]"; nil if there is none.
function log_columns.find(self, name)
  local c = self.by_name[name]
  if c then return c end
  local whole, index = names.split_element(name)
  local vector = index and self.by_name[whole]
  if not vector or not vector.vector or index < 1 or index > vector.size then return nil end
  c = { name = name, unit = vector.unit, size = 1, held = vector.held, whole = vector, source = vector.source[index],
    before = vector.before and vector.before[index], after = vector.after and vector.after[index],
    values = log_columns.view(vector.source[index]) }
  self.by_name[name] = c
  return c
end

function log_columns.inner_of(self)
  local mt = getmetatable(self)
  if names.kind(self) ~= "log" then names.fail "call it as a method: log:csv(path)" end
  return mt.inner
end

-- The columns of the elements of a vector; for a number its own column.
function log_columns.elements(self, c)
  if not c.vector then return { c } end
  local out = {}
  for i = 1, c.size do out[i] = log_columns.find(log_columns.inner_of(self), ("%s[%d]"):format(c.name, i)) end
  return out
end

-- One column for each number: an element of a vector is a column.
function log_columns.flat(self)
  local out = {}
  for i, c in ipairs(log_columns.inner_of(self).columns) do out[i] = log_columns.elements(self, c) end
  return names.joined(table.unpack(out))
end

-- The column of a name or element; raises an error with the nearest name.
function log_columns.column(self, name)
  local found = type(name) == "string" and log_columns.find(log_columns.inner_of(self), name)
  if found then return found end
  return names.fail_unknown("name %s in this log", name, names.of(log_columns.inner_of(self).columns))
end

-- The events that fired, in the order of their first times: { name =, times = { ... } }.
function log_columns.events(self)
  local list, of = {}, {}
  for _, fired in ipairs(self.events) do
    if not of[fired.name] then
      of[fired.name] = { name = fired.name, times = {} }
      list[#list + 1] = of[fired.name]
    end
    table.insert(of[fired.name].times, fired.time)
  end
  return list
end

-- The value of a column at fraction `share` between a row and the next.
function log_columns.between(c, row, share)
  if share == 0 or c.held then return c.values[row] end
  if not c.vector then return c.source(row, share) end
  local out = {}
  for i = 1, c.size do out[i] = c.source[i](row, share) end
  return out
end

-- The value of a column on one side of a jump between two rows, "before" or "after".
function log_columns.at_jump(c, jump, side)
  local source = c[side]
  if c.modes then return c.modes[math.tointeger(source[jump])] end
  if not c.vector then return source[jump] end
  local out = {}
  for i = 1, c.size do out[i] = source[i][jump] end
  return out
end

return log_columns
