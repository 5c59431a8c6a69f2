-- The texts of messages: what users wrote, and by suggest.lua which name they meant. names.lua has these functions too.
local numerals = require "saltus.util.numerals"

local messages = setmetatable({}, { __index = function(_, key) return require("saltus.util.suggest")[key] end })

-- A value as messages show it; `kind`: names.kind of it.
function messages.show_value(value, kind)
  if type(value) == "string" then return ("%q"):format(value) end
  if value ~= value then return "NaN" end
  if value == math.huge or value == -math.huge then return value > 0 and "infinity" or "-infinity" end
  if type(value) == "number" then return numerals.format("%.14g", value) end
  if kind == "module" then return "the module saltus: write a dot, as in saltus.system { ... }, not a colon" end
  if kind then return (kind:find "^[aeiou]" and "an " or "a ") .. kind end
  if type(value) == "table" or type(value) == "function" then return "a " .. type(value) end
  return tostring(value)
end

-- For columns of text; string.format allows a width of at most 99.
function messages.padded(text, width) return text .. (" "):rep(width - #text) end

-- The words of a text, without the space between them.
function messages.words(text)
  local out = {}
  for word in text:gmatch "%S+" do out[#out + 1] = word end
  return out
end

-- A user's text with each byte that is no UTF-8 as \255.
function messages.valid(text)
  local out, from, length, bad = {}, 1, utf8.len(text)
  while not length do
    out[#out + 1] = text:sub(from, bad - 1) .. "\\" .. text:byte(bad)
    from = bad + 1
    length, bad = utf8.len(text, from)
  end
  return table.concat(out) .. text:sub(from)
end

local function code_of(character) return ("\\u{%X}"):format(utf8.codepoint(character)) end

-- A user's text for a terminal or a page. Control characters, also those of Unicode, are shown as \27 and not executed.
function messages.visible(text)
  return (messages.valid(text):gsub("\xC2[\x80-\x9F]", code_of):gsub("\xEF\xBF[\xBE\xBF]", code_of)
    :gsub("%c", function(c) return (c == "\n" or c == "\t") and c or "\\" .. c:byte() end))
end

return messages
