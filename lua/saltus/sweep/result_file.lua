-- The CSV file of a sweep, which is also its checkpoint: a comment line that says what was run, the names of the
-- columns, and one row for each run. Rows that stand in the file are not run again. "-" is standard output.
local files = require "saltus.util.files"
local names = require "saltus.util.names"
local rows = require "saltus.sweep.rows"
local whole_file = require "saltus.util.whole_file"

local result_file = {}

local csv_write = require("saltus.core").csv_write
local BUFFER = 1 << 16 -- bytes; the sweep flushes the file some times a second

local File = {}
File.__index = File

-- ---- reading ----

-- The whole lines of a file, and whether it ends with one: the beginning of a row that was being written is left out.
-- nil and the reason.
local function whole_lines(path)
  local text, why = files.read(path)
  if not text then return nil, why end
  local list = {}
  for line in text:gmatch "([^\n]*)\n" do list[#list + 1] = line:gsub("\r$", "") end
  return list, #text == 0 or text:sub(-1) == "\n"
end

-- One row by column, of texts.
local function by_name(header, cells)
  local row = {}
  for i, name in ipairs(header) do row[name] = cells[i] or "" end
  return row
end

-- A run that stands there twice counts once.
local function add_row(found, row)
  local k = math.tointeger(tonumber(row.run))
  if not k or found.known[k] then
    found.has_more = true
    return
  end
  row.number, found.known[k] = k, true
  found.rows[#found.rows + 1] = row
end

-- Rows of runs that succeeded must have the same columns: each shard takes those of its own first run.
local function check_columns(found, row, header, path)
  if row.status == "failed" then return end
  found.measured = found.measured or header
  local first, own = table.concat(found.measured, ","), table.concat(header, ",")
  names.fail_if(first ~= own, '%s: joined files have different columns: "%s" and "%s"; let measure return the same '
    .. "names in all runs, and run the sweep again", path, first, own)
end

-- Reads a file, or several of one sweep that were joined: { header =, rows = { { run = "1", ... }, ... }, whole = }.
-- check(card): raises an error if the card is of another sweep.
local function read(path, check)
  local lines, whole = whole_lines(path)
  if not lines then names.fail("%s", whole) end
  local found, header = { rows = {}, known = {}, whole = whole, headers = 0,
    lines = #lines }, nil
  for _, line in ipairs(lines) do
    if line:sub(1, 2) == "# " then
      check(line:sub(3))
      found.carded = true
    elseif line:sub(1, 9) == "run,seed," then
      header = rows.split(line)
      found.headers = found.headers + 1
      if not found.header or #header > #found.header then found.header = header end
    elseif header and line ~= "" then
      local row = by_name(header, rows.split(line))
      check_columns(found, row, header, path)
      add_row(found, row)
    end
  end
  return found
end

-- ---- writing ----

local function write(self, ...)
  local ok, why = self.file:write(...)
  if not ok then names.fail("%s: %s", self.path, why) end
end

-- Sorts a list of lines with their run numbers, and replaces the file by one of them.
local function replace(self, list)
  table.sort(list, function(a, b) return a.number < b.number end)
  whole_file.write(self.path, "--resume", function(put)
    put("# ", self.card, "\n", rows.joined(self.columns))
    for _, item in ipairs(list) do put(item.line, "\n") end
  end)
end

local function row_number(line)
  local digits = line:match "^(%d+),"
  return digits and math.tointeger(tonumber(digits))
end

-- Rows that were missing in the middle stand behind those that were there: puts them in the order of the runs.
local function put_in_order(self)
  local list, is_ordered = {}, true
  for _, line in ipairs(whole_lines(self.path)) do
    local number = row_number(line)
    if number then
      is_ordered = is_ordered and (not list[1] or list[#list].number < number)
      list[#list + 1] = { number = number, line = line }
    end
  end
  if not is_ordered then replace(self, list) end
end

-- The rows so far with one header.
local function rewrite(self, found)
  local list = {}
  for i, row in ipairs(found.rows) do
    local cells = names.map(self.columns, function(name) return row[name] or "" end)
    list[i] = { number = row.number, line = rows.joined(cells):sub(1, -2) }
  end
  replace(self, list)
end

-- path; card: a line of text; resume; check(card). Returns the file and its rows so far, a list of texts by name.
function result_file.open(path, card, resume, check)
  local self = setmetatable({ path = path, card = card, waiting = {} }, File)
  if path == "-" then
    self.file = assert(files.output())
    return self, {}
  end
  local found = resume and files.exists(path) and read(path, check) or nil
  names.fail_if(found and found.lines > 0 and not found.carded,
    "%s has no line that says which sweep it is of, so it cannot be resumed", path)
  if found and #found.rows > 0 then
    self.found, self.header = found, found.header
    return self, found.rows
  end
  local file, why = files.open(path, "wb")
  if not file then names.fail("%s", why) end
  file:setvbuf("full", BUFFER)
  self.file = file
  return self, {}
end

-- Whether a file has more than what a sweep writes before its first row.
function result_file.has_rows(path)
  local file = path ~= "-" and files.open(path, "rb")
  local size = file and file:seek "end" -- a pipe has none
  if file then file:close() end
  for _, line in ipairs(size and size > 0 and whole_lines(path) or {}) do
    if line:sub(1, 2) ~= "# " and line:sub(1, 9) ~= "run,seed," then return true end
  end
  return false
end

-- The set of the runs in a file that another process writes.
function result_file.standing(path, check)
  local standing = {}
  for _, line in ipairs(whole_lines(path) or {}) do
    if line:sub(1, 2) == "# " then check(line:sub(3)) end
    local number = row_number(line)
    if number then standing[number] = true end
  end
  return standing
end

-- Sets the columns, before the first row is written.
function File:set_columns(columns)
  local line = rows.joined(columns)
  if self.columns then return end
  self.columns = columns
  if not self.found then
    write(self, "# " .. self.card .. "\n" .. line)
    return
  end
  if rows.joined(self.header) ~= line or self.found.headers > 1 or self.found.has_more or not self.found.whole then
    rewrite(self, self.found)
  end
  self.file = assert(files.open(self.path, "ab"))
  self.file:setvbuf("full", BUFFER)
end

function File:add(line) write(self, line) end

function File:add_values(values, count)
  local ok, why = csv_write(values, count, self.file)
  if not ok then names.fail("%s: %s", self.path, why) end
end

function File:flush() if self.file then self.file:flush() end end

function File:close()
  if not self.file then return end
  local is_there = self.path == "-" or files.exists(self.path)
  local ok, why = self.file[self.path == "-" and "flush" or "close"](self.file)
  self.file = nil
  if not ok then names.fail("%s: %s", self.path, why) end
  names.fail_if(not is_there, "%s was removed or renamed while the sweep ran; run it again", self.path)
  if self.found or self.is_unordered then put_in_order(self) end
end

return result_file
