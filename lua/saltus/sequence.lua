-- Read-only views of recorded columns: they have a length, answer [i], and work
-- with ipairs, pairs, table.concat and table.unpack. Nothing is copied.
local names = require "saltus.names"

local sequence = {}

local Sequence = { __name = "saltus.sequence" }

function Sequence:__len() return #rawget(self, "source") end

function Sequence:__index(i)
  local value = rawget(self, "source")[i]
  if value == nil then return nil end
  return rawget(self, "read")(value, i)
end

function Sequence:__pairs() return ipairs(self) end

function Sequence.__newindex() names.fail "what a log recorded is read-only" end

local function make(source, read) return setmetatable({ source = source, read = read }, Sequence) end

local function itself(value) return value end

function sequence.view(source) return make(source, itself) end

-- A vector: the recorder keeps one column an element, and [row] answers a table of their values there.
function sequence.rows(columns)
  return make(columns[1], function(_, row)
    local out = {}
    for k, column in ipairs(columns) do out[k] = column[row] end
    return out
  end)
end

-- A mode's column: strings, whether the recorder keeps them or their numbers.
function sequence.modes(source, values)
  return make(source, function(value)
    return type(value) == "number" and values[math.tointeger(value)] or value
  end)
end

-- A copy as a plain table.
function sequence.copy(source)
  local out = {}
  for i = 1, #source do out[i] = source[i] end
  return out
end

return sequence
