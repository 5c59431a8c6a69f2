-- Entries: the named values of a system, as users write them and as the rest of
-- the library reads them.
--
--   "name" | { "name", default, unit =, size =, values =, doc = } | name = default
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"

local variable = {}

-- The sections of a system. `partition` is where the engine keeps the numbers;
-- `fields` are what an entry may say beside its name and default.
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

-- What an entry may say; those that all sections take, then those that a section names.
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

variable.section = {}
for _, section in ipairs(variable.sections) do
  variable.section[section.name] = section
  section.allowed = { [1] = true, [2] = true }
  for _, field in ipairs(section.fields) do section.allowed[field] = true end
  for _, field in ipairs(variable.fields) do
    section.allowed[field.name] = section.allowed[field.name] or field.everywhere
  end
  section.may_be_mode = section.allowed.values
end

-- What is wrong with a number by the rules that a block's option has, and so the parameter that it becomes.
function variable.broken_rule(rules, value)
  local finite = value > -math.huge and value < math.huge
  if not finite and not rules.may_be_infinite then return "must be finite, got " .. names.show(value) end
  if rules.positive and value <= 0 then return "must be greater than 0, got " .. names.show(value) end
  if rules.not_negative and value < 0 then return "must not be negative, got " .. names.show(value) end
  if rules.longest_past and value > rules.longest_past then
    return ("must not be longer than the past that is kept, %s s (option max_delay), got %s"):format(
      names.show(rules.longest_past), names.show(value))
  end
  return nil
end

local finite = {} -- the rules of what flows

local function number(e, value, who)
  if type(value) ~= "number" then names.fail("%s must be a number, got %s", who, names.show(value)) end
  if value ~= value then names.fail("%s must be a number, got NaN", who) end
  local rules = e.rules or e.continuous and finite
  local wrong = rules and variable.broken_rule(rules, value)
  if wrong then names.fail("%s %s", who, wrong) end
  return value + 0.0
end

-- ---- lists, modes, plain data ----

local function list_length(value, who)
  local n = #value
  for key in pairs(value) do
    if math.type(key) ~= "integer" or key < 1 or key > n then
      names.fail("%s: a list default holds numbers only, found field %s; write { \"name\", { ... }, %s = ... }",
        who, names.show(key), numerals.text(key))
    end
  end
  if n == 0 then names.fail("%s: the list must not be empty", who) end
  return n
end

-- The index of a mode's value.
local function mode_index(e, value, who)
  for i, known in ipairs(e.values) do if known == value then return i end end
  return names.fail("%s cannot be %s; its values are \"%s\"%s", who, names.show(value), table.concat(e.values, '", "'),
    names.near(value, e.values) and names.hint(value, e.values) or "")
end

-- A copy of plain data; a function, userdata, thread or cycle in it is an error.
local function plain_copy(value, who, seen)
  local kind = type(value)
  if kind == "nil" or kind == "boolean" or kind == "number" or kind == "string" then return value end
  if kind ~= "table" then names.fail("%s must be plain data, found a %s", who, kind) end
  if seen[value] then names.fail("%s must be plain data without cycles", who) end
  seen[value] = true
  local out = {}
  for k, v in pairs(value) do out[plain_copy(k, who, seen)] = plain_copy(v, who, seen) end
  seen[value] = nil
  return out
end

local function vector(e, value, who)
  local out = {}
  if type(value) == "number" then
    local v = number(e, value, who)
    for i = 1, e.size do out[i] = v end
    return out
  end
  if type(value) ~= "table" then
    names.fail("%s must be a list of %d numbers, got %s", who, e.size, names.show(value))
  end
  local n = list_length(value, who)
  if n ~= e.size then names.fail("%s must be a list of %d numbers, got %d", who, e.size, n) end
  for i = 1, n do
    out[i] = number(e, value[i], ("%s[%d]"):format(who, i))
    if i > 1 and e.rules and e.rules.increasing and out[i] <= out[i - 1] then
      names.fail("%s must increase: [%d] is %s, [%d] is %s", who, i - 1, names.show(out[i - 1]), i, names.show(out[i]))
    end
  end
  return out
end

-- The words that a mode may be.
local function check_modes(e, modes, who)
  if type(modes) ~= "table" or #modes == 0 then
    names.fail("%s: values must be a list of names like { \"off\", \"on\" }, got %s", who, names.show(modes))
  end
  if e.vector then names.fail("%s: a mode has one value; declare one name for each", who) end
  e.values = {}
  for i, value in ipairs(modes) do
    if type(value) ~= "string" then names.fail("%s: values[%d] must be a string, got %s", who, i, names.show(value)) end
    for j = 1, i - 1 do
      if modes[j] == value then names.fail("%s: values has %q twice", who, value) end
    end
    names.check_no_control(value, ("%s: values[%d]"):format(who, i))
    e.values[i] = value
  end
end

-- `value` checked and brought to the form in which `e.default` is kept.
function variable.value(e, value, who)
  if e.partition == "output" then names.fail("%s is an output: it is computed, not set", who) end
  if e.abstract then return plain_copy(value, who, {}) end
  if e.values then return mode_index(e, value, who) end
  if e.vector then return vector(e, value, who) end
  return number(e, value, who)
end

-- The same for one element of a vector.
function variable.element(e, value, who) return number(e, value, who) end

local MAX_NUMBERS = 1 << 24 -- SAL_MAX_NUMBERS

local function check_size(e, size, default, who)
  local list = not e.abstract and e.partition ~= "output" and type(default) == "table"
  if size ~= nil then
    local n = type(size) == "number" and math.tointeger(size)
    if not n or n < 1 or n > MAX_NUMBERS then
      names.fail("%s: size must be a whole number of at least 1 and at most %d, got %s", who, MAX_NUMBERS,
        names.show(size))
    end
    e.size, e.vector = n, n > 1 or list
    if list and #default ~= n then names.fail("%s: size is %d but the default has %d values", who, n, #default) end
  else
    e.size = list and list_length(default, who) or 1
    e.vector = list
  end
end

-- Abstract: a Lua value, not numbers. States are by their section, inputs and outputs when they say so.
local function check_abstract(e, spec, section, who)
  if spec.abstract ~= nil and spec.abstract ~= true then
    names.fail("%s: abstract must be true, or left out; got %s", who, names.show(spec.abstract))
  end
  if spec.abstract and (spec.size or spec.values) then
    names.fail("%s: what is abstract has no size and no values", who)
  end
  e.abstract = (section.name == "abstract" or spec.abstract) or nil
end

local function check_weight(e, spec, who)
  if spec.weight ~= nil and (type(spec.weight) ~= "number" or spec.weight ~= spec.weight) then
    names.fail("%s: weight must be a number, got %s", who, names.show(spec.weight))
  end
  e.weight = (spec.weight or 1) + 0.0
  e.error = spec.error or (e.partition == "q" and "absolute" or "relative")
  if e.error ~= "absolute" and e.error ~= "relative" then
    names.fail("%s: error must be \"relative\" or \"absolute\", got %s", who, names.show(e.error))
  end
  if e.partition == "q" and e.error == "relative" then
    names.fail("%s: the error of a q is absolute; only v and z may be relative", who)
  end
end

local function check_needs(e, needs, who)
  if needs == nil then return end
  if type(needs) ~= "table" then
    names.fail("%s: needs must be a list of names, got %s", who, names.show(needs))
  end
  e.needs = {}
  for i, name in ipairs(needs) do
    if type(name) ~= "string" then names.fail("%s: needs[%d] must be a name, got %s", who, i, names.show(name)) end
    e.needs[i] = name
  end
end

local function check_output(e, fn, who)
  if type(fn) ~= "function" then
    names.fail("%s: an output needs its function, like %s = function(ctx) return ... end; got %s", who, e.name,
      names.show(fn))
  end
  e.fn = fn
end

local function check_label(spec, field, who)
  local value = spec[field]
  if value ~= nil and type(value) ~= "string" then
    names.fail("%s: %s must be a string, got %s", who, field, names.show(value))
  end
  if value then names.check_no_control(field == "doc" and value:gsub("[\n\t]", "") or value, who .. ": " .. field) end
  return value
end

local function raise_field_error(section, spec, who)
  local known = {}
  for _, field in ipairs(variable.fields) do
    if field.everywhere then known[#known + 1] = field.name end
  end
  for _, field in ipairs(section.fields) do known[#known + 1] = field end
  for _, key in ipairs(names.sorted_keys(spec)) do
    if not section.allowed[key] then names.fail("%s", names.unknown("field %s in " .. who, key, known)) end
  end
end

local function check_fields(section, spec, who)
  for key in pairs(spec) do
    if not section.allowed[key] then raise_field_error(section, spec, who) end
  end
end

local function check_name(name, section, owner)
  if not names.is_identifier(name) then
    names.fail("a name in %s of %s must be a Lua identifier, got %s", section.name, owner, names.show(name))
  end
  if names.is_reserved(name) then
    names.fail("%s: the name %q in %s is taken by ctx itself; choose another", owner, name, section.name)
  end
end

local function make(section, name, default, spec, owner)
  check_name(name, section, owner)
  local who = ("%q in %s of %s"):format(name, section.name, owner)
  check_fields(section, spec, who)
  local e = { name = name, partition = section.partition, continuous = section.continuous,
    unit = check_label(spec, "unit", who), doc = check_label(spec, "doc", who), default = nil, size = 1,
    vector = false }
  check_abstract(e, spec, section, who)
  check_size(e, spec.size, default, who)
  if spec.values ~= nil then check_modes(e, spec.values, who) end
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
  e.unset = default == nil or nil -- nobody said what it begins at
  e.required = section.name == "inputs" and default == nil or nil -- to be connected or set before it is read
  if default == nil and not e.abstract then default = e.values and e.values[1] or 0 end
  e.default = variable.value(e, default, who)
  return e
end

-- { height = 1, unit = "m" } says something of no name.
local function raise_label_error(key, value, section, owner)
  if type(value) ~= "string" or section.name == "abstract" or section.name == "outputs" then return end
  for _, field in ipairs(variable.fields) do
    if field.name == key then
      names.fail('%s: %s in %s is of no name; write it with its name: { "name", default, %s = %s }', owner, key,
        section.name, key, names.show(value))
    end
  end
end

-- The keys of what is not listed.
local function named(given)
  local rest = {}
  for key, value in pairs(given) do
    if math.type(key) ~= "integer" or key < 1 or key > #given then rest[key] = value end
  end
  return next(rest) ~= nil and names.sorted_keys(rest) or rest
end

local none = {}

-- The entries of one section: listed ones first, as written, then the others by name.
function variable.list(section, given, owner)
  if given == nil then return none end
  if type(given) ~= "table" then
    names.fail("%s: %s must be a table of entries, got %s", owner, section.name, names.show(given))
  end
  local out = {}
  for i, item in ipairs(given) do
    if type(item) == "string" then item = { item } end
    if type(item) ~= "table" then
      names.fail("%s: %s[%d] must be a name or { \"name\", default }, got %s", owner, section.name, i, names.show(item))
    end
    out[i] = make(section, item[1], item[2], item, owner)
  end
  for _, key in ipairs(named(given)) do
    raise_label_error(key, given[key], section, owner)
    out[#out + 1] = make(section, key, given[key], {}, owner)
  end
  return out
end

-- ---- contents: the fields of a system, some of which it may share with others of its prototype ----

-- All fields, the shared ones too.
function variable.all_fields(content)
  local out = {}
  for key, value in pairs(content.shape or {}) do out[key] = value end
  for key, value in pairs(content) do out[key] = value end
  return out
end

-- What a variable of a content begins at.
function variable.default_of(content, e)
  if not e.from then return e.default end
  if not e.vector then return content.numbers[e.from] end
  return table.move(content.numbers, e.from, e.from + e.size - 1, 1, {})
end

return variable
