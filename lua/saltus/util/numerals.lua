-- Numbers as text and back, independent of LC_NUMERIC: in a process with a decimal comma (a desktop host, or
-- os.setlocale) Lua's own string.format, tostring and tonumber write and read "0,5".
local core = require "saltus.core"

local numerals = {}

local neutral, format = core.neutral, string.format

-- Calls fn(...) with a decimal point, for functions that format many numbers. `fn` must not call closures of the user.
numerals.neutral = neutral

function numerals.is_finite(value) return type(value) == "number" and value > -math.huge and value < math.huge end

function numerals.is_positive(value) return numerals.is_finite(value) and value > 0 end

local function format_with_times(text, ...)
  local values, at = { ... }, 0
  text = text:gsub("%%[^%a%%]*[%a%%]", function(conversion)
    if conversion == "%%" then return nil end
    at = at + 1
    return conversion == "%t" and (math.abs(values[at]) < 1e5 and "%.9g" or "%.15g") or nil
  end)
  return format(text, ...)
end

-- As string.format, with one conversion more: %t, a time in seconds with the digits that it needs far from 0.
function numerals.format(text, ...) return neutral(text:find "%%t" and format_with_times or format, text, ...) end

-- "{ 1, 2, 3 }"; each number by the format.
function numerals.list(format_of_one, values)
  local out = {}
  for i = 1, #values do out[i] = numerals.format(format_of_one, values[i]) end
  return "{ " .. table.concat(out, ", ") .. " }"
end

function numerals.text(value) return neutral(tostring, value) end

-- The shortest text that reads back as the same number, like 1e-6; a string is itself.
function numerals.shortest(value)
  if math.type(value) ~= "float" then return tostring(value) end
  local text
  for digits = 15, 17 do
    text = numerals.format("%." .. digits .. "g", value)
    if numerals.parse(text) == value then break end
  end
  return (text:gsub("e%+?(%-?)0*", "e%1"))
end

function numerals.parse(text) return neutral(tonumber, text) end

return numerals
