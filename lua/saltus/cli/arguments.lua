-- The arguments of a command line, before and after argparse reads them.
local files = require "saltus.util.files"
local complaint = require "saltus.cli.complaint"
local numerals = require "saltus.util.numerals"
local suggest = require "saltus.util.suggest"

local arguments = {}

-- Makes a converter for the text of an option, for argparse: it returns the value, or nil and an error text.
-- read(number) returns the value, or nil if the number is not a `kind`.
local function converter(read, kind, kind_of_text)
  return function(option)
    return function(text)
      local number = numerals.parse(text)
      local value = number and read(number)
      if value then return value end
      return nil, ("%s must be a %s, got '%s'"):format(option, number and kind or kind_of_text, text)
    end
  end
end

arguments.number = converter(function(v) return v == v and v or nil end, "number", "number")
arguments.seconds = converter(function(v) return v >= 0 and v < math.huge and v or nil end,
  "finite number of seconds, not negative", "number")
arguments.port = converter(function(v)
  local port = math.tointeger(v)
  return port and port >= 0 and port < 65536 and port or nil
end, "port, a whole number below 65536", "number")
arguments.whole = converter(math.tointeger, "whole number", "whole number")

-- A pattern of Lua.
function arguments.pattern(option)
  return function(text)
    local ok, wrong = pcall(string.find, "", text)
    if ok then return text end
    return nil, ("%s must be a Lua pattern, got '%s': %s"):format(option, text, wrong)
  end
end

-- A formula in words, checked for its grammar.
function arguments.formula(option)
  return function(text)
    local ok, wrong = pcall(require("saltus.formula").parse, text)
    if ok then return text end
    return nil, ("%s: %s"):format(option, wrong)
  end
end

-- "name=value": numbers, lists "1,2,3", and words (modes).
function arguments.set(text)
  local name, value = text:match "^%s*([^=]-)%s*=%s*(.-)%s*$"
  if not name or name == "" or value == "" then
    return nil, ("--set must be name=value, got '%s'"):format(suggest.brief(text))
  end
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

-- Adds the results of arguments.set to the changes of a run.
function arguments.apply_set(changes, list)
  changes.set = changes.set or {}
  for _, item in ipairs(list) do changes.set[item.name] = item.value end
end

-- The lines of a file that an option names, without a byte order mark and the line ends of other systems.
function arguments.lines(option, path)
  local text, why = files.read(path)
  if not text then complaint.raise(complaint.FAILED, "%s: %s", option, why) end
  return text:gsub("^\xEF\xBB\xBF", ""):gmatch "([^\r\n]*)\r?\n?"
end

-- "a,b, c" as a list.
function arguments.names(option)
  return function(text)
    local list = {}
    for name in text:gmatch "[^,]+" do list[#list + 1] = name:match "^%s*(.-)%s*$" end
    if list[1] then return list end
    return nil, ("%s must be names with commas between them, got '%s'"):format(option, text)
  end
end

-- One word of a list.
function arguments.one_of(option, words)
  return function(text)
    for _, word in ipairs(words) do
      if text == word then return text end
    end
    return nil, ("%s must be %s, got '%s'"):format(option, table.concat(words, ", "):gsub(", (%a+)$", " or %1"), text)
  end
end

-- argparse reads the -1 of "--duration -1" as an option; in "--duration=-1" it is a value.
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
