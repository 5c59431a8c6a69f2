-- Tables from CSV files, for time tables: a header of names, with units in brackets or not, then rows of numbers. The
-- first column is the time. Commas, semicolons or tabs separate the columns.
local files = require "saltus.util.files"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local csv_table = {}

local function cells_of(line, separator)
  local cells = {}
  for cell in (line .. separator):gmatch("([^" .. separator .. "]*)" .. separator) do
    cells[#cells + 1] = cell:gsub('^%s*"?', ""):gsub('"?%s*$', "")
  end
  return cells
end

local function separator_of(line)
  return line:find(";", 1, true) and ";" or line:find("\t", 1, true) and "\t" or ","
end

-- The lines with text, and their numbers in the file.
local function lines_of(path, who)
  local text, why = files.read(path)
  if not text then names.fail("%s: %s", who, why) end
  local lines, at = {}, 0
  for line in text:gmatch "[^\n]*" do
    at = at + 1
    line = line:gsub("^\xEF\xBB\xBF", ""):gsub("\r$", "")
    if line:find "%S" then lines[#lines + 1] = { text = line, at = at } end
  end
  return lines
end

local function cells_at(line, separator, count, path, who)
  local cells = cells_of(line.text, separator)
  names.fail_if(#cells ~= count, "%s: %s:%d has %d columns, the first line has %d", who, path, line.at, #cells, count)
  return cells
end

local function number_of(cell, line, path, who)
  local number = numerals.parse(cell)
  names.fail_if(not numerals.is_finite(number), "%s: %s:%d: '%s' is %s", who, path, line.at, cell,
    number and "too large" or "not a number")
  return number
end

-- A number, or the word of a mode, before which a log may have written an apostrophe.
local function value_of(cell) return numerals.parse(cell) or cell:gsub("^'", "") end

-- "height [m]" and "height[m]" as "height", but "r[2]" and "r[2] [m]" as "r[2]".
local function header_of(cells)
  for k, cell in ipairs(cells) do cells[k] = cell:gsub("%s+%[[^%[]*%]$", ""):gsub("%[[^%[%]%d][^%[%]]*%]$", "") end
  return cells
end

-- A file: its lines, the separator, and the names of its columns.
local function opened(path, who)
  local lines = lines_of(path, who)
  names.fail_if(not lines[1], "%s: %s is empty", who, path)
  local separator = separator_of(lines[1].text)
  local header = header_of(cells_of(lines[1].text, separator))
  names.fail_if(numerals.parse(header[1]), "%s: %s:%d has numbers; the first line must have names", who, path,
    lines[1].at)
  return lines, separator, header
end

-- The number of the wanted column.
local function column_of(header, wanted, path, who)
  local known = table.move(header, 2, #header, 1, {})
  if wanted then
    local k = names.index_of(known, wanted)
    return k and k + 1 or names.fail_unknown(("column %%s of %s"):format(path), wanted, known, who)
  end
  names.fail_if(#known == 0, "%s: %s has no column besides the time", who, path)
  names.fail_if(#known ~= 1, "%s: %s has %d columns besides the time; choose one with column = \"%s\"", who, path,
    #known, known[1])
  return 2
end

-- Returns times and numbers of a column; without `wanted`, of the only one besides the time.
function csv_table.read(path, wanted, who)
  local lines, separator, header = opened(path, who)
  local times, values, column = {}, {}, column_of(header, wanted, path, who)
  names.fail_if(#lines < 3, "%s: %s needs two times or more below the line of names", who, path)
  for i = 2, #lines do
    local cells = cells_at(lines[i], separator, #header, path, who)
    local t = number_of(cells[1], lines[i], path, who)
    names.fail_if(i > 2 and t <= times[#times], "%s: %s:%d: times must increase, got %.17g after %.17g", who, path,
      lines[i].at, t, times[#times])
    times[i - 1], values[i - 1] = t, number_of(cells[column], lines[i], path, who)
  end
  return times, values
end

-- Returns { time = { ... }, height = { ... } } of the wanted columns, or of all: numbers and words. A jump has two rows
-- of the same time.
function csv_table.samples(path, wanted, who)
  local lines, separator, header = opened(path, who)
  wanted = wanted or table.move(header, 2, #header, 1, {})
  local out, columns = { time = {} }, names.map(wanted, function(name) return column_of(header, name, path, who) end)
  for _, name in ipairs(wanted) do out[name] = {} end
  for i = 2, #lines do
    local cells = cells_at(lines[i], separator, #header, path, who)
    out.time[i - 1] = number_of(cells[1], lines[i], path, who)
    for k, name in ipairs(wanted) do out[name][i - 1] = value_of(cells[columns[k]]) end
  end
  return out
end

return csv_table
