-- The file of failing cases: a line of CSV for each, with the property, the seed, and names and values in turn. It
-- stands beside the spec, and the cases of a property are tried first.
--
--   acc: always gap > -23.1,0,brake1,8,len1,4
local files = require "saltus.util.files"
local getinfo = require("saltus.core").getinfo
local names = require "saltus.util.names"
local rows = require "saltus.sweep.rows"
local whole_file = require "saltus.util.whole_file"

local failure_file = {}

local HEAD = "# Failing cases: property, seed, name, value, ... saltus.forall tries them first; delete old ones."
local MOST = 20 -- cases of a property; the oldest ones go

-- Beside the spec that calls: "spec/tank_spec.lua" has "spec/tank_spec.failing"; nil where no spec calls.
function failure_file.beside_spec()
  for level = 2, math.huge do
    local info = getinfo(level, "S")
    local stem = info and info.source:match "^@(.*_spec)%.lua$"
    if stem or not info then return stem and stem .. ".failing" end
  end
end

-- A property's name as the file has it: one line, no byte that a terminal executes.
local function name_of(property) return (names.visible(property):gsub("[\r\n]+", " "):gsub("^#", "\\#")) end

local function case_of(path, number, line)
  local cells = rows.split(line)
  local seed = math.tointeger(rows.number(cells[2] or ""))
  names.fail_if(not seed or #cells % 2 == 1, "%s:%d: a line is property,seed,name,value,...; mend it or delete it",
    path, number)
  local case = { seed = seed, values = {} }
  for i = 3, #cells, 2 do case.values[rows.text(cells[i])] = rows.value(cells[i + 1]) end
  return rows.text(cells[1]), case
end

local function lines_of(path)
  local out = {}
  if not files.exists(path) then return out end
  local text, why = files.read(path)
  if not text then names.fail("saltus.forall: cannot read %s", why) end
  for line in text:gmatch "([^\r\n]*)\r?\n?" do out[#out + 1] = line end
  return out
end

-- The cases { seed =, values = by name } of a property, the newest first.
function failure_file.read(path, property)
  local out, wanted = {}, name_of(property)
  for number, line in ipairs(lines_of(path)) do
    if line:find "%S" and line:sub(1, 1) ~= "#" then
      local name, case = case_of(path, number, line)
      if name == wanted then table.insert(out, 1, case) end
    end
  end
  return out
end

local function line_of(property, seed, list, values)
  local cells = { name_of(property), seed }
  for i, one in ipairs(list) do
    cells[#cells + 1], cells[#cells + 2] = one.name, values[i]
  end
  return (rows.line(cells):gsub("\n$", ""))
end

local function property_of(line) return line:sub(1, 1) ~= "#" and rows.split(line)[1] or nil end

-- The lines of a file with one more at the end, and the newest of its property.
local function with_line(lines, line)
  local out, count = { line }, 1
  for i = #lines, 1, -1 do
    local is_same = property_of(lines[i]) == property_of(line)
    if is_same then count = count + 1 end
    if lines[i] ~= line and lines[i] ~= HEAD and not (is_same and count > MOST) then table.insert(out, 1, lines[i]) end
  end
  return out
end

-- Adds a case. Returns whether the file could be written.
function failure_file.add(path, property, seed, list, values)
  local lines = with_line(lines_of(path), line_of(property, seed, list, values))
  return (pcall(whole_file.write, path, "saltus.forall", function(put)
    put(HEAD, "\n", table.concat(lines, "\n"), "\n")
  end))
end

return failure_file
