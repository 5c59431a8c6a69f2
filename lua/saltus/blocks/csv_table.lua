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
  local file, missing = files.open(path, "r")
  if not file then names.fail("%s: %s", who, missing) end
  local lines, at = {}, 0
  local line, why = file:read "l"
  while line do
    at = at + 1
    line = line:gsub("^\xEF\xBB\xBF", ""):gsub("\r$", "")
    if line:find "%S" then lines[#lines + 1] = { text = line, at = at } end
    line, why = file:read "l"
  end
  file:close()
  names.fail_if(why, "%s: %s cannot be read: %s", who, path, why)
  return lines
end

local function numbers_of(line, separator, count, path, who)
  local row = cells_of(line.text, separator)
  names.fail_if(#row ~= count, "%s: %s:%d has %d columns, the first line has %d", who, path, line.at, #row, count)
  for k, cell in ipairs(row) do
    row[k] = numerals.parse(cell)
    names.fail_if(not row[k] or row[k] ~= row[k], "%s: %s:%d: '%s' is not a number", who, path, line.at, cell)
  end
  return row
end

-- "height [m]" as "height".
local function header_of(cells)
  for k, cell in ipairs(cells) do cells[k] = cell:gsub("%s*%[.*%]$", "") end
  return cells
end

-- The number of the wanted column.
local function column_of(header, wanted, path, who)
  local known = table.move(header, 2, #header, 1, {})
  if wanted then
    local k = names.index_of(known, wanted)
    return k and k + 1 or names.fail_unknown(("column %%s of %s"):format(path), wanted, known, who)
  end
  names.fail_if(#known ~= 1, "%s: %s has %d columns besides the time; choose one with column = \"%s\"", who, path,
    #known, known[1] or "name")
  return 2
end

-- Returns times and values of a column; without `wanted`, of the only one besides the time.
function csv_table.read(path, wanted, who)
  local lines, times, values = lines_of(path, who), {}, {}
  names.fail_if(not lines[1], "%s: %s is empty", who, path)
  local separator = separator_of(lines[1].text)
  local header = header_of(cells_of(lines[1].text, separator))
  names.fail_if(numerals.parse(header[1]), "%s: %s:%d has numbers; the first line must have names", who, path,
    lines[1].at)
  local column = column_of(header, wanted, path, who)
  for i = 2, #lines do
    local row = numbers_of(lines[i], separator, #header, path, who)
    names.fail_if(i > 2 and row[1] <= times[#times],
      "%s: %s:%d: times must increase, got %.17g after %.17g", who, path, lines[i].at, row[1], times[#times])
    times[i - 1], values[i - 1] = row[1], row[column]
  end
  return times, values
end

return csv_table
