-- A log as .npz, the archive of arrays that numpy.load reads: a zip file of .npy files (format version 1.0) without
-- compression.
--
-- Arrays: time, one for each logged name (n x size for vectors, text for modes),
-- event_time and event_name.
local names = require "saltus.util.names"
local log_columns = require "saltus.output.log_columns"
local whole_file = require "saltus.util.whole_file"

local npz = {}

local crc_table

local function make_crc_table()
  crc_table = {}
  for i = 0, 255 do
    local c = i
    for _ = 1, 8 do c = c & 1 == 1 and 0xEDB88320 ~ c >> 1 or c >> 1 end
    crc_table[i] = c
  end
end

local function crc32(data)
  if not crc_table then make_crc_table() end
  local c = 0xFFFFFFFF
  for i = 1, #data do c = crc_table[(c ~ data:byte(i)) & 0xFF] ~ c >> 8 end
  return c ~ 0xFFFFFFFF
end

-- The header is padded, so that the data begins at a multiple of 64 bytes.
local function npy(descr, shape, data)
  local header = ("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"):format(descr, shape)
  header = header .. (" "):rep((64 - (10 + #header + 1) % 64) % 64) .. "\n"
  return "\x93NUMPY\1\0" .. string.pack("<I2", #header) .. header .. data
end

local function numbers(values, size)
  local parts = {}
  for i = 1, #values do
    local value = values[i]
    if size then
      for k = 1, size do parts[#parts + 1] = string.pack("<d", value[k]) end
    else
      parts[#parts + 1] = string.pack("<d", value)
    end
  end
  local shape = size and ("%d, %d"):format(#values, size) or ("%d,"):format(#values)
  return npy("<f8", shape, table.concat(parts))
end

-- Text of NumPy: all items are as wide as the widest, with 4 bytes for each character.
local function texts(values)
  local width, parts = 1, {}
  for i = 1, #values do width = math.max(width, utf8.len(values[i]) or #values[i]) end
  for i = 1, #values do
    local n = 0
    for _, code in utf8.codes(values[i], true) do
      parts[#parts + 1] = string.pack("<I4", code)
      n = n + 1
    end
    parts[#parts + 1] = ("\0"):rep(4 * (width - n))
  end
  return npy("<U" .. width, ("%d,"):format(#values), table.concat(parts))
end

local function members_of(self)
  local members = { { "time", numbers(self.time) } }
  for _, c in ipairs(log_columns.inner_of(self).columns) do
    members[#members + 1] = { c.name, c.modes and texts(c.values) or numbers(c.values, c.vector and c.size) }
  end
  local event_time, event_name = {}, {}
  for i, e in ipairs(self.events) do event_time[i], event_name[i] = e.time, e.name end
  members[#members + 1] = { "event_time", numbers(event_time) }
  members[#members + 1] = { "event_name", texts(event_name) }
  return members
end

-- Zip: a local header before each member, then the directory. The date is always 1980-01-01, the earliest of the
-- format, so that equal logs give equal files.
local function write_zip(put, members)
  local directory, offset = {}, 0
  for i, member in ipairs(members) do
    local name, data = member[1] .. ".npy", member[2]
    local common = string.pack("<I2I2I2I2I2I4I4I4I2I2", 20, 0x800, 0, 0, 0x21, crc32(data), #data, #data, #name, 0)
    put("PK\3\4", common, name, data)
    local place = string.pack("<I2I2I2I4I4", 0, 0, 0, 0, offset)
    directory[i] = "PK\1\2" .. string.pack("<I2", 20) .. common .. place .. name
    offset = offset + 30 + #name + #data
  end
  local all = table.concat(directory)
  put(all, "PK\5\6", string.pack("<I2I2I2I2I4I4I2", 0, 0, #members, #members, #all, offset, 0))
end

function npz.write(self, path)
  local members = members_of(self)
  local bytes = 0
  for _, member in ipairs(members) do bytes = bytes + #member[2] end
  if bytes > 0xF0000000 then names.fail("log:npz: more than 4 GB do not fit into this format; use csv") end
  whole_file.write(path, "log:npz", function(put) write_zip(put, members) end)
end

return npz
