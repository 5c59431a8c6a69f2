-- Read-only views of recorded columns: they have a length, answer [i], work with ipairs, pairs, table.concat and
-- table.unpack, and are equal when their values are. Nothing is copied.
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"

local column_view = {}

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

-- What stands behind a view. It is equal to another of the same values, so that specs can compare what two runs logged.
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
  if type(value) ~= "table" then return numerals.text(value) end
  local parts = {}
  for i, v in ipairs(value) do parts[i] = numerals.text(v) end
  return "{ " .. table.concat(parts, ", ") .. " }"
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

function column_view.view(source) return make(source, itself) end

-- A vector: the recorder keeps one column an element, and [row] returns a table of their values there.
function column_view.rows(columns)
  return make(columns[1], function(_, row)
    local out = {}
    for k, column in ipairs(columns) do out[k] = column[row] end
    return out
  end)
end

-- A mode's column: strings, whether the recorder keeps them or their numbers.
function column_view.modes(source, values)
  return make(source, function(value)
    return type(value) == "number" and values[math.tointeger(value)] or value
  end)
end

-- A copy as a plain table.
function column_view.copy(source)
  local out = {}
  for i = 1, #source do out[i] = source[i] end
  return out
end

return column_view
