-- Which values each run of a sweep has: a grid, a list of cases, random draws, a Latin hypercube, or random draws at
-- each point of a grid.
--
--   params = { gain = { 1, 2, 5 }, mass = { from = 1, to = 2, step = 0.25 } }     a grid: all combinations
--   params = { { gain = 1, mass = 2 }, { gain = 5, mass = 1 } }                   a list of cases
--   params = { gain = { uniform = { 1, 10 } }, mass = { normal = { 2, 0.1 } } }   random, `runs` of them
--
-- Runs are numbered from 1. Each point of the grid has `runs` runs in a row; the last parameter changes fastest.
local counter_random = require "saltus.sweep.counter_random"
local distributions = require "saltus.sweep.distributions"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local design = {}

local uniform = counter_random.uniform

local Design = {}
Design.__index = Design

local MAX_RUNS = 1 << 40
local range_fields = { "from", "to", "step", "count", "scale" }

-- ---- axes: { name =, text =, count =, value = function(i) }, i from 0; or { name =, text =, draw = function(u) } ----

local function is_value(value)
  return numerals.is_finite(value) or type(value) == "string" and not value:find "%c"
end

local function check_value(value, who)
  names.check(is_value(value), value, "%s: a value must be a finite number or a mode", who)
  return value
end

-- The text of a value is short where rounding allows: 0.3 instead of 0.30000000000000004.
local function rounded(value, largest)
  local short = numerals.parse(numerals.format("%.15g", value))
  return math.abs(short - value) <= 1e-15 * largest and short or value
end

local function count_of(r, who)
  if r.count ~= nil then
    names.check(math.type(r.count) == "integer" and r.count >= 2, r.count,
      "%s: count must be a whole number of at least 2", who)
    return r.count
  end
  names.check(numerals.is_positive(r.step), r.step, "%s: step must be a number greater than 0", who)
  return math.floor((r.to - r.from) / r.step + 1e-9) + 1
end

-- How many values a range has, and the function that returns the i-th; no list is made of those that no run needs.
local function range(r, who)
  names.check_keys(r, range_fields, "field %s of a range", who)
  names.check(numerals.is_finite(r.from) and numerals.is_finite(r.to) and r.from <= r.to, r.to,
    "%s: a range needs numbers from <= to", who)
  names.fail_if((r.step == nil) == (r.count == nil), "%s: a range needs step or count", who)
  names.fail_if(r.scale ~= nil and r.scale ~= "log", "%s: scale can only be \"log\"", who)
  names.fail_if(r.scale == "log" and not (r.from > 0 and r.count),
    "%s: a logarithmic range needs from > 0 and count", who)
  local n, known = count_of(r, who), { [0] = r.from }
  names.fail_if(n > MAX_RUNS, "%s: %.3g values are too many", who, n)
  local largest = math.max(math.abs(r.from), math.abs(r.to))
  local function value(i)
    if r.step then return rounded(r.from + i * r.step, largest) end
    local share = i / (n - 1)
    if share == 1 then return r.to end
    return r.scale and r.from * (r.to / r.from) ^ share or r.from + (r.to - r.from) * share
  end
  return n, function(i)
    known[i] = known[i] or value(i)
    return known[i]
  end
end

local function axis_of_list(list, who)
  for key in pairs(list) do
    names.fail_if(math.type(key) ~= "integer", "%s: unknown field %s; write a list of values, "
      .. "{ from =, to =, step = }, or a distribution like { uniform = { 1, 10 } }", who, names.show(key))
  end
  names.fail_if(#list == 0, "%s: the list of values is empty", who)
  return names.map(list, function(value) return check_value(value, who) end)
end

-- A range as it was given; a list by its values.
local function range_text(r)
  return ("%s:%s:%s%s"):format(numerals.shortest(r.from), numerals.shortest(r.to),
    r.step and numerals.shortest(r.step) or ("%d values"):format(r.count), r.scale and " " .. r.scale or "")
end

local function text_of(values)
  return table.concat(names.map(values, numerals.shortest), ",")
end

local function has_word(values)
  for _, value in pairs(values) do
    if type(value) == "string" then return true end
  end
  return false
end

local function axis(name, spec, who)
  if type(spec) ~= "table" then spec = { spec } end
  for kind in pairs(distributions.kinds) do
    if spec[kind] ~= nil then
      names.check_keys(spec, { kind }, "field %s of a distribution", who)
      local made = distributions.of(kind, spec[kind], who)
      return { name = name, text = made.text, draw = made.draw, stream = counter_random.stream(name) }
    end
  end
  if spec.from ~= nil or spec.to ~= nil then
    local count, value = range(spec, who)
    return { name = name, text = range_text(spec), count = count, value = value }
  end
  local values = axis_of_list(spec, who)
  return { name = name, text = text_of(values), count = #values, value = function(i) return values[i + 1] end,
    has_words = has_word(values), is_list = true }
end

-- ---- lists of cases ----

local function case_names(cases, what)
  local own = names.sorted_keys(cases[1])
  for i, case in ipairs(cases) do
    local who = ("%s: case %d of params"):format(what, i)
    names.check(type(case) == "table", case, "%s must be a table of values by name", who)
    for _, name in ipairs(own) do
      names.fail_if(case[name] == nil, "%s lacks %q, which the first case has", who, name)
      check_value(case[name], ("%s, %q"):format(who, name))
    end
    names.check_keys(case, own, "name %s", who)
  end
  return own
end

local function text_of_cases(cases, own)
  local out = {}
  for i, case in ipairs(cases) do
    out[i] = table.concat(names.map(own, function(name) return numerals.shortest(case[name]) end), ",")
  end
  return table.concat(out, ";")
end

-- ---- the design ----

-- `order`: the names in the order of their columns; default: alphabetical.
local function axes_of(params, order, what)
  local axes = {}
  for i, name in ipairs(order or names.sorted_keys(params)) do
    names.check(type(name) == "string", name, "%s: params names values by their paths", what)
    axes[i] = axis(name, params[name], ("%s: %q"):format(what, name))
  end
  return axes
end

-- given: params, order, runs, seed, sampling
function design.new(given, what)
  local params, self = given.params or {}, setmetatable({ names = {}, axes = {}, points = 1 }, Design)
  names.check(type(params) == "table", params, "%s: params must be a table", what)
  self.runs = names.check_whole(given.runs == nil and 1 or given.runs, 1, what, "runs")
  self.seed = names.check_whole(given.seed == nil and 0 or given.seed, math.mininteger, what, "seed")
  self.sampling = given.sampling or "random"
  names.fail_if(not names.index_of({ "random", "latin_hypercube" }, self.sampling), "%s: sampling %s", what,
    names.not_one_of(self.sampling, { "random", "latin_hypercube" }))
  if params[1] ~= nil then
    self.cases, self.names = params, case_names(params, what)
    self.points, self.text = #params, text_of_cases(params, self.names)
    for _, case in ipairs(params) do self.has_words = self.has_words or has_word(case) end
  else
    self.axes = axes_of(params, given.order, what)
    for i, one in ipairs(self.axes) do
      self.names[i] = one.name
      names.fail_if((one.count or 1) > MAX_RUNS // self.points, "%s: the grid has too many points", what)
      self.points = self.points * (one.count or 1)
      self.has_words = self.has_words or one.has_words
      self.is_random = self.is_random or one.draw ~= nil
    end
  end
  names.fail_if(self.sampling == "latin_hypercube" and not self.is_random,
    "%s: a Latin hypercube spreads random values, and no value is random", what)
  names.fail_if(self.runs > MAX_RUNS // self.points, "%s: %.3g runs are too many", what, self.points * 1.0 * self.runs)
  self.count = self.points * self.runs
  return self
end

-- The uniform number of an axis for run k, in its stratum among the runs of the same point.
local function stratum(self, axis_of, k)
  local u = counter_random.uniform(self.seed, k, axis_of.stream)
  local point, i = (k - 1) // self.runs, (k - 1) % self.runs
  return (counter_random.place(self.seed, self.runs, point, axis_of.stream, i) + u) / self.runs
end

-- Puts the values of run k, in the order of self.names, into `to`.
function Design:values(k, to)
  local point = (k - 1) // self.runs
  if self.cases then
    for i, name in ipairs(self.names) do to[i] = self.cases[point + 1][name] end
    return to
  end
  local axes, is_free = self.axes, self.sampling == "random"
  for i = #axes, 1, -1 do
    local one = axes[i]
    if one.count then
      to[i] = one.value(point % one.count)
      point = point // one.count
    else
      to[i] = one.draw(is_free and uniform(self.seed, k, one.stream) or stratum(self, one, k))
    end
  end
  return to
end

-- Calls fn(i, value) for what was given for the i-th name: each value of a list, and one value of a range or of a
-- distribution.
function Design:each_given(fn)
  for _, case in ipairs(self.cases or {}) do
    for i, name in ipairs(self.names) do fn(i, case[name]) end
  end
  for i, one in ipairs(self.axes) do
    if one.draw then fn(i, one.draw(0.5)) end
    for k = 0, one.is_list and one.count - 1 or one.value and 0 or -1 do fn(i, one.value(k)) end
  end
end

function Design:seed_of(k) return counter_random.seed(self.seed, k) end

-- The axes in words and in their order, for cards and for --resume: { { "gain", "1,2,5" } }; a list of cases has one
-- text.
function Design:texts()
  if self.cases then return { { table.concat(self.names, ","), self.text } } end
  return names.map(self.axes, function(one) return { one.name, one.text } end)
end

return design
