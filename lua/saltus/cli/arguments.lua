-- The arguments of a command line, before and after argparse reads them.
local numerals = require "saltus.util.numerals"

local arguments = {}

-- Converters for argparse: the value, or nil and what is wrong.
function arguments.number(option)
  return function(text)
    local value = numerals.parse(text)
    if value and value == value then return value end
    return nil, ("%s must be a number, got '%s'"):format(option, text)
  end
end

function arguments.seconds(option)
  return function(text)
    local value = numerals.parse(text)
    if value and value >= 0 and value < math.huge then return value end
    return nil, ("%s must be a number%s, got '%s'"):format(option, value and " of seconds, not negative" or "", text)
  end
end

function arguments.whole(option)
  return function(text)
    local value = math.tointeger(numerals.parse(text))
    if value then return value end
    return nil, ("%s must be a whole number, got '%s'"):format(option, text)
  end
end

-- "name=value": numbers, lists "1,2,3", and words (modes).
function arguments.set(text)
  local name, value = text:match "^%s*([^=]-)%s*=%s*(.-)%s*$"
  if not name or name == "" or value == "" then return nil, ("--set must be name=value, got '%s'"):format(text) end
  if value:find "," then
    local list = {}
    for item in (value .. ","):gmatch "%s*(.-)%s*," do
      if not numerals.parse(item) then return nil, ("--set %s: '%s' is not a list of numbers"):format(name, value) end
      list[#list + 1] = numerals.parse(item)
    end
    return { name = name, value = list }
  end
  return { name = name, value = numerals.parse(value) or value }
end

-- argparse reads the -1 of "--duration -1" as an option; joined, as "--duration=-1", it is a value.
function arguments.joined(list)
  local out = {}
  for _, text in ipairs(list) do
    local before = out[#out]
    if text:find "^%-[%d.]" and numerals.parse(text) and before and before:find "^%-%-[%a-]+$" then
      out[#out] = before .. "=" .. text
    else
      out[#out + 1] = text
    end
  end
  return out
end

return arguments
