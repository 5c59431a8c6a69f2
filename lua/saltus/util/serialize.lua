-- Plain data as bytes and back. The engine stores abstract state as a string, so that clones, rollback and saves need
-- no Lua. Equal data has equal bytes: the keys of a table are written in order.
local serialize = {}

local pack, unpack, byte, kind_of = string.pack, string.unpack, string.byte, math.type

local order = { number = 1, string = 2, boolean = 3 }

local function before(a, b)
  local ta, tb = type(a), type(b)
  if ta ~= tb then return order[ta] < order[tb] end
  if ta == "boolean" then return not a and b end
  return a < b
end

local write

-- The data of a read-only view.
local function thawed(value)
  local mt = getmetatable(value)
  return type(mt) == "table" and rawget(mt, "readonly_of") or value
end

local MAX_NESTING = require("saltus.core").constants.limit.nesting -- of tables in tables

local function enter(value, seen)
  if seen[value] then error("abstract state cannot hold a table that holds itself", 0) end
  if seen.depth == MAX_NESTING then
    error(("abstract state cannot hold tables nested deeper than %d; a long chain is better a list"):format(
      MAX_NESTING), 0)
  end
  seen[value] = true
  seen.depth = seen.depth + 1
end

local function leave(value, seen)
  seen[value] = nil
  seen.depth = seen.depth - 1
end

-- The keys of a table in order. Those of a list come in order.
local function keys_of(value)
  local keys, n, is_list = {}, 0, true
  for key in next, value do
    n = n + 1
    if key ~= n then
      is_list = false
      if not order[type(key)] then error(("abstract state cannot have a %s as a key"):format(type(key)), 0) end
    end
    keys[n] = key
  end
  if not is_list then table.sort(keys, before) end
  return keys, n
end

-- Lists of numbers, such as the samples of a filter, take half the time because an item is one call of pack.
local function write_table(value, out, seen)
  value = thawed(value)
  enter(value, seen)
  local keys, n = keys_of(value)
  out[#out + 1] = pack("<c1I4", "t", n)
  for i = 1, n do
    local key = keys[i]
    local item = value[key]
    if kind_of(item) == "float" and kind_of(key) == "integer" then
      out[#out + 1] = pack("<c1i8c1d", "i", key, "f", item)
    else
      write(key, out, seen)
      write(item, out, seen)
    end
  end
  leave(value, seen)
end

local packed = {
  float = function(value) return pack("<c1d", "f", value) end,
  integer = function(value) return pack("<c1i8", "i", value) end,
  string = function(value) return pack("<c1s4", "s", value) end,
  boolean = function(value) return value and "1" or "0" end,
  ["nil"] = function() return "n" end,
}

function write(value, out, seen)
  local kind = math.type(value) or type(value)
  if kind == "table" then return write_table(value, out, seen) end
  if not packed[kind] then
    error(("abstract state holds plain data only (numbers, strings, booleans, tables), found a %s"):format(kind), 0)
  end
  out[#out + 1] = packed[kind](value)
end

function serialize.encode(value)
  local out = {}
  write(value, out, { depth = 0 })
  return table.concat(out)
end

local read

local INTEGER, FLOAT = byte "i", byte "f"

local readers = {
  f = function(bytes, at) return unpack("<d", bytes, at) end,
  i = function(bytes, at) return unpack("<i8", bytes, at) end,
  s = function(bytes, at) return unpack("<s4", bytes, at) end,
  ["1"] = function(_, at) return true, at end,
  ["0"] = function(_, at) return false, at end,
  n = function(_, at) return nil, at end,
  t = function(bytes, at)
    local count, first = unpack("<I4", bytes, at)
    local out = {}
    at = first
    for _ = 1, count do
      local key, value
      if byte(bytes, at) == INTEGER and byte(bytes, at + 9) == FLOAT then
        key, value, at = unpack("<i8xd", bytes, at + 1)
      else
        key, at = read(bytes, at)
        value, at = read(bytes, at)
      end
      out[key] = value
    end
    return out, at
  end,
}

function read(bytes, at)
  return readers[bytes:sub(at, at)](bytes, at + 1)
end

function serialize.decode(bytes)
  return (read(bytes, 1))
end


return serialize
