-- The identifiers among the string constants of a system's closures: names and values. They show what a closure may
-- read without being called, and mistakes that a run does not show, such as a mode compared with a wrong word.
local getupvalue = require("saltus.core").getupvalue
local bytecode = require "saltus.closure.compiler.bytecode"

local string_constants = {}

local function add_whole(text, words)
  if text:find "^[%a_][%w_]*$" then words[text] = true end
end

local function add_inside(text, words)
  for word in text:gmatch "[%a_][%w_.]*" do words[word] = true end
end

local function add_constants(proto, words, add)
  for _, constant in pairs(proto.constants) do
    if type(constant.value) == "string" then add(constant.value, words) end
  end
  for _, inner in ipairs(proto.inner) do add_constants(inner, words, add) end
end

-- The words of a function and of the functions among its upvalues.
local function add_function(fn, words, seen, add)
  local proto = not seen[fn] and bytecode.of(fn)
  if not proto then return end
  seen[fn] = true
  add_constants(proto, words, add or add_whole)
  for i = 1, math.huge do
    local name, value = getupvalue(fn, i)
    if not name then return end
    if type(value) == "function" then add_function(value, words, seen, add) end
  end
end

local function words_of(owner, fields, words, seen)
  for _, field in ipairs(fields) do
    if type(owner[field]) == "function" then add_function(owner[field], words, seen) end
  end
end

-- Sets of words.
function string_constants.of_function(fn)
  local words = {}
  add_function(fn, words, {})
  return words
end

-- The names and paths in all texts of a function, also inside of longer ones.
function string_constants.inside_of(fn)
  local words = {}
  add_function(fn, words, {}, add_inside)
  return words
end

function string_constants.of_handlers(system)
  local words, seen = {}, {}
  for _, event in ipairs(system.events) do words_of(event, { "handler", "on_zeno" }, words, seen) end
  return words
end

function string_constants.of_all(system)
  local words, seen = {}, {}
  for _, event in ipairs(system.events) do
    words_of(event, { "handler", "on_zeno", "witness", "becomes", "when", "next_time" }, words, seen)
    for _, finder in ipairs(event.finders or {}) do add_function(finder, words, seen) end
  end
  for _, e in ipairs(system.outputs) do words_of(e, { "fn" }, words, seen) end
  words_of(system, { "derivatives", "constraints", "constraint_rates", "project", "velocity_map" }, words, seen)
  return words
end

return string_constants
