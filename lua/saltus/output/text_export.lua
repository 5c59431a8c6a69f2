-- A log as text: CSV after RFC 4180, and JSON Lines.
local names = require "saltus.util.names"
local log_columns = require "saltus.output.log_columns"
local whole_file = require "saltus.util.whole_file"

local text_export = {}

local function number(value)
  if value ~= value then return "nan" end
  if value == math.huge then return "inf" end
  if value == -math.huge then return "-inf" end
  return ("%.17g"):format(value)
end

-- Text that a spreadsheet would read as a formula is prefixed with an apostrophe.
local function field(value)
  if type(value) == "number" then return number(value) end
  local text = tostring(value):gsub("^[=+@%-]", "'%0")
  if text:find '[",\r\n]' then text = '"' .. text:gsub('"', '""') .. '"' end
  return text
end

local function label(c)
  return field(c.unit and ("%s [%s]"):format(c.name, c.unit) or c.name)
end

-- A header of names with units, then one line for each row; lines end as in RFC 4180.
function text_export.csv(self, path)
  whole_file.write(path, "log:csv", function(put)
    local columns, time = log_columns.flat(self), self.time
    local cells = { "time [s]" }
    for i, c in ipairs(columns) do cells[i + 1] = label(c) end
    put(table.concat(cells, ","), "\r\n")
    for row = 1, #time do
      cells[1] = number(time[row])
      for i, c in ipairs(columns) do cells[i + 1] = field(c.values[row]) end
      put(table.concat(cells, ","), "\r\n")
    end
  end)
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

-- A byte that is not UTF-8 is written as text, such as \255, here and in HTML.
function text_export.json_string(text)
  text = names.valid(text):gsub('[%c"\\]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end)
  return '"' .. text .. '"'
end

local entities = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;" }

-- Text inside HTML, SVG and their attributes.
function text_export.escape_html(text) return (names.visible(text):gsub("[&<>\"']", entities)) end

local function full_precision(value) return ("%.17g"):format(value) end

-- JSON has no NaN and no infinity: both are null. A table with names is an object, in the order of the names; any other
-- is a list. `number_text` writes the numbers; default: 17 digits.
function text_export.json(value, number_text)
  if type(value) == "number" then
    if value ~= value or value == math.huge or value == -math.huge then return "null" end
    return (number_text or full_precision)(value)
  end
  if type(value) == "string" then return text_export.json_string(value) end
  if type(value) ~= "table" then return value == nil and "null" or tostring(value) end
  local items, named = {}, next(value) ~= nil and #value == 0
  for i, key in ipairs(named and names.sorted_keys(value) or {}) do
    items[i] = text_export.json_string(key) .. ":" .. text_export.json(value[key], number_text)
  end
  for i = 1, #value do items[i] = text_export.json(value[i], number_text) end
  return (named and "{%s}" or "[%s]"):format(table.concat(items, ","))
end

-- First the run card, which is JSON: {"run_card":{...}}. Then one object for each row, {"time":0,"height":10}, and
-- between the rows one for each event that fired, {"time":1.4,"event":"bounce"}.
function text_export.jsonl(self, path, run_card)
  whole_file.write(path, "log:jsonl", function(put)
    put('{"run_card":', run_card, "}\n")
    local columns, time, events = log_columns.inner_of(self).columns, self.time, self.events
    local next_event = 1
    local function events_before(t)
      while events[next_event] and events[next_event].time < t do
        local e = events[next_event]
        put(('{"time":%s,"event":%s}\n'):format(text_export.json(e.time), text_export.json_string(e.name)))
        next_event = next_event + 1
      end
    end
    local cells = {}
    for row = 1, #time do
      events_before(time[row])
      cells[1] = '"time":' .. text_export.json(time[row])
      for i, c in ipairs(columns) do
        cells[i + 1] = text_export.json_string(c.name) .. ":" .. text_export.json(c.values[row])
      end
      put("{", table.concat(cells, ","), "}\n")
    end
    events_before(math.huge)
  end)
end

return text_export
