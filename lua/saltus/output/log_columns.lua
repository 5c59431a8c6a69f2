-- The columns of a log, for the log itself, for files and for plots: { name, unit, values, size, modes, held }; the
-- values of a vector are rows, tables of `size` numbers.
local column = require "saltus.output.column"
local names = require "saltus.util.identifiers"

local log_columns = {}

-- The column that a name means, with elements of logged vectors: "r[2]".
function log_columns.find(self, name)
  local c = self.by_name[name]
  if c then return c end
  local whole, index = name:match "^(.*)%[(%d+)%]$"
  local vector = whole and self.by_name[whole]
  index = math.tointeger(tonumber(index))
  if not vector or not vector.vector or index < 1 or index > vector.size then return nil end
  c = { name = name, unit = vector.unit, size = 1, held = vector.held,
    whole = vector, source = vector.source[index], values = column.view(vector.source[index]) }
  self.by_name[name] = c
  return c
end

function log_columns.inner_of(self)
  local mt = getmetatable(self)
  if names.kind(self) ~= "log" then names.fail "call it as a method: log:csv(path)" end
  return mt.inner
end

-- One column a number: vectors give one for each element.
function log_columns.flat(self)
  local inner, out = log_columns.inner_of(self), {}
  for _, c in ipairs(inner.columns) do
    if c.vector then
      for i = 1, c.size do out[#out + 1] = log_columns.find(inner, ("%s[%d]"):format(c.name, i)) end
    else
      out[#out + 1] = c
    end
  end
  return out
end

-- The column of a name or element; an error with the near name.
function log_columns.column(self, name)
  local found = type(name) == "string" and log_columns.find(log_columns.inner_of(self), name)
  if found then return found end
  local known = {}
  for i, c in ipairs(log_columns.inner_of(self).columns) do known[i] = c.name end
  return names.fail("%s", names.unknown("name %s in this log", name, known))
end

-- A column's value that share of the way from a row to the next.
function log_columns.between(c, row, share)
  if share == 0 or c.held then return c.values[row] end
  if not c.vector then return c.source(row, share) end
  local out = {}
  for i = 1, c.size do out[i] = c.source[i](row, share) end
  return out
end

return log_columns
