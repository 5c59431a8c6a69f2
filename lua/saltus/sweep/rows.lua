-- The rows of a sweep as text: one CSV line for each run. Texts have no line ends, so a file can be sorted by lines.
local numerals = require "saltus.util.numerals"
local text_export = require "saltus.output.text_export"

local rows = {}

local format = string.format

-- Shortest text, of 15 or 17 digits, that reads back as the same number. Called with a decimal point.
local function number(value)
  if math.type(value) == "integer" then return format("%d", value) end
  local text = format("%.15g", value)
  if tonumber(text) == value then return text end
  if value ~= value then return "nan" end
  return value == math.huge and "inf" or value == -math.huge and "-inf" or format("%.17g", value)
end

local function cell(value)
  if type(value) == "number" then return number(value) end
  if value == nil or value == "" then return "" end
  return text_export.csv_field(tostring(value):gsub("%s*[\r\n]+%s*", " | "))
end

local function text_of(list, count)
  local out = {}
  for i = 1, count do out[i] = cell(list[i]) end
  return table.concat(out, ",")
end

-- The line of a list of values.
function rows.line(list, count) return numerals.neutral(text_of, list, count or #list) end

-- The line of cells that are texts already.
function rows.joined(cells)
  local out = {}
  for i, text in ipairs(cells) do out[i] = text:find '[",]' and '"' .. text:gsub('"', '""') .. '"' or text end
  return table.concat(out, ",")
end

-- "1,\"a, b\",x" as a list of texts.
function rows.split(line)
  local out, at = {}, 1
  if not line:find('"', 1, true) then
    for text in (line .. ","):gmatch "([^,]*)," do out[#out + 1] = text end
    return out
  end
  while at <= #line + 1 do
    if line:sub(at, at) == '"' then
      local text, stop = "", at
      repeat
        local close = line:find('"', stop + 1, true) or #line + 1
        text, stop = text .. line:sub(stop + 1, close - 1), close
        local doubled = line:sub(stop + 1, stop + 1) == '"'
        if doubled then text, stop = text .. '"', stop + 1 end
      until not doubled
      out[#out + 1], at = text, stop + 2
    else
      local comma = line:find(",", at, true) or #line + 1
      out[#out + 1], at = line:sub(at, comma - 1), comma + 1
    end
  end
  return out
end

-- A cell as a value: a number where it is one.
function rows.value(text)
  if text == "nan" then return 0 / 0 elseif text == "inf" then return math.huge elseif text == "-inf" then
    return -math.huge
  end
  return text:find "^[%d.+-]" and numerals.parse(text) or text:match "^'([=+@%-].*)$" or text
end

return rows
