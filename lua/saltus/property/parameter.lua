-- Parameters of a property: from which values each is drawn, and which value is the simplest, its home.
--
--   gain = { 5, 30 }                         a number from 5 to 30
--   gain = { 5, 30, home = 10 }              its home is 10; default: what the model has, or what is nearest to 0
--   count = { integer = { 1, 6 } }           also uniform, log_uniform and normal, as in sweeps
--   mode = { "off", "on" }                   one of these words; { one_of = { 1, 2, 5 } } one of these numbers
--   wind = { { -1, 1 }, { 0, 2 } }           a vector, one range for each element
--
-- Each number, word or element is one parameter. It turns a number from 0 to 1 into a value, so one code serves random
-- samples and the search.
local counter_random = require "saltus.sweep.counter_random"
local distributions = require "saltus.sweep.distributions"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local variable = require "saltus.model.variable"

local parameter = {}

local Parameter = {}
Parameter.__index = Parameter

local kinds = names.sorted_keys(distributions.kinds)
local FAR = 0.001 -- the ends of a normal distribution are its quantiles 0.001 and 0.999
local plain = { number = true, string = true, boolean = true }

-- ---- the values of one parameter ----

-- The value for u in [0, 1]; the ends are exact.
function Parameter:at(u)
  if self.values then return self.values[math.min(#self.values, math.floor(u * #self.values) + 1)] end
  if u <= 0 then return self.low elseif u >= 1 then return self.high end
  return math.max(self.low, math.min(self.high, self.draw(u)))
end

local HALVINGS = 60

-- A number u in [0, 1] for which at(u) is the value, to rounding.
function Parameter:place_of(value)
  if self.values then return (names.index_of(self.values, value) - 0.5) / #self.values end
  local low, high = 0, 1
  for _ = 1, HALVINGS do
    local mid = (low + high) / 2
    if self:at(mid) < value then low = mid else high = mid end
  end
  return value <= self.low and 0 or high
end

-- The value as this parameter has it; nil if it is not one of its values.
function Parameter:accepted(value)
  if self.values then return self.values[names.index_of(self.values, value)] end
  if not numerals.is_finite(value) or not self.unbounded and (value < self.low or value > self.high) then return nil end
  if self.is_integer then return math.tointeger(value) end
  return value + 0.0
end

local AT_LOW, AT_HIGH, AT_HOME = 1 / 8, 1 / 4, 5 / 16

-- The value of sample k: often an end of the range, or home.
function Parameter:sample(seed, k)
  local u = counter_random.uniform(seed, k, self.stream)
  if self.values then return self:at(u) end
  local share = counter_random.uniform(seed, k, self.end_stream)
  if share < AT_LOW then return self.low elseif share < AT_HIGH then return self.high end
  return share < AT_HOME and self.home or self:accepted(self.draw(u)) or self:at(u)
end

-- ---- what users write ----

local function list_of(given, who)
  for key in pairs(given) do
    names.fail_if(math.type(key) ~= "integer" and key ~= "home", "%s: unknown field %s; write { low, high }, a list of "
      .. "words, { one_of = { 1, 2, 5 } }, or a distribution like { integer = { 1, 6 } }", who, names.show(key))
  end
  return given
end

local function choice(values, who)
  names.check(type(values) == "table" and #values > 0, values, "%s: a list of values must have one", who)
  local own = {}
  for i, value in ipairs(values) do
    local is_known = plain[type(value)] and (type(value) ~= "number" or numerals.is_finite(value))
    names.check(is_known, value, "%s: value %d must be a word, a boolean or a finite number", who, i)
    names.fail_if(names.index_of(own, value), "%s: %s is there twice", who, names.show(value))
    own[i] = value
  end
  return { values = own }
end

local function distribution(kind, given, who)
  local made = distributions.of(kind, given, who)
  local low, high = given[1], given[2]
  if kind == "normal" then low, high = made.draw(FAR), made.draw(1 - FAR) end
  local is_integer = kind == "integer"
  local function of_kind(value) return is_integer and math.tointeger(value) or value + 0.0 end
  return { draw = made.draw, low = of_kind(low), high = of_kind(high), is_integer = is_integer,
    unbounded = kind == "normal" }
end

local function range(given, who)
  names.fail_if(#given ~= 2, "%s: a range is { low, high }; a list of numbers is { one_of = { 1, 2, 5 } }", who)
  return distribution("uniform", { given[1], given[2] }, who)
end

local function spec_of(given, who)
  names.check(type(given) == "table", given, "%s takes a table like { 5, 30 }", who)
  for _, kind in ipairs(kinds) do
    if given[kind] ~= nil then
      names.check_keys(given, { kind, "home" }, "field %s of a distribution", who)
      return distribution(kind, given[kind], who)
    end
  end
  if given.one_of ~= nil then
    names.check_keys(given, { "one_of", "home" }, "field %s of a parameter", who)
    return choice(given.one_of, who)
  end
  list_of(given, who)
  return type(given[1]) == "number" and type(given[2]) == "number" and range(given, who) or choice(given, who)
end

-- The value nearest to the one wanted.
local function nearest(self, wanted)
  if self.values then return self.values[names.index_of(self.values, wanted) or 1] end
  local number = type(wanted) == "number" and wanted or 0
  return self:accepted(number) or (number > self.high and self.high or number < self.low and self.low)
    or self:accepted(math.floor(number)) or self.low
end

local function home_of(self, given, default, who)
  if given == nil then return nearest(self, default) end
  local home = self:accepted(given)
  names.fail_if(home == nil, "%s: home must be one of its values, got %s", who, names.show(given))
  return home
end

-- The parameter `name` of `given`; default: what the model has.
local function new(name, given, default, who)
  local self = setmetatable(spec_of(given, who), Parameter)
  self.name, self.who, self.default = name, who, default
  self.stream, self.end_stream = counter_random.stream(name), counter_random.stream(name .. "\0end")
  self.home = home_of(self, given.home, default, who)
  return self
end

-- The value that a path has in the model: a number, a word, or a list of numbers.
local function default_of(model, path, what)
  local part, e, element = model:resolve(path)
  if not part then names.fail("%s: %s", what, e) end
  local default = e.partition ~= "output" and not e.abstract and variable.default_of(model.parts[part].system, e) or nil
  if e.values then return e.values[default] end
  if element then return type(default) == "table" and default[element] or default end
  return default, e.vector and e.size or nil
end

local function add_vector(out, path, given, default, size, who)
  local is_list = type(given) == "table" and type(given[1]) == "table"
  size = size or #given
  names.fail_if(is_list and #given ~= size, "%s has %d elements, but there are %d ranges", who, size,
    is_list and #given)
  for i = 1, size do
    local name = ("%s[%d]"):format(path, i)
    local one = new(name, is_list and given[i] or given, default and default[i], is_list and who .. (" [%d]"):format(i)
      or who)
    one.vector, one.element = path, i
    out[#out + 1] = one
  end
end

local function check_once(list, what)
  local seen = {}
  for _, one in ipairs(list) do
    names.fail_if(seen[one.name], "%s: params has %q twice, alone and in its vector", what, one.name)
    seen[one.name] = true
  end
end

-- The parameters in the order of their names. `model`: nil if no model has them.
function parameter.list(params, model, what)
  names.check(type(params) == "table", params, "%s: params must be a table of ranges by path", what)
  names.fail_if(next(params) == nil, "%s: params has no parameter", what)
  local out = {}
  for _, path in ipairs(names.sorted_keys(params)) do
    names.check(type(path) == "string", path, "%s: params names values by their paths", what)
    local who, given = ("%s: params: %q"):format(what, path), params[path]
    local default, size
    if model then default, size = default_of(model, path, what) end
    if size or not model and type(given) == "table" and type(given[1]) == "table" then
      add_vector(out, path, given, default, size, who)
    else
      out[#out + 1] = new(path, given, default, who)
    end
  end
  check_once(out, what)
  return out
end

local PARAMS = names.closing "the params of a property"

-- The values of a list of parameters as users read them: by name, a vector as a list.
function parameter.named(list, values)
  local out = {}
  for i, one in ipairs(list) do
    if one.vector then
      out[one.vector] = out[one.vector] or {}
      out[one.vector][one.element] = values[i]
    else
      out[one.name] = values[i]
    end
  end
  return setmetatable(out, PARAMS)
end

return parameter
