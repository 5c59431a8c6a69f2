-- Blocks are ready-made systems. saltus.blocks.gain { gain = 2, size = 3, name = "k" } returns a system, as
-- saltus.system does. Most blocks are C (src/blocks). One table describes each kind: the checks here, `saltus help
-- blocks` and the reference pages read it.
local core = require "saltus.core"
local variable = require "saltus.model.variable"
local names = require "saltus.util.names"
local prototype = require "saltus.model.prototype"

local blocks = {}

-- ---- the kinds ----

local kinds -- by name, and in order; read at the first use

-- Kinds written in Lua; `make(options, name)` returns the system.
local function lua_kinds() return require "saltus.blocks.lua_blocks" end

-- The options that select a variant.
local function selecting_options(kind)
  local out = {}
  for word in (kind.when_given or ""):gmatch "%S+" do out[#out + 1] = kind.option[word] end
  return out
end

local function load_kinds()
  kinds = {}
  for _, list in ipairs { core.blocks(), lua_kinds() } do
    for _, kind in ipairs(list) do
      kinds[#kinds + 1], kinds[kind.name] = kind, kind
      kind.variants, kind.option = {}, {}
      for _, option in ipairs(kind.options) do kind.option[option.name] = option end
      kind.selected_by = selecting_options(kind)
    end
  end
  for _, kind in ipairs(kinds) do
    if kind.instead_of then table.insert(kinds[kind.instead_of].variants, kind) end
  end
  return kinds
end

-- All kinds, in order.
function blocks.kinds() return kinds or load_kinds() end

local function kind_names() return names.of(blocks.kinds()) end

-- Kinds whose description contains a word: "friction" is in mass and inertia.
function blocks.described_with(word)
  local out, seen = {}, {}
  for _, kind in ipairs(blocks.kinds()) do
    local public = kind.instead_of or kind.name
    if not seen[public] and #word > 3 and kind.doc:lower():find(word:lower(), 1, true) then
      seen[public] = true
      out[#out + 1] = public
    end
  end
  return out
end

-- The error text for an unknown block.
function blocks.unknown(what, word)
  local known = kind_names()
  local text = names.unknown(what, word, known)
  if type(word) ~= "string" or names.near(word, known) then return text end
  local found = blocks.described_with(word)
  if #found > 0 then return ("%s; see %s"):format(text, table.concat(found, ", ")) end
  return text .. "; `saltus help blocks` lists them"
end

local function is_nested(value) return type(value) == "table" and type(value[1]) == "table" end

-- The kind, or the variant of it that the given options select.
local function chosen(kind, given)
  for _, variant in ipairs(kind.variants) do
    for _, option in ipairs(variant.selected_by) do
      local value = given[option.name]
      if value ~= nil and (option.type ~= "matrix" or is_nested(value)) then return variant end
    end
  end
  return kind
end

-- ---- checks: each returns the error text for a value, or nil ----

local function number_trouble(option, value)
  if type(value) ~= "number" then return "must be a number, got " .. names.show(value) end
  if value ~= value then return "must not be NaN" end
  return variable.broken_rule(option, value)
end

local function list_trouble(option, list, at)
  if #list == 0 then return "must not be empty" end
  for key in pairs(list) do
    if math.type(key) ~= "integer" or key < 1 or key > #list then
      return ("must be a list of numbers; it has a field %s"):format(names.show(key))
    end
  end
  for i, value in ipairs(list) do
    local wrong = number_trouble(option, value)
    if wrong then return ("%s[%d] %s"):format(at, i, wrong) end
    if i > 1 and option.increasing and value <= list[i - 1] then
      return ("must increase: [%d] is %s, [%d] is %s"):format(i - 1, names.show(list[i - 1]), i, names.show(value))
    end
  end
  return nil
end

local trouble = { number = number_trouble }

function trouble.count(option, value)
  local whole, least = type(value) == "number" and math.tointeger(value), option.not_negative and 0 or 1
  if whole and whole >= least then return nil end
  return ("must be a whole number of at least %d, got %s"):format(least, names.show(value))
end

local function type_trouble(name, text)
  return function(_, value) return type(value) ~= name and text .. ", got " .. names.show(value) or nil end
end

trouble.flag = type_trouble("boolean", "must be true or false")
trouble.path = type_trouble("string", "must be a string")
trouble["function"] = type_trouble("function", "must be a function")

function trouble.list(option, value)
  if type(value) == "number" then return number_trouble(option, value) end
  if type(value) ~= "table" then return "must be a number or a list of numbers, got " .. names.show(value) end
  return list_trouble(option, value, "")
end

function trouble.signal(option, value)
  if type(value) == "function" and option.may_be_function then return nil end
  return trouble.list(option, value)
end

function trouble.matrix(option, value)
  if not is_nested(value) then return trouble.list(option, value) end
  for i, row in ipairs(value) do
    if type(row) ~= "table" then return ("must have lists as rows, row %d is %s"):format(i, names.show(row)) end
    if #row ~= #value[1] then
      return ("must have rows of one length: row 1 has %d numbers, row %d has %d"):format(#value[1], i, #row)
    end
    local wrong = list_trouble(option, row, ("[%d]"):format(i))
    if wrong then return wrong end
  end
  return nil
end

function trouble.choice(option, value)
  local words = names.words(option.words)
  for _, word in ipairs(words) do if word == value then return nil end end
  return ("must be one of \"%s\", got %s%s"):format(table.concat(words, '", "'), names.show(value),
    names.near(value, words) and names.hint(value, words) or "")
end

function trouble.text(option, value)
  local allowed = ("^[%s]+$"):format(option.words:gsub(".", "%%%0"))
  if type(value) == "string" and value:find(allowed) then return nil end
  return ("must be characters out of %q, one for each input, got %s"):format(option.words, names.show(value))
end

-- The options of a kind and of its variants.
local function known_options(kind)
  local known = { "name", "unit" }
  for _, option in ipairs(kind.options) do known[#known + 1] = option.name end
  for _, variant in ipairs(kind.instead_of and {} or kind.variants) do
    for _, option in ipairs(variant.options) do
      if not kind.option[option.name] then known[#known + 1] = option.name end
    end
  end
  return known
end

local function is_option(kind, key) return kind.option[key] ~= nil or key == "name" or key == "unit" end

-- The constructor as error texts show it.
local function who(kind, name)
  local public = kind.instead_of or kind.name
  return ("saltus.blocks.%s%s"):format(public, name ~= public and (" %q"):format(name) or "")
end

local function raise_unknown_error(kind, given, name)
  local all_known = true
  for key in pairs(given) do all_known = all_known and is_option(kind, key) end
  for _, key in ipairs(all_known and {} or names.sorted_keys(given)) do
    if not is_option(kind, key) then
      names.fail("%s: %s", who(kind, name), names.unknown("option", key, known_options(kind)))
    end
  end
end

local function check(kind, given, name)
  raise_unknown_error(kind, given, name)
  for _, option in ipairs(kind.options) do
    local value = given[option.name]
    if value ~= nil then
      local wrong = trouble[option.type](option, value)
      if wrong then names.fail("%s: option %q %s", who(kind, name), option.name, wrong) end
    elseif option.required then
      names.fail("%s: option %q is missing%s", who(kind, name), option.name,
        option.doc and " (" .. option.doc .. ")" or "")
    end
  end
  if given.unit ~= nil and type(given.unit) ~= "string" then
    names.fail('%s: option "unit" must be a string, the output\'s unit, got %s', who(kind, name),
      names.show(given.unit))
  end
end

-- ---- construction ----

-- Units by the names of states and ports.
local function units_of(kind)
  local out = {}
  for name, unit in (kind.units or ""):gmatch "(%S+)=(%S+)" do out[name] = unit:gsub("_", " ") end
  return out
end

-- Adds units, documentation and rules to the declarations of a block, and the words of choices.
local function label(kind, description, unit)
  local units = units_of(kind)
  for _, section in ipairs { "q", "v", "z", "inputs", "outputs" } do
    for _, e in ipairs(description[section]) do e.unit = units[e.name] end
  end
  for _, e in ipairs(description.outputs) do e.unit = e.unit or e.name:find "^output" and unit or nil end
  for _, e in ipairs(description.params) do
    local option = kind.option[e.name]
    e.unit, e.doc, e.rules = option.unit, option.doc, option
    if e.name == "delay" and description.pasts[1] then
      e.rules = setmetatable({ longest_past = description.pasts[1].depth }, { __index = option })
    end
    if option.type == "choice" then e.values = names.words(option.words) end
  end
end

local latest = {} -- by kind, the last block's declarations: { shape =, unit =, made = }

-- Returns the initial values of a block with these options, and its declarations. The declarations are mostly those of
-- the previous block of that kind, which differs only in its numbers.
local function declared(kind, given, name)
  local last = latest[kind]
  local numbers, description, made = core.block(kind.name, name, given, last and last.unit == given.unit and last.made)
  if not numbers then names.fail("%s: %s", who(kind, name), description) end
  if description then
    label(kind, description, given.unit)
    last = { shape = prototype.new(kind, description), unit = given.unit, made = made }
    latest[kind] = last
  end
  return numbers, last.shape
end

local function make(kind, given)
  if given == blocks.constructors then names.fail("write saltus.blocks.%s { ... }, with a dot", kind.name) end
  names.check(type(given) == "table", given, "saltus.blocks.%s takes a table of options", kind.name)
  local name = given.name
  if name == nil then
    name = kind.name
  else
    names.check(names.is_identifier(name), name, "saltus.blocks.%s: name must be a Lua identifier", kind.name)
  end
  kind = chosen(kind, given)
  check(kind, given, name)
  if kind.rewrite then return make(kinds[kind.instead_of], kind.rewrite(given)) end
  if kind.make then return kind.make(given, name) end
  local numbers, alike = declared(kind, given, name)
  local history = type(given.history) == "function" and { input = given.history } or nil
  return prototype.system(alike, name, numbers, history)
end

-- ---- help ----

local function default_text(option)
  if option.required then return "required" end
  if option.type == "choice" then return names.words(option.words)[option.default] end
  if option.type == "text" then return option.characters end
  if option.type == "flag" then return option.default == 1 and "true" or "false" end
  if option.type == "function" or option.type == "path" then return "" end
  if option.fixed and (option.type == "matrix" or option.type == "list") then return "" end
  return names.show(option.default)
end
blocks.default_text = default_text

-- One line for each kind, for `saltus help blocks`.
function blocks.help()
  local lines = {}
  for _, kind in ipairs(blocks.kinds()) do
    if not kind.instead_of then lines[#lines + 1] = ("  %-26s %s"):format(kind.name, kind.doc) end
  end
  return table.concat(lines, "\n")
end

local function describe_kind(kind, lines)
  local function line(text, ...) lines[#lines + 1] = text:format(...) end
  local when = kind.instead_of and (", with %s"):format(kind.when_given:gsub(" ", " or ")) or ""
  line("saltus.blocks.%s%s", kind.instead_of or kind.name, when)
  line("  %s", kind.doc)
  line("  %s", (kind.law:gsub("\n", "\n  ")))
  for _, option in ipairs(kind.options) do
    local unit = option.unit and " [" .. option.unit .. "]" or ""
    local words = option.type == "choice" and " (" .. option.words:gsub(" ", " | ") .. ")" or ""
    line("    %-18s %-10s %s%s%s", option.name, default_text(option), option.doc, unit, words)
  end
  if kind.drake then line("  In Drake: %s", kind.drake) end
  if kind.simbody then line("  In Simbody: Measure::%s", kind.simbody) end
  line("  %s", kind.example)
end

-- A kind and its variants in full, for `saltus help pid`; nil if there is no such kind.
function blocks.help_of(name)
  local kind = blocks.kinds()[name]
  if not kind then return nil end
  local lines = {}
  describe_kind(kind, lines)
  for _, variant in ipairs(kind.variants) do
    lines[#lines + 1] = ""
    describe_kind(variant, lines)
  end
  return table.concat(lines, "\n")
end

-- saltus.blocks: constructors by name.
blocks.constructors = setmetatable({}, {
  __name = "saltus.blocks",
  __tostring = function() return blocks.help() end,
  __index = function(t, name)
    local kind = blocks.kinds()[name]
    if not kind then names.fail("saltus.blocks: %s", blocks.unknown("block", name)) end
    local function constructor(given) return make(kind, given or {}) end
    rawset(t, name, constructor)
    return constructor
  end,
  __newindex = function() names.fail "saltus.blocks does not change; write a function that returns a saltus.system" end,
  __pairs = function(t)
    local list, i = kind_names(), 0
    return function()
      i = i + 1
      if list[i] then return list[i], t[list[i]] end
    end
  end,
})

return blocks
