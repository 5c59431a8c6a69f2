-- Variables: the named values of a system. Users write them as entries of its sections:
--
--   "name" | { "name", default, unit =, size =, values =, doc = } | name = default
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local variable = {}

-- The sections of a system. `partition`: where the engine stores the numbers. `fields`: what an entry may have besides
-- its name, its default and the fields of all sections.
variable.sections = {
  { name = "q", partition = "q", what = "state", fields = { "weight", "error" }, continuous = true,
    doc = "configuration, which flows by derivatives: positions, angles" },
  { name = "v", partition = "v", what = "state", fields = { "weight", "error" }, continuous = true,
    doc = "velocity, which flows: speeds, rates" },
  { name = "z", partition = "z", what = "state", fields = { "weight", "error" }, continuous = true,
    doc = "other state that flows: levels, temperatures" },
  { name = "discrete", partition = "xd", what = "state", fields = { "values" },
    doc = "numbers and modes that only updates change" },
  { name = "abstract", partition = "abstract", what = "state", fields = {},
    doc = "plain data that only updates change: strings, tables" },
  { name = "params", partition = "param", what = "parameter", fields = { "values" },
    doc = "parameters; with, --set, the context and unrestricted updates change them" },
  { name = "inputs", partition = "input", what = "input", fields = { "values", "abstract" },
    doc = "input ports; an input without a default must be connected or set" },
  { name = "outputs", partition = "output", what = "output", fields = { "needs", "abstract" },
    doc = "name = function(ctx): computed when it is read, at most once per state" },
}

variable.fields = {
  { name = "unit", everywhere = true, doc = "a label for axes and checks" },
  { name = "size", everywhere = true, doc = "number of elements; default: the length of the default value" },
  { name = "doc", everywhere = true, doc = "a one-line description" },
  { name = "values", doc = "{ \"off\", \"on\" }: a mode; its value is one of these strings" },
  { name = "weight", doc = "weight in the error of a step; default: 1; 0: ignored" },
  { name = "error", doc = "\"relative\" to its size or \"absolute\"" },
  { name = "needs", doc = "{ \"input\" }: the names that an output reads; default: found by a call" },
  { name = "abstract", doc = "true: the port carries a Lua value instead of numbers" },
}

variable.section_names = names.of(variable.sections)
variable.settable_sections = table.move(variable.section_names, 1, #variable.sections - 1, 1, {}) -- without outputs

variable.section = {}
for _, section in ipairs(variable.sections) do
  variable.section[section.name] = section
  section.allowed = {}
  for _, field in ipairs(variable.fields) do
    if field.everywhere then table.insert(section.allowed, field.name) end
  end
  table.move(section.fields, 1, #section.fields, #section.allowed + 1, section.allowed)
  section.may_be_mode = names.index_of(section.fields, "values") ~= nil
end

-- Returns the error text for a number by the rules of a block's option, or of the parameter that the option becomes.
function variable.broken_rule(rules, value)
  if not rules.may_be_infinite and not numerals.is_finite(value) then
    return "must be finite, got " .. names.show(value)
  end
  if rules.positive and value <= 0 then return "must be greater than 0, got " .. names.show(value) end
  if rules.not_negative and value < 0 then return "must not be negative, got " .. names.show(value) end
  if rules.longest_past and value > rules.longest_past then
    return ("must not be longer than the recorded past, %s s (option max_delay), got %s"):format(
      names.show(rules.longest_past), names.show(value))
  end
  return nil
end

local finite = {} -- the rules of continuous state

local function number(e, value, who)
  names.check(type(value) == "number" and value == value, value, "%s must be a number", who)
  local rules = e.rules or e.continuous and finite
  local wrong = rules and variable.broken_rule(rules, value)
  if wrong then names.fail("%s %s", who, wrong) end
  return value + 0.0
end

-- Loaded at first use.
local function other_values() return require "saltus.model.other_values" end

-- Checks a value and returns it in the form of `e.default`.
function variable.value(e, value, who)
  if e.partition == "output" then names.fail("%s is an output: it is computed, not set", who) end
  if e.abstract or e.values or e.vector then return other_values().check(e, value, who, number) end
  return number(e, value, who)
end

-- The same for one element of a vector.
variable.element = number

-- Returns the error text for an element of a variable.
function variable.wrong_element(e, index, who)
  if not e.vector then return ("%s is one value, it has no element [%d]"):format(who, index) end
  if index < 1 or index > e.size then return ("%s has elements 1 to %d, not [%d]"):format(who, e.size, index) end
  return nil
end

local MAX_NUMBERS = require("saltus.core").constants.limit.numbers

local function check_size(e, size, default, who)
  local list = not e.abstract and e.partition ~= "output" and type(default) == "table"
  if size ~= nil then
    local n = type(size) == "number" and math.tointeger(size)
    names.check(n and n >= 1 and n <= MAX_NUMBERS, size,
      "%s: size must be a whole number of at least 1 and at most %d", who, MAX_NUMBERS)
    e.size, e.vector = n, n > 1 or list
    if list and #default ~= n then names.fail("%s: size is %d but the default has %d values", who, n, #default) end
  else
    e.size = list and other_values().list_length(default, who) or 1
    e.vector = list
  end
end

-- Abstract variables have a Lua value and no numbers: states of that section, inputs and outputs with that field.
local function check_abstract(e, spec, section, who)
  if spec.abstract ~= nil and spec.abstract ~= true then
    names.fail("%s: abstract must be true, or left out; got %s", who, names.show(spec.abstract))
  end
  names.fail_if(spec.abstract and (spec.size or spec.values), "%s: what is abstract has no size and no values", who)
  e.abstract = (section.name == "abstract" or spec.abstract) or nil
end

local function check_weight(e, spec, who)
  names.check(spec.weight == nil or type(spec.weight) == "number" and spec.weight >= 0, spec.weight,
    "%s: weight must be a number, 0 or more; 0 leaves it out of the error", who)
  e.weight = (spec.weight or 1) + 0.0
  e.error = spec.error or (e.partition == "q" and "absolute" or "relative")
  names.check(e.error == "absolute" or e.error == "relative", e.error,
    "%s: error must be \"relative\" or \"absolute\"", who)
  names.fail_if(e.partition == "q" and e.error == "relative",
    "%s: the error of a q is absolute; only v and z may be relative", who)
end

local function check_needs(e, needs, who)
  if needs == nil then return end
  names.check(type(needs) == "table", needs, "%s: needs must be a list of names", who)
  for i, name in ipairs(needs) do names.check(type(name) == "string", name, "%s: needs[%d] must be a name", who, i) end
  e.needs = table.move(needs, 1, #needs, 1, {})
end

local function check_output(e, fn, who)
  if type(fn) ~= "function" then
    names.fail("%s: an output needs its function, like %s = function(ctx) return ... end; got %s%s", who, e.name,
      names.show(fn), type(fn) == "table" and ("; with options: { %q, function(ctx) return ... end, size = 2 }"):format(
        e.name) or "")
  end
  e.fn = fn
end

-- The text of a field for people, `unit` or `doc`; nil: there is none.
function variable.label(spec, field, who)
  local value = spec[field]
  names.check_type(value, "string", "%s: %s must be a string", who, field)
  if value then names.check_label(field == "doc" and value:gsub("[\n\t]", "") or value, who .. ": " .. field) end
  return value
end

local function check_fields(section, spec, who)
  local fields = {}
  for key, value in pairs(spec) do
    if key ~= 1 and key ~= 2 then fields[key] = value end
  end
  names.check_keys(fields, section.allowed, "field %s in " .. who)
end

local function check_name(name, section, owner)
  names.check(names.is_identifier(name), name, "a name in %s of %s must be a Lua identifier", section.name, owner)
  names.fail_if(names.is_reserved(name),
    "%s: the name %q in %s is taken by ctx itself; choose another", owner, name, section.name)
end

local function make(section, name, default, spec, owner)
  check_name(name, section, owner)
  local who = ("%q in %s of %s"):format(name, section.name, owner)
  check_fields(section, spec, who)
  local e = { name = name, partition = section.partition, continuous = section.continuous,
    unit = variable.label(spec, "unit", who), doc = variable.label(spec, "doc", who), default = nil, size = 1,
    vector = false }
  check_abstract(e, spec, section, who)
  check_size(e, spec.size, default, who)
  if spec.values ~= nil then other_values().declare_modes(e, spec.values, who) end
  if type(default) == "string" and section.may_be_mode and not e.values then
    names.fail('%s must be a number, got %s; a mode lists its values: { "%s", %s, values = { ... } }', who,
      names.show(default), name, names.show(default))
  end
  if section.continuous then check_weight(e, spec, who) end
  if section.name == "outputs" then
    check_output(e, default, who)
    check_needs(e, spec.needs, who)
    return e
  end
  e.unset = default == nil or nil
  e.required = section.name == "inputs" and e.unset -- to be connected or set before it is read
  if default == nil and not e.abstract then default = e.values and e.values[1] or 0 end
  e.default = variable.value(e, default, who)
  return e
end

-- { height = 1, unit = "m" } does not show whose unit it is.
local function raise_label_error(key, value, section, owner)
  if type(value) ~= "string" or section.name == "abstract" or section.name == "outputs" then return end
  for _, field in ipairs(variable.fields) do
    if field.name == key then
      names.fail('%s: %s in %s is of no name; write it with its name: { "name", default, %s = %s }', owner, key,
        section.name, key, names.show(value))
    end
  end
end

-- The keys of the entries that are not in the list.
local function named(given)
  local rest = {}
  for key, value in pairs(given) do
    if math.type(key) ~= "integer" or key < 1 or key > #given then rest[key] = value end
  end
  return names.sorted_keys(rest)
end

local none = {}

-- The entries of one section: those of the list in its order, then the others by name.
function variable.list(section, given, owner)
  if given == nil then return none end
  names.check(type(given) == "table", given, "%s: %s must be a table of entries", owner, section.name)
  local out = {}
  for i, item in ipairs(given) do
    if type(item) == "string" then item = { item } end
    names.check(type(item) == "table", item, "%s: %s[%d] must be a name or { \"name\", default }", owner,
      section.name, i)
    out[i] = make(section, item[1], item[2], item, owner)
  end
  for _, key in ipairs(named(given)) do
    raise_label_error(key, given[key], section, owner)
    out[#out + 1] = make(section, key, given[key], {}, owner)
  end
  return out
end

-- ---- contents: the fields of a system; a block shares some with all blocks of its prototype ----

-- All fields, also the shared ones.
function variable.all_fields(content) return names.merged(content.shape, content) end

-- The entries of the sections (by default of all) that are in ctx by their name: not an output with the name of a
-- state.
function variable.in_ctx(content, sections)
  local out = {}
  for _, section in ipairs(sections or variable.section_names) do
    for _, e in ipairs(content[section]) do
      if content.by_name[e.name] == e then out[#out + 1] = e end
    end
  end
  return out
end

-- The modes among the variables that can be set.
function variable.modes(content)
  return names.filter(variable.in_ctx(content, { "discrete", "params", "inputs" }), function(e) return e.values end)
end

-- The initial value of a variable.
function variable.default_of(content, e)
  if not e.from then return e.default end
  if not e.vector then return content.numbers[e.from] end
  return table.move(content.numbers, e.from, e.from + e.size - 1, 1, {})
end

return variable
